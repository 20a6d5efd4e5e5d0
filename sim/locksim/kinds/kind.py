"""What the rest of LockLab asks a kind of struct.

A kind is what a group of structs has in common: the methods of all reader-writer locks, say. Each
is described by one class in one file of this folder; see docs/contributing/adding-a-kind.md.
"""

from __future__ import annotations

from typing import Any, ClassVar

from locksim.core.client import Client
from locksim.kinds.load import LoadSettings
from locksim.lang.fields import param
from locksim.lang.struct import Struct, Workload

__all__ = ["StructKind", "offers", "resized"]

# What a handoff may take for each waiting CPU, generously, before it counts as stuck.
_HANDOFF_PS = 10 * 10**6
# What all handoffs together may take; a storm on hundreds of CPUs is slow, but not slower.
_STORM_PS = 10**13
# Units of work that the warm-up takes on each CPU (see `simulate`), ten times over.
_UNITS = 10 * 20


class StructKind:
    """A kind of struct: a subclass answers for the structs that are derived from its ``base``."""

    base: ClassVar[type[Struct]]
    """The class that structs of the kind are derived from."""
    methods: ClassVar[tuple[str, ...]] = ()
    """What a struct must have besides, for a kind that is recognised by its methods."""
    unit: ClassVar[str] = "critical sections"
    """What the units of work of its plain load are called, in the plural."""
    paced: ClassVar[bool] = True
    """Whether its plain load takes an arrival process."""
    part: ClassVar[str] = ""
    """The part of the test clients that holds the struct, if checks can begin after a load."""
    unchecked: ClassVar[str] = ""
    """Why some structs of the kind have no test clients, if others have."""

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """The load that ``locklab run`` and ``locklab sweep`` put on a struct of this kind.

        Raises:
            LoadError: the settings do not fit.
        """
        raise NotImplementedError(f"{type(self).__name__} needs plain_load()")

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """The loads under which the engines are compared; they reach all methods of the struct.

        Arguments:
            think_ps: mean time between two uses, in picoseconds.
        """
        raise NotImplementedError(f"{type(self).__name__} needs test_loads()")

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """The test clients that the checker explores; none if the kind has no such clients."""
        return []

    def endless_clients(self, struct: Struct | type[Struct]) -> list[Client]:
        """The test clients that never end, for properties of infinite runs; perhaps none."""
        return []

    def wearing(
        self, struct: Struct | type[Struct], rounds: int, on: tuple[int, ...], number: int
    ) -> Workload | None:
        """A load whose threads return, after which checks can begin; None if there is none.

        It holds the struct where the test clients do, in the part :attr:`part`.

        Arguments:
            struct: a class or a description. rounds: uses of a thread at most; each draws its own.
            on: the CPUs on which the check will go on.
            number: of the run; loads of different numbers may differ.
        """
        return None

    def worn_clients(self, struct: Struct | type[Struct], threads: int) -> list[Client]:
        """The test clients after such a load: as a rule those that begin with fresh memory."""
        return self.clients(struct, threads, 1)

    def livelock_limit_ps(self, cpus: int, settings: LoadSettings) -> int | None:
        """How long the plain load may take to warm up before it counts as a livelock, in ps.

        None if nothing is known about the load. Without a bound that suits the load, a lock that
        never admits a thread would spin for ten simulated seconds, which takes minutes. The warm-up
        takes 20 critical sections on each CPU; ten times that is granted, one after another, each
        with a handoff of 10 us per waiting CPU.
        """
        sections = _UNITS * cpus
        work_ps = sections * (settings.hold_ps + settings.think_ps)
        return work_ps + min(_STORM_PS, sections * cpus * _HANDOFF_PS)


def offers(struct: Struct | type[Struct], method: str) -> bool:
    """Whether a struct has a method, its own or an inherited one."""
    return callable(getattr(struct, method, None))


def resized(struct: Struct | type[Struct], **sizes: int) -> Struct:
    """The description with other sizes: those of its parameters that are named so; its rest stays.

    Arguments:
        struct: a class or a description. sizes: parameter → value; what it lacks is left out.
    """
    cls = struct if isinstance(struct, type) else type(struct)
    settings: dict[str, Any] = {} if isinstance(struct, type) else struct._params | struct._parts
    known = {name: n for name, n in sizes.items() if isinstance(cls.FIELDS.get(name), param)}
    return cls(**settings | known)


def surrounded(struct: Struct, part: str, by: type[Struct]) -> Struct:
    """The description with one of its parts inside another struct.

    Arguments:
        struct: a description. part: name of the part. by: what stands around it, and has it as its
            part of the same name.
    """
    settings: dict[str, Any] = struct._params | struct._parts
    return type(struct)(**settings | {part: by(**{part: struct._parts[part]})})
