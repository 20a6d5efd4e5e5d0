"""What Unix has and other systems lack: one place that knows, and what happens without it.

Simulator, checker and labs in the language run everywhere. Labs in C, the sandbox and measurements
need Linux.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from importlib.util import find_spec
from typing import IO, Any, Literal

__all__ = ["LINUX", "UNIX", "can_fork", "exclusive", "limit", "minimal", "python", "start_method"]

UNIX = all(find_spec(name) is not None for name in ("fcntl", "resource", "termios"))
LINUX = UNIX and sys.platform == "linux"


def can_fork() -> bool:
    """Whether a process can be copied."""
    return UNIX and hasattr(os, "fork")


def start_method() -> Literal["forkserver", "spawn"]:
    """Return the quickest way to start a process from one with threads."""
    known = multiprocessing.get_all_start_methods()
    return "forkserver" if can_fork() and "forkserver" in known else "spawn"


def exclusive(file: IO[Any]) -> None:
    """Wait until no other process holds a file, and hold it until it is closed.

    Raises:
        OSError: the file system has no locks.
    """
    if UNIX:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
    elif find_spec("msvcrt") is not None:
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]


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
