"""Files of a folder of results: regular files alone are read, and each is written whole or not.

A link in such a folder would lead a write elsewhere, and a pipe would end a batch in an endless
wait. So :func:`plain` refuses the folder before anything runs, and every access here follows no
link and waits for nothing. What is written replaces its file in one step: a reader, or a crash,
sees the old text or the new one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lockui.portable import exclusive

# Windows has none of these.
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe would otherwise wait for its other end
_BINARY = getattr(os, "O_BINARY", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class ResultError(Exception):
    """A result, or its folder, cannot be read or kept; the message says why."""

    exit_code = 2


class IrregularError(OSError):
    """Neither a regular file nor, where one belongs, a folder.

    Attributes:
        kind: what it is, such as "a pipe".
    """

    def __init__(self, path: Path, mode: int) -> None:
        self.kind = _KINDS.get(stat.S_IFMT(mode), "an odd file")
        super().__init__(errno.EINVAL, f"it is {self.kind}\nhelp: remove it", str(path))


def plain(folder: Path) -> None:
    """Check that a folder of results and its folders hold regular files and folders alone.

    The folder itself may be a link: its name comes from the command line.

    Raises:
        ResultError: an entry is something else, or the folder cannot be read.
    """
    with reported(folder, "read"):
        inside = [entry.path for entry in _checked(folder) if entry.is_dir(follow_symlinks=False)]
    for path in inside:
        with reported(path, "read"):
            _checked(path)


def folder_of(path: Path, root: Path) -> None:
    """Make the folder of a file below another folder, if it is not there.

    Raises:
        IrregularError: it is a link. OSError: it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.parent != root and path.parent.is_symlink():
        raise IrregularError(path.parent, path.parent.lstat().st_mode)


def opened(path: Path) -> BinaryIO:
    """Open a regular file to read.

    Raises:
        FileNotFoundError: there is none. IrregularError: it is not a regular file.
        OSError: it cannot be read.
    """
    return os.fdopen(_descriptor(path, os.O_RDONLY), "rb")


def read(path: Path) -> str:
    """A file's text; "" if there is no file.

    Raises:
        IrregularError: it is not a regular file. OSError: it cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    try:
        with opened(path) as file:
            return file.read().decode()
    except FileNotFoundError:
        return ""


def replace(path: Path, text: str) -> None:
    """As :func:`write`; a file that has this text already stays as it is.

    Raises:
        OSError: as :func:`write`.
    """
    with contextlib.suppress(IrregularError, UnicodeDecodeError):
        if text == read(path) and text:
            return
    write(path, text)


def write(path: Path, text: str) -> None:
    """Write a file atomically; a link or a pipe of this name is replaced, not written to.

    Raises:
        OSError: it cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """As :func:`write`, for bytes."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    if _FOLDER:
        folder = os.open(path.parent, _FOLDER)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def reported(path: Path | str, done: str) -> Iterator[None]:
    """Report a file that cannot be read or written as a :class:`ResultError`.

    Arguments:
        path: of the file or folder. done: "read" or "written".
    """
    try:
        yield
    except IrregularError as error:
        raise ResultError(f"{error.filename} cannot be {done}: {error.strerror}") from error
    except OSError as error:
        raise ResultError(f"{path} cannot be {done}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ResultError(f"{path} cannot be {done}: it is not valid UTF-8") from error


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only writer of a student's folder, which is made if it is not there.

    Raises:
        IrregularError: the folder is a link or a file. OSError: it cannot be written.
    """
    with contextlib.suppress(FileExistsError):  # a file, or a link that leads nowhere
        folder.mkdir(parents=True, exist_ok=True)
    mode = folder.lstat().st_mode
    if not stat.S_ISDIR(mode):
        raise IrregularError(folder, mode)
    with os.fdopen(_descriptor(folder / ".lock", os.O_RDWR | os.O_CREAT), "r+b") as file:
        exclusive(file)  # released when the process ends
        yield


def _descriptor(path: Path, flags: int) -> int:
    try:
        found = os.open(path, flags | _NO_FOLLOW | _AT_ONCE | _BINARY, 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):  # a link, a pipe or a folder
            raise IrregularError(path, path.lstat().st_mode) from error
        raise
    mode = os.fstat(found).st_mode
    if not stat.S_ISREG(mode):
        os.close(found)
        raise IrregularError(path, mode)
    return found


def _checked(folder: Path | str) -> list[os.DirEntry[str]]:
    """The entries of a folder, which are all regular files or folders."""
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
            raise IrregularError(Path(entry.path), entry.stat(follow_symlinks=False).st_mode)
    return found
