"""The kinds of struct: what is particular to locks, reader-writer locks, RCU and so on.

Each kind is one file of this folder and found by discovery: nothing lists them. It names its base
class, its plain load, its test clients, its test loads and its words in messages
(:class:`~locksim.kinds.kind.StructKind`). :mod:`locksim.kinds.checking` checks any struct.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from dataclasses import dataclass

from locksim.kinds.kind import StructKind, offers
from locksim.kinds.load import ArrivalProcess, LoadError, LoadSettings
from locksim.lang.struct import Struct, Workload
from locksim.library.registry import resolve

__all__ = [
    "ArrivalProcess",
    "LoadError",
    "LoadSettings",
    "PlainLoad",
    "StructKind",
    "kind_of",
    "kinds",
    "load_of",
    "not_paced",
    "plain_load",
]


@dataclass(frozen=True, slots=True)
class PlainLoad:
    """A plain load on a struct: its kind, the workload, and the settings that it was made of."""

    kind: StructKind
    workload: Workload
    settings: LoadSettings

    def livelock_limit_ps(self, cpus: int) -> int | None:
        """How long the load may take to warm up on a number of CPUs, in ps; None if not known."""
        return self.kind.livelock_limit_ps(cpus, self.settings)


_USERS = ("checking", "replay_file")
"""Modules of this folder that use kinds and are not kinds; they import the whole checker."""


@functools.cache
def kinds() -> tuple[StructKind, ...]:
    """One object of each kind, in the order of their bases' names."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    names = [f"{__name__}.{name}" for name in found if name not in _USERS]
    things = [thing for name in names for thing in vars(importlib.import_module(name)).values()]
    classes = dict.fromkeys(thing for thing in things if isinstance(thing, type))
    objects = [cls() for cls in classes if issubclass(cls, StructKind) and cls is not StructKind]
    return tuple(sorted(objects, key=lambda kind: kind.base.__name__.lower()))


def kind_of(struct: Struct | type[Struct]) -> StructKind | None:
    """The kind of a struct, class or description: the one with the nearest base, if there is one.

    A base may stand for several kinds; then the struct's methods decide.
    """
    cls = struct if isinstance(struct, type) else type(struct)
    for base in cls.__mro__:
        for kind in kinds():
            if kind.base is base and all(offers(cls, method) for method in kind.methods):
                return kind
    return None


def plain_load(name: str, settings: LoadSettings | None = None) -> PlainLoad:
    """The plain load for a lock, cache or scheduler.

    Arguments:
        name: of the library, or ``FILE.py:CLASS``; a ``Workload`` is run as it is.
        settings: of the load.

    Raises:
        UnknownNameError, CompileError: see :func:`locksim.library.registry.resolve`.
        LoadError: no plain load fits, or the settings do not.
    """
    return load_of(resolve(name).struct, name, settings or LoadSettings())


def load_of(struct: type[Struct], name: str, settings: LoadSettings) -> PlainLoad:
    """The plain load for a class.

    Arguments:
        struct: the class. name: what messages call it. settings: of the load.

    Raises:
        LoadError: no plain load fits, or the settings do not.
    """
    kind = kind_of(struct)
    if kind is None:
        bases = [kind.base.__name__ for kind in kinds() if kind.base is not Struct]
        methods = [f"{method}()" for kind in kinds() for method in kind.methods]
        raise LoadError(
            f"{name} has no plain load: it is not a {', '.join(bases)}, "
            f"and has no {' or '.join(methods)}: "
            "write a Workload for it, and name the Workload: FILE.py:CLASS"
        )
    if not kind.paced and settings.arrivals != ArrivalProcess():
        raise not_paced(name)
    return PlainLoad(kind, kind.plain_load(struct, settings), settings)


def not_paced(name: str) -> LoadError:
    """Return what to raise where a struct without an arrival process is given one."""
    return LoadError(
        f"{name}: --arrivals, --burst and distributions of --hold and --think are for locks "
        "only; the load of a decision cache or scheduler has its own\nhelp: leave them out"
    )
