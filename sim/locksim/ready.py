"""Whether compiled code is at hand, and who makes it: nobody yet, another process, or this one.

To compile an engine takes twenty seconds. A short simulation or a small proof takes one without
compiled code, so it runs as plain Python at once, and another process compiles meanwhile. A process
counts what it has run as plain Python (:class:`Choice`). It loads compiled code when that has taken
as long as loading does; where nothing is compiled yet, it goes on longer. Then the problem is not
small, and compiled code is waited for or made.

Another process is started only where a person watches and the result can be kept: stderr is a
terminal, ``CI`` is not set, and some folder can be written. At most one runs at a time, it gives
way to everything else, and it ends by itself. Of a killed one nothing stays but unused files, since
numba renames what it has written, and the system takes back its lock.

A file names the sources and the numba of which a part has been compiled (:func:`is_ready`). So
numba is imported, for almost a second, only where compiled code is used.
"""

from __future__ import annotations

import importlib.metadata
import logging
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from locksim import jit
from lockui.portable import exclusive

_LOG = logging.getLogger(__name__)
"""Messages to the user. Nobody has to set logging up: Python prints warnings on stderr."""
_LONGEST_S = 900
"""Time after which a background process ends in any case."""


@dataclass(frozen=True)
class Part:
    """Something that is compiled as a whole.

    Arguments:
        name: of its files. noun: what messages call it.
        module: makes it; its ``warm(name)`` compiles all of it, or loads what is on disk.
        sources: every file whose functions and numbers are compiled in.
        seconds: how much processor time that takes, about.
    """

    name: str
    noun: str
    module: str
    sources: tuple[str, ...]
    seconds: int

    @property
    def loaded(self) -> bool:
        """Whether this process has imported what is compiled."""
        return self.module in sys.modules


class Choice:
    """Whether a process goes on without compiled code. Work is counted in units of the caller's.

    Arguments:
        part: what would be compiled.
        few: units that take as long as to load it. many: units to do at most where it is not ready.
    """

    unlimited = sys.maxsize
    """What is left where nothing can be compiled."""

    def __init__(self, part: Part, few: int, many: int) -> None:
        self.part, self.few, self.many, self.done = part, few, many, 0
        self.made = False

    def left(self) -> int:
        """Units that may be done as plain Python; 0: take compiled code."""
        if not jit.enabled():
            return self.unlimited
        if self.part.loaded:
            return 0
        if is_ready(self.part):
            return max(0, self.few - self.done)
        begin(self.part)
        return max(0, self.many - self.done)

    def spend(self, units: int) -> None:
        """Note what was done as plain Python."""
        self.done += units

    def load(self) -> Any:
        """The module with compiled code; where that is not ready, it is made or waited for."""
        if not self.made:
            make(self.part)
            self.made = True
        return sys.modules.get(self.part.module) or importlib.import_module(self.part.module)


def is_ready(part: Part) -> bool:
    """Whether a part has been compiled, from the sources and for the numba of today."""
    kept = jit.folder()
    with suppress(OSError):
        return kept is not None and _marker(kept, part).read_text("utf-8") == _stamp(part)
    return False


def make(part: Part) -> None:
    """Compile a part, or wait for the process that is compiling it; says which, and how long.

    Workers of a pool say nothing.
    """
    kept = jit.folder()
    tell = multiprocessing.parent_process() is None
    if kept is None:
        if tell:
            _LOG.warning(
                "compiling %s, about %d s; it cannot be kept: set NUMBA_CACHE_DIR to a folder that "
                "you may write to",
                *(part.noun, part.seconds),
            )
        importlib.import_module(part.module).warm(part.name)
        return
    if is_ready(part):
        return
    if tell and _busy(kept):
        _LOG.warning(
            "waiting for %s, which another process compiles, about %d s", part.noun, part.seconds
        )
    elif tell:
        _LOG.warning("compiling %s once, about %d s", part.noun, part.seconds)
    with suppress(OSError):
        kept.mkdir(parents=True, exist_ok=True)
    with jit.alone(_lock_file(kept)):
        if not is_ready(part):
            importlib.import_module(part.module).warm(part.name)
            with suppress(OSError):
                _write(_marker(kept, part), _stamp(part))


def begin(part: Part) -> None:
    """Let another process compile a part, if a person watches and no process compiles already."""
    kept = jit.folder()
    if part in _begun or kept is None or not _watched(os.environ) or _busy(kept):
        return
    _begun.add(part)
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, part.name, part.module],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C and a closed terminal do not end it
        )
    except OSError:
        return
    # A process that has ended stays as a zombie until its parent has asked for its exit code.
    threading.Thread(target=process.wait, daemon=True).start()
    _LOG.warning("compiling %s once, about %d s, in the background", part.noun, part.seconds)


_begun: set[Part] = set()
"""What another process was started for."""


def _watched(environment: Mapping[str, str]) -> bool:
    """Whether a person sees what this process says, and may come back."""
    if environment.get("CI") or multiprocessing.parent_process() is not None:
        return False
    return _on_terminal()


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _marker(kept: Path, part: Part) -> Path:
    major, minor = sys.version_info[:2]
    return kept / f"locklab-{part.name}.py{major}{minor}.ready"


@cache
def _stamp(part: Part) -> str:
    """What a part is compiled from."""
    return f"{jit.digest(part.sources)} {importlib.metadata.version('numba')}\n"


def _write(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(text, "utf-8")
    new.replace(path)


def _lock_file(kept: Path) -> Path:
    return kept / "locklab-compiling.lock"


def _busy(kept: Path) -> bool:
    """Whether a process compiles."""
    try:
        with _lock_file(kept).open("ab") as file:
            exclusive(file, wait=False)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


def _background(name: str, module: str) -> None:
    """Compile a part, and give way to everything else."""
    import gc
    import signal

    gc.disable()  # numba's trees are garbage only at the end, when this process is

    if hasattr(signal, "alarm"):
        signal.alarm(_LONGEST_S)
    if hasattr(os, "nice"):
        os.nice(15)
    parts: tuple[Any, ...] = importlib.import_module(module).PARTS
    # The one of the package, not of this program: it knows the same classes.
    again = importlib.import_module("locksim.ready")
    again.make(next(part for part in parts if part.name == name))


if __name__ == "__main__":
    _background(*sys.argv[1:])
