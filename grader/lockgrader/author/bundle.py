"""The bundle for students: a zip of a lab's public files, the same bytes each time.

It holds ``lab.toml``, the handout and the glossary that it links to, the starter and the
misconceptions of public checks. Everything else (hidden checks, solution, mutants, rubric, design)
stays out. A bundle that contains a hidden check's name or a file of the solution is refused.

Where a course has a key, only the course can draw a student's variant. Each student then gets a
bundle of their own with their name and their values (``student.json``).
"""

from __future__ import annotations

import io
import json
import re
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from lockgrader.lab import Lab, load
from lockgrader.lab.document import check_format
from lockgrader.lab.trials import of_dataset
from lockgrader.lab.variants import variant
from lockui.files import home

__all__ = [
    "Bundle",
    "BundleError",
    "Own",
    "Source",
    "bundles",
    "dataset_files",
    "name_of",
    "public_files",
    "read",
]

BELIEFS = "misconceptions.toml"
HANDOUT, GLOSSARY = "handout.md", "glossary.md"
GLOSSARY_LINK = b"](../../docs/start/glossary.md"
"""A handout's link to the glossary in the repository; in a bundle it lies beside the handout."""
NAMED = ("lab.toml", HANDOUT, GLOSSARY, BELIEFS)
SECRET = ("hidden", "solution", "mutants")
OWN = "student.json"
MAX_FILES, MAX_BYTES = 200, 16 << 20
LONG = 200
"""From this size, a file that equals one of the solution is not a coincidence."""


class BundleError(Exception):
    """A bundle cannot be made or read; the message says why."""

    exit_code = 2


class Own(BaseModel):
    """The student of a bundle, and the variant that was drawn with the course's key."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    student: str
    variant: dict[str, str | int]


@dataclass(frozen=True)
class Source:
    """A lab to start: its public files, and the student if the bundle is for one."""

    files: dict[str, bytes]
    own: Own | None


@dataclass(frozen=True)
class Bundle:
    """A bundle: its student ("" for all students), its files and its bytes."""

    student: str
    files: tuple[str, ...]
    data: bytes


def public_files(folder: Path) -> dict[str, bytes]:
    """The public files of a lab: path → content.

    Arguments:
        folder: the lab's.

    Raises:
        BundleError: a file is not for students, or a part is missing.
        LabError: it is not a lab.
    """
    lab = load(folder)
    files = {n: (folder / n).read_bytes() for n in NAMED if (folder / n).is_file()}
    if HANDOUT not in files:
        raise BundleError(f"{folder} has no {HANDOUT}")
    if GLOSSARY_LINK in files[HANDOUT]:
        files[GLOSSARY] = (home() / "docs" / "start" / GLOSSARY).read_bytes()
        files[HANDOUT] = files[HANDOUT].replace(GLOSSARY_LINK, f"]({GLOSSARY}".encode())
    starter = folder / "starter"
    for path in sorted(p for p in starter.rglob("*") if p.is_symlink() or not p.is_dir()):
        if path.is_symlink() or not path.is_file():
            raise BundleError(f"{path} is not a regular file; put the file itself there")
        if "__pycache__" not in path.parts:
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    if not any(name.startswith("starter/") for name in files):
        raise BundleError(f"{starter} has no file to start from")
    if lab.c:
        from lockgrader.c import interface  # loads engines that other labs do not need here

        about = interface(lab.interface)
        files[f"starter/{about.header}"] = (about.folder / about.header).read_bytes()
    files |= {f"starter/{name}": data for name, data in dataset_files(lab).items()}
    if BELIEFS in files:
        _refuse_hidden_beliefs(lab, folder / BELIEFS)
    _refuse_leaks(lab, folder, files)
    return files


def dataset_files(lab: Lab) -> dict[str, bytes]:
    """The files of a lab's data set, in a folder of its name."""
    if not lab.dataset:
        return {}
    folder = of_dataset(lab.dataset)
    return {f"{lab.dataset}/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}


def bundles(folder: Path, students: Sequence[str], key: bytes) -> list[Bundle]:
    """The bundle of a lab, or one for each student with their own values.

    Arguments:
        folder: the lab's. students: names; empty for one bundle for all. key: the course's.

    Raises:
        BundleError: a file is not for students.
    """
    lab, files = load(folder), public_files(folder)
    made = []
    for student in students or [""]:
        every = dict(files)
        if student:
            own = Own(student=student, variant=variant(lab, student, key))
            every[OWN] = (json.dumps(own.model_dump(), indent=2, sort_keys=True) + "\n").encode()
        data = archive({f"{lab.name}/{name}": content for name, content in every.items()})
        made.append(Bundle(student, tuple(sorted(every)), data))
    return made


def archive(files: Mapping[str, bytes]) -> bytes:
    """A zip of files in the order of their names, without times or compression.

    The bytes of a compressed zip depend on the version of zlib.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as made:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            made.writestr(entry, files[name])
    return buffer.getvalue()


def read(path: Path) -> Source:
    """A lab to start, from its folder, from an unpacked bundle, or from a bundle.

    Raises:
        BundleError: it cannot be read. LabError: it is not a lab.
    """
    if path.is_dir():
        own = path / OWN
        files, data = public_files(path), own.read_bytes() if own.is_file() else None
        return _source(path, files, data)
    try:
        files = _unzipped(path)
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise BundleError(f"{path} is not a readable zip: {error}") from error
    if "lab.toml" not in files:
        raise BundleError(f"{path} is not a lab bundle: it has no lab.toml")
    data = files.pop(OWN, None)
    return _source(path, files, data)


def name_of(source: Source) -> str:
    """The lab's name.

    Raises:
        BundleError: it has none.
    """
    name = _document(source.files).get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise BundleError("lab.toml has no valid name")
    return name


def _source(path: Path, files: dict[str, bytes], own: bytes | None) -> Source:
    check_format(_document(files), path)
    return Source(files, None if own is None else _own(own))


def _document(files: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        return tomllib.loads(files["lab.toml"].decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BundleError(f"lab.toml cannot be read: {error}") from error


def _unzipped(path: Path) -> dict[str, bytes]:
    """A bundle's files, without the folder that contains all of them."""
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(path) as made:
        entries = [e for e in made.infolist() if not e.is_dir()]
        if len(entries) > MAX_FILES or sum(e.file_size for e in entries) > MAX_BYTES:
            raise BundleError(f"{path} is larger than a lab's bundle")
        for entry in entries:
            parts = entry.filename.split("/")
            if "\\" in entry.filename or any(p in ("", ".", "..") for p in parts):
                raise BundleError(
                    f"{path} holds the path {entry.filename!r}, which is outside its own folder"
                )
            with made.open(entry) as file:
                data = file.read(MAX_BYTES + 1)
            found["/".join(parts[1:])] = data
    names = {n for n in found if n in (*NAMED, OWN) or n.startswith("starter/")}
    return {n: found[n] for n in sorted(names)}


def _own(data: bytes) -> Own:
    try:
        return Own.model_validate_json(data)
    except ValidationError as error:
        raise BundleError(f"{OWN} is damaged: {error.errors()[0]['msg']}") from error


def _refuse_hidden_beliefs(lab: Lab, path: Path) -> None:
    """Refuse misconceptions that only hidden checks name, since they would reveal these checks."""
    public = [raw for raw in lab.check if raw.get("public", True)]
    named = {name for raw in public for name in raw.get("misconceptions", {}).values()}
    if hidden := sorted(tomllib.loads(path.read_text(encoding="utf-8")).keys() - named):
        raise BundleError(
            f"{path} has misconceptions that no public check names: {', '.join(hidden)}\n"
            f"help: move them to hidden/{BELIEFS}"
        )


def _hidden_names(lab: Lab) -> set[str]:
    return {
        str(raw.get(key, ""))
        for raw in lab.check
        if not raw.get("public", True)
        for key in ("name", "title")
    } - {""}


def _refuse_leaks(lab: Lab, folder: Path, files: Mapping[str, bytes]) -> None:
    """Refuse files with a hidden check's name or title, and copies of secret files."""
    secrets = {p.read_bytes() for part in SECRET for p in (folder / part).rglob("*") if p.is_file()}
    words = [w.encode() for w in sorted(_hidden_names(lab))]
    for name, data in files.items():
        if len(data) >= LONG and data in secrets:
            raise BundleError(f"{folder / name} is a copy of a hidden file or of the solution")
        for word in words if name != GLOSSARY else ():  # one for all labs, it reveals nothing
            if re.search(rb"(?<![\w-])" + re.escape(word) + rb"(?![\w-])", data):
                raise BundleError(
                    f"{folder / name} names the hidden check '{word.decode()}', and students get "
                    "this file: rename the check, or remove the name"
                )
        if any(part in SECRET for part in PurePosixPath(name).parts[1:]):
            raise BundleError(
                f"{folder / name} would go to students, but its folder is secret "
                f"({', '.join(SECRET)}): move the file to another folder"
            )
