"""What the bundles of all platforms hold: the lab, our sources, the key, the configuration.

A bundle is a zip with the same bytes each time. Its files can be read by their owner alone.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lockgrader.files import write_bytes
from lockgrader.lab import Lab
from lockgrader.lab.document import MUTANTS
from lockui import files

__all__ = [
    "EARLIEST_S",
    "LATEST_S",
    "SOURCES",
    "Config",
    "PackageError",
    "Parts",
    "below",
    "lab_files",
    "own_files",
    "read_config",
    "source_files",
    "write_zip",
]

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
NOT_FOR_GRADING = {"__pycache__", "solution"}
COMPILED = {".so", ".o", ".pyc", ".nbi", ".nbc"}
LATEST_S, EARLIEST_S = 3600, 30
Parts = dict[str, bytes]
"""The files of a bundle: path → content."""


_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST = r"(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::[0-9]+)?|[A-Za-z0-9-]+:[0-9]+"
IMAGE = (
    rf"^(?:(?:{_HOST})/)?{_PART}(?:/{_PART})*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$"
)
"""The name of an image as Docker has it: host, path in small letters, tag, digest."""


class PackageError(Exception):
    """A bundle cannot be made or read; the message says why."""

    exit_code = 2


class Config(BaseModel):
    """The configuration of the run.

    Arguments:
        student: which of the platform's names of a student is used to draw the variant.
        seconds: the run's own budget on the clock; below the platform's time-out.
        public: run only the checks that students see.
        image: the container image, for PrairieLearn.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    student: str = Field(default="email", pattern="^(email|id|sid|name)$")
    seconds: int = Field(default=540, ge=EARLIEST_S, le=LATEST_S)
    public: bool = False
    image: str = Field(default="locklab-grader", pattern=IMAGE)

    def file(self) -> bytes:
        """The configuration as a file."""
        return self.model_dump_json(indent=2).encode() + b"\n"


def read_config(path: Path) -> Config:
    """A bundle's configuration.

    Raises:
        PackageError: there is none, or it is invalid.
    """
    try:
        return Config.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise PackageError(f"{path} is not a bundle's configuration: {error}") from error


def lab_files(lab: Lab) -> Parts:
    """A lab with its hidden checks, without what grading does not need.

    Of the solution it has only the file on which students' own tests are tried, where there are
    such checks.

    Raises:
        PackageError: its hidden checks are not here.
    """
    if not any(check.get("public") is False for check in lab.check):
        raise PackageError(
            f"{lab.name} has no hidden check here\n"
            "help: pip install locklab-instructor, or give the folder of your own lab"
        )
    folder = Path(lab.folder)
    parts = dict(_files(folder, NOT_FOR_GRADING))
    parts.pop("mutants.toml", None)  # it holds each mutant with its verdict
    if MUTANTS in parts:
        parts[f"solution/{lab.locks}"] = (folder / "solution" / lab.locks).read_bytes()
    return parts


def source_files() -> Parts:
    """Our sources, from which a platform builds and installs the grader.

    Raises:
        PackageError: some are missing in this installation.
    """
    found = {name: path for name in SOURCES if (path := files.source(name)) is not None}
    if missing := sorted(set(SOURCES) - set(found)):
        raise PackageError(
            f"a bundle needs the sources, and {files.home()} has no {', '.join(missing)}\n"
            "help: install LockLab again"
        )
    return {
        "/".join(filter(None, (name, inner))): data
        for name, path in found.items()
        for inner, data in _files(path, NO_SOURCE)
    }


def own_files(platform: str) -> Parts:
    """The files of ``files/PLATFORM``, as they are."""
    return dict(_files(Path(__file__).parent / "files" / platform, {"__pycache__"}))


def below(folder: str, parts: Mapping[str, bytes]) -> Parts:
    """The same files in a folder."""
    return {f"{folder}/{name}": data for name, data in parts.items()}


def write_zip(parts: Mapping[str, bytes], out: Path) -> None:
    """Write a bundle; its scripts are executable.

    Raises:
        PackageError: the file cannot be written.
    """
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
        raise PackageError(f"--out {out} cannot be written: {error.strerror}") from error


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
