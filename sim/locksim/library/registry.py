"""The names of locks, caches, schedulers and workloads, and the classes behind them.

A lock's name is its module's name: ``ticket`` is ``locksim/library/locks/ticket.py``, and the
first entry of that module's ``__all__`` is its class. There is no list to keep. A user's own file
is named with its class: ``my_lock.py:MyLock``.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from locksim.lang.struct import Struct, Workload
from locksim.library.schedulers.interface import Scheduler
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from locksim.compiler.ir import ClassCode

PACKAGES: dict[str, tuple[str, type[Struct]]] = {
    "locksim.library.locks": ("lock", Struct),
    "locksim.library.avc": ("cache", Struct),
    "locksim.library.schedulers": ("scheduler", Scheduler),
}
"""Where the library's classes are, what they are called, and what they are derived from."""
UNLISTED: dict[str, tuple[str, type[Struct]]] = {"locksim.library.kernel": ("kernel path", Struct)}
"""The same for what has a name but is not among :func:`entries`: some kernel paths are no more than
parts of others."""


class UnknownNameError(Exception):
    """A name that stands for no lock; the message offers near ones."""

    exit_code = 2


@dataclass(frozen=True)
class Entry:
    """A lock, a cache or a scheduler.

    Arguments:
        name: what users write. kind: "lock", "cache" or "scheduler". struct: its class.
        code: its bytecode, if the class exists only as parsed text; None for the library's.
    """

    name: str
    kind: str
    struct: type[Struct]
    code: ClassCode | None = None

    @property
    def summary(self) -> str:
        """The first line of the class's docstring."""
        lines = (self.struct.__doc__ or "").strip().splitlines()
        return lines[0] if lines else ""

    def compiled(self) -> ClassCode:
        """The class's bytecode.

        Raises:
            CompileError: it is outside the language.
        """
        from locksim.compiler.frontend import compile_class

        return self.code or compile_class(self.struct)


def entries() -> list[Entry]:
    """Everything in the library in the order of the names: locks, then caches, then schedulers."""
    return [entry for found in _modules(PACKAGES) if (entry := _entry(*found)) is not None]


def resolve(name: str) -> Entry:
    """The lock, cache or scheduler that a name stands for.

    Arguments:
        name: a module's name (``ticket``), or a file and a class (``my_lock.py:MyLock``; without
            ``:MyLock`` the file's last class).
            A file is parsed, never run.

    Raises:
        UnknownNameError: there is no such lock, file or class.
        CompileError: the file is outside the language.
    """
    file, _, cls = name.partition(":")
    text = text_of(name)
    if text is not None:
        return from_text(text, file, cls)
    known = {found[0].rpartition(".")[2]: found for found in _modules(UNLISTED | PACKAGES)}
    entry = _entry(*known[name]) if name in known else None
    if entry is None:
        hint = did_you_mean(name, [e.name for e in entries()])
        raise UnknownNameError(f"unknown lock, cache or scheduler '{name}'; {hint}")
    return entry


def text_of(name: str) -> str | None:
    """The text of the file that a name names; None for a name of the library.

    Raises:
        UnknownNameError: the file cannot be read.
    """
    file, colon, _ = name.partition(":")
    if not colon and not file.endswith(".py"):
        return None
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        reason = getattr(e, "strerror", None) or "it is no UTF-8 text"
        raise UnknownNameError(f"{file} cannot be read: {reason}; give the path of a file") from e


def workload(name: str) -> type[Workload]:
    """The workload that a name stands for: the first class of a module of ``library.workloads``.

    Raises:
        UnknownNameError: there is no such workload.
    """
    paths = importlib.import_module("locksim.library.workloads").__path__
    names = [m.name for m in pkgutil.iter_modules(paths)]
    found = None
    if name in names:
        module = importlib.import_module(f"locksim.library.workloads.{name}")
        found = getattr(module, getattr(module, "__all__", [""])[0], None)
    if not (isinstance(found, type) and issubclass(found, Workload)):
        raise UnknownNameError(f"unknown workload '{name}'; {did_you_mean(name, names)}")
    return found


def specifications() -> dict[str, type[Struct]]:
    """The specifications of the library (``library.specs``), by the names of their classes."""
    folder = importlib.import_module("locksim.library.specs")
    modules = [
        importlib.import_module(f"{folder.__name__}.{m.name}")
        for m in pkgutil.iter_modules(folder.__path__)
    ]
    return {name: getattr(module, name) for module in modules for name in module.__all__}


def specification(name: str) -> type[Struct]:
    """The specification that a name stands for: ``FIFO``, or ``FILE.py:CLASS``.

    Raises:
        UnknownNameError: there is none.
        CompileError: the file is outside the language.
    """
    file, _, cls = name.partition(":")
    text = text_of(name)
    if text is not None:
        return from_text(text, file, cls).struct
    known = specifications()
    if name not in known:
        hint = did_you_mean(name, known)
        raise UnknownNameError(f"unknown specification '{name}'; {hint}; or give FILE.py:CLASS")
    return known[name]


def essay(entry: Entry) -> str:
    """The text that opens the lock's file."""
    if entry.code is None:
        return (importlib.import_module(entry.struct.__module__).__doc__ or "").strip()
    return (ast.get_docstring(ast.parse(entry.code.source)) or "").strip()


def _modules(
    packages: dict[str, tuple[str, type[Struct]]],
) -> list[tuple[str, str, type[Struct]]]:
    found = []
    for package, (kind, base) in packages.items():
        paths = importlib.import_module(package).__path__
        names = sorted(m.name for m in pkgutil.iter_modules(paths) if not m.name.startswith("_"))
        found += [(f"{package}.{name}", kind, base) for name in names]
    return found


def _entry(module: str, kind: str, base: type[Struct]) -> Entry | None:
    """The entry of a module; None if it has no class of its own to offer."""
    loaded = importlib.import_module(module)
    names = getattr(loaded, "__all__", None)
    struct = getattr(loaded, names[0], None) if names else None
    if not (isinstance(struct, type) and issubclass(struct, base)):
        return None
    return Entry(module.rpartition(".")[2], kind, struct)


def from_text(text: str, file: str, name: str = "") -> Entry:
    """The class of a program's text. The text is parsed, never run.

    Arguments:
        file: for messages. name: the class; without one the last.

    Raises:
        UnknownNameError: there is no such class.
        CompileError: the text is outside the language.
    """
    from locksim.compiler.frontend import compile_source

    codes = compile_source(text, file)
    if not codes:
        raise UnknownNameError(f"{file} defines no class; write 'class MyLock(Lock):'")
    wanted = name or next(reversed(codes))
    if wanted not in codes:
        raise UnknownNameError(f"{file} has no class '{wanted}'; {did_you_mean(wanted, codes)}")
    code = codes[wanted]
    return Entry(f"{file}:{wanted}", "file", code.struct, code)
