"""``autograder.zip``: the files that Gradescope needs for one lab, the same bytes each time.

setup.sh  run_autograder  config.json  course.key   (the key only where there is one)
lab/       the lab with its hidden checks, without solution, starter and mutants
locklab/   our sources and the locked requirements; setup.sh builds and installs them
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lockgrader.lab import Lab
from lockgrader.result import write_bytes
from lockui import files

__all__ = ["BundleError", "Config", "bundle", "read_config"]

SOURCES = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "datasets/lockdata",
    "grader/lockgrader",
    "labs/locklabs",
    "lessons/locklessons",
    "locklab.py",
    "native",
    "native/locknative",
    "pyproject.toml",
    "requirements",
    "sim/locksim",
    "tools",
    "ui/lockui",
)
"""Sources of the package, by their path in a checkout."""
NO_SOURCE = {"__pycache__", "tests", "benchmarks", "build", "out", "share"}
NOT_FOR_GRADING = {"__pycache__", "solution", "starter"}
COMPILED = {".so", ".o", ".pyc", ".nbi", ".nbc"}
LATEST_S, EARLIEST_S = 3600, 30


class BundleError(Exception):
    """A bundle cannot be made or read; the message says why."""

    exit_code = 2


class Config(BaseModel):
    """The configuration of the run.

    Arguments:
        student: which of the platform's names of a student is used to draw the variant.
        seconds: the run's own budget on the clock; below the platform's time-out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    student: str = Field(default="email", pattern="^(email|id|sid|name)$")
    seconds: int = Field(default=540, ge=EARLIEST_S, le=LATEST_S)


def bundle(lab: Lab, out: Path, *, key: bytes | None, config: Config | None = None) -> int:
    """Write a bundle; return its number of files.

    Arguments:
        lab: a lab that was read from its folder. out: the zip. key: the course's, or None.
        config: for the run there.

    Raises:
        BundleError: the lab's hidden checks or the sources are missing, or the file cannot be
            written.
    """
    if not any(check.get("public") is False for check in lab.check):
        raise BundleError(
            f"{lab.name} has no hidden check here\n"
            "help: pip install locklab-instructor, or give the folder of your own lab"
        )
    sources = {name: path for name in SOURCES if (path := files.source(name)) is not None}
    if missing := sorted(set(SOURCES) - set(sources)):
        raise BundleError(
            f"a bundle needs the sources, and {files.home()} has no {', '.join(missing)}\n"
            "help: install LockLab again"
        )
    here = Path(__file__).parent
    parts = {name: (here / name).read_bytes() for name in ("setup.sh", "run_autograder")}
    parts["config.json"] = (config or Config()).model_dump_json(indent=2).encode() + b"\n"
    if key is not None:
        parts["course.key"] = key
    for inner, data in _files(Path(lab.folder), NOT_FOR_GRADING):
        if inner != "mutants.toml":  # it holds each mutant with its verdict
            parts[f"lab/{inner}"] = data
    for name, path in sources.items():
        for inner, data in _files(path, NO_SOURCE):
            parts["/".join(filter(None, ("locklab", name, inner)))] = data
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(parts):
            entry = zipfile.ZipInfo(name)  # its date is 1980, whenever it is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            script = parts[name].startswith(b"#!")
            entry.external_attr = (0o100700 if script else 0o100600) << 16
            archive.writestr(entry, parts[name])
    try:
        write_bytes(out, made.getvalue())
    except OSError as error:
        raise BundleError(f"--out {out} cannot be written: {error.strerror}") from error
    return len(parts)


def read_config(path: Path) -> Config:
    """A bundle's configuration.

    Raises:
        BundleError: there is none, or it is invalid.
    """
    try:
        return Config.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise BundleError(f"{path} is not a bundle's configuration: {error}") from error


def _files(path: Path, without: set[str]) -> Iterator[tuple[str, bytes]]:
    """Relative name and content of each file; a single file has no relative name."""
    if path.is_file():
        yield "", path.read_bytes()
        return
    for file in sorted(path.rglob("*")):
        inner = file.relative_to(path)
        left_out = without & set(inner.parent.parts) or file.suffix in COMPILED
        if file.is_file() and not file.is_symlink() and not left_out:
            yield inner.as_posix(), file.read_bytes()
