"""Read a submission, which is a folder, a zip or one file, without following links.

Nothing is unpacked. Only the few files that the lab wants are read into memory, each up to a size.
Links, devices, pipes and paths that lead outside do not count as files. Other entries of an archive
are ignored.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import itertools
import os
import stat
import traceback
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from lockgrader.files import IrregularError, opened
from lockgrader.read.names import likely
from lockgrader.read.record import RECORD
from lockgrader.read.refused import Refused

__all__ = ["UNREADABLE", "Submission", "read", "take"]

UNREADABLE = "0" * 64
"""The hash of a submission that cannot be read."""
MAX_FILE = 4 << 20
MAX_ENTRIES = 2000
MAX_ARCHIVE = 64 << 20
_ENTRY = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The methods that every system uses. The others fail in other ways, and LZMA allocates as much
memory as an archive demands."""


@dataclass(frozen=True)
class Submission:
    """The wanted files.

    Arguments:
        path: of the submission. files: name → content. sha256: of names and contents.
        refused: why it cannot be read, or None.
    """

    path: Path
    files: dict[str, bytes]
    sha256: str
    refused: Refused | None = None


def read(path: Path, wanted: tuple[str, ...]) -> Submission:
    """Read the wanted files of a submission, and its record; one that is missing is left out.

    Arguments:
        path: a folder, a zip, or a single file, which counts as the wanted file of its suffix.
        wanted: names of files, as :meth:`lockgrader.lab.Lab.wanted` gives them.

    Raises:
        Refused: it cannot be read safely.
    """
    wanted = (*wanted, RECORD)
    try:
        if path.is_symlink():
            raise Refused("ungradable", f"{path.name} is a symbolic link; hand in the file itself")
        if path.is_dir():
            found = _folder(path, wanted)
        elif path.suffix == ".zip":
            found = _zip(path, wanted)
        else:
            data = _file(path)
            fitting = [n for n in wanted if Path(n).suffix == path.suffix]
            found = {} if data is None or not fitting else {fitting[0]: data}
    except OSError as error:
        raise Refused("ungradable", f"{path.name} cannot be read: {error.strerror}") from error
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(f"{len(name)}:{name}:{len(found[name])}:".encode() + found[name])
    return Submission(path, found, digest.hexdigest())


def take(path: Path, wanted: tuple[str, ...]) -> Submission:
    """Read a submission as :func:`read` does; one that cannot be read says why.

    Arguments:
        path, wanted: as for :func:`read`. A fault of the reader itself is a ``grader_error``.
    """
    try:
        return read(path, wanted)
    except Refused as error:
        refused = error
    except Exception:
        fault = f"it could not be read: {traceback.format_exc()[-2000:]}"
        refused = Refused("grader_error", fault)
    return Submission(path, {}, UNREADABLE, refused)


def _folder(path: Path, wanted: tuple[str, ...]) -> dict[str, bytes]:
    found = {n: d for n in wanted if (d := _file(path / n)) is not None}
    names = [entry.name for entry in itertools.islice(os.scandir(path), MAX_ENTRIES)]
    for name, other in likely(names, wanted).items():
        data = _file(path / other)
        if data is not None:
            found[name] = data
    return found


def _file(path: Path) -> bytes | None:
    """A wanted file's content, or None if there is no file."""
    try:
        data, links = _regular(path, MAX_FILE)
    except FileNotFoundError:
        return None
    if links > 1:
        raise Refused("ungradable", f"{path.name} is a hard link to another file")
    return _bounded(path.name, data)


def _regular(path: Path, most: int) -> tuple[bytes, int]:
    """The content of a regular file, up to one byte more than ``most``, and its links.

    Raises:
        FileNotFoundError: there is no such file. Refused: it is a pipe, a device, a link, a folder.
    """
    try:
        with opened(path) as file:
            return file.read(most + 1), os.fstat(file.fileno()).st_nlink
    except IrregularError as error:
        says = f"{path.name} is {error.kind}, not a regular file; hand in a file of this name"
        raise Refused("ungradable", says) from error


def _zip(path: Path, wanted: tuple[str, ...]) -> dict[str, bytes]:
    data, _ = _regular(path, MAX_ARCHIVE)
    if len(data) > MAX_ARCHIVE:
        raise Refused("ungradable", f"{path.name} is larger than {MAX_ARCHIVE >> 20} MiB")
    # Before zipfile makes an object of each: every directory entry begins with this mark.
    if data.count(_ENTRY) > MAX_ENTRIES:
        raise Refused("ungradable", f"{path.name} has more than {MAX_ENTRIES} entries")
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            near = {n: e for e in archive.infolist() if (n := _near(e)) is not None}
            meant = {other: name for name, other in likely(near, wanted).items()}
            for entry in archive.infolist():
                last = _near(entry) or ""
                name = meant.get(last, last)
                if name not in wanted:
                    continue
                _refuse_odd(entry, name)
                if name in found:
                    raise Refused("ungradable", f"{path.name} holds {name} twice")
                if entry.compress_type not in _METHODS:
                    message = (
                        f"{name} uses compression method {entry.compress_type}; make a plain zip"
                    )
                    raise Refused("ungradable", f"{path.name}: {message}")
                # The size that an entry claims is not believed; reading stops at the limit.
                with archive.open(entry) as file:
                    found[name] = _bounded(name, file.read(MAX_FILE + 1))
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    ) as error:
        raise Refused("ungradable", f"{path.name} is not a readable zip: {error}") from error
    return found


def _near(entry: zipfile.ZipInfo) -> str | None:
    """The name of an entry at the top level or in one top folder; None of all others."""
    parts = entry.filename.split("/")
    # The last part of a folder is empty; a backslash is never part of an honest name.
    if "\\" in entry.filename or len(parts) > 2 or any(p in ("", ".", "..") for p in parts):
        return None
    return parts[-1]


def _refuse_odd(entry: zipfile.ZipInfo, name: str) -> None:
    kind = entry.external_attr >> 16
    if kind and not stat.S_ISREG(kind) and stat.S_IFMT(kind):
        raise Refused("ungradable", f"{name} in the archive is not a regular file")


def _bounded(name: str, data: bytes) -> bytes:
    """A file's content without the mark with which some editors begin a UTF-8 file."""
    if len(data) > MAX_FILE:
        raise Refused("ungradable", f"{name} is larger than {MAX_FILE >> 20} MiB")
    return data.removeprefix(codecs.BOM_UTF8)
