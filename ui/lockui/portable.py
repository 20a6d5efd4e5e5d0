"""What Unix has and other systems lack: one place that knows, and what happens without it.

Simulator, checker and labs in the language run everywhere. Labs in C, the sandbox and measurements
need Linux.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from types import FrameType
from typing import IO, Any, Literal

UNIX = all(find_spec(name) is not None for name in ("fcntl", "resource", "termios"))
LINUX = UNIX and sys.platform == "linux"
"""Also whether a process may be copied: macOS has ``fork``, but its system libraries do not."""
Keys = Callable[[], str]
"""What was pressed since the last call. ``str`` is one: it never has anything."""


def start_method(known: Literal["fork", "forkserver"]) -> Literal["fork", "forkserver", "spawn"]:
    """Return how to start a process: as on Linux, or elsewhere from nothing.

    Arguments:
        known: the quickest way that is safe for the caller where there is ``fork``.
    """
    return known if LINUX else "spawn"


def exclusive(file: IO[Any], *, wait: bool = True) -> None:
    """Wait until no other process holds a file, and hold it until it is closed.

    Raises:
        OSError: the file system has no locks; on Windows also after ten seconds of waiting.
        BlockingIOError: another process holds it, and ``wait`` is False.
    """
    if UNIX:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    elif find_spec("msvcrt") is not None:
        import msvcrt

        file.seek(0)
        try:
            mode = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined]
            msvcrt.locking(file.fileno(), mode, 1)  # type: ignore[attr-defined]
        except PermissionError as error:
            raise (error if wait else BlockingIOError(*error.args)) from None


@contextlib.contextmanager
def keys() -> Iterator[Keys]:
    """A function that returns what was pressed since its last call, and does not wait.

    It raises EOFError when the terminal is gone. Until the end of the block a terminal sends each
    key at once and does not echo it, also after the process was stopped and continued. From a pipe
    keys come until its end. A process in the background has no keys: they are the shell's.
    """
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or not a file
        yield str
        return
    if not UNIX:
        console = find_spec("msvcrt") is not None and os.isatty(descriptor)
        yield _console_keys if console else str
    elif not os.isatty(descriptor):
        yield _stream_keys(descriptor)
    elif os.tcgetpgrp(descriptor) != os.getpgrp():
        yield str
    else:
        with _each_key(descriptor):
            yield _stream_keys(descriptor)


def _stream_keys(descriptor: int) -> Keys:
    import select

    ended = False

    def pressed() -> str:
        nonlocal ended
        if ended or not select.select([descriptor], [], [], 0)[0]:
            return ""
        data = os.read(descriptor, 64)
        ended = not data
        if ended and os.isatty(descriptor):
            raise EOFError
        return data.decode(errors="replace")

    return pressed


def _console_keys() -> str:
    import msvcrt

    pressed = ""
    while msvcrt.kbhit():  # type: ignore[attr-defined]
        pressed += msvcrt.getwch()  # type: ignore[attr-defined]
    return pressed


@contextlib.contextmanager
def _each_key(descriptor: int) -> Iterator[None]:
    import termios
    import tty

    before = termios.tcgetattr(descriptor)

    def again(_number: int = 0, _frame: FrameType | None = None) -> None:
        tty.setcbreak(descriptor, termios.TCSANOW)

    continued = signal.signal(signal.SIGCONT, again)
    again()
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        signal.signal(signal.SIGCONT, continued)


def usable_cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limit(name: str, soft: int, hard: int | None = None) -> None:
    """Limit what this process may use, where the system can.

    Arguments:
        name: of the resource, such as ``RLIMIT_AS``. soft, hard: as for ``setrlimit``.
    """
    if UNIX:
        import resource

        number = getattr(resource, name)
        resource.setrlimit(number, (soft, soft if hard is None else hard))


def minimal() -> dict[str, str]:
    """Return the variables without which a process does not start here; none on Unix."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


def python() -> str:
    """Return the base interpreter, outside any virtual environment."""
    if UNIX:
        return os.path.join(sys.base_prefix, "bin", f"python3.{sys.version_info[1]}")
    return str(getattr(sys, "_base_executable", sys.executable))
