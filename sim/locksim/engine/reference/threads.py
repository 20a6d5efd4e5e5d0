"""Threads in the reference engine: programs that a CPU runs, suspends and resumes."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from locksim.core.places import Place, place_of
from locksim.lang.ops import Op
from locksim.lang.randomness import draw

if TYPE_CHECKING:
    from locksim.engine.reference.core import Core
    from locksim.engine.reference.engine import Engine


class Thread:
    """A thread, and the context of its program (a ``Context``).

    Arguments:
        stream: number of its random stream.
        program: its generator; None before its first run.
        core: the core that runs it, or ran it to its end; None while it is suspended.
        returned: whether its program has returned.
        acquiring: number of its unfinished acquisitions.
        stops: number of its pauses, blocks and suspensions.
        held: the operation before which the timer put it aside.
        rest_ps: what is left of a computation that the timer has ended early.
        watched: for livelocks, the last word read, and the place of the read.
    """

    def __init__(self, engine: Engine, number: int) -> None:
        self.engine, self.number = engine, number
        places = engine.tables.starting_places
        self.stream = places[number] if number < len(places) else number
        self.program: Generator[Op, Any, Any] | None = None
        self.core: Core | None = None
        self.returned = False
        self.draws = 0
        self.acquiring = 0
        self.stops = 0
        self.held: Op | None = None
        self.rest_ps = 0
        self.watched: tuple[int, Place] | None = None

    def take_up(self, core: Core) -> int | None:
        """Run on a core from now on; the value to send to the program."""
        self.core = core
        if self.program is not None:
            return 0
        root = self.engine.memory.root
        pinned = self.number < self.engine.tables.n_cpus
        self.program = root.thread() if pinned else root.task()  # type: ignore[attr-defined]
        return None

    def put_aside(self) -> None:
        """Suspend the thread."""
        self.core = None
        self.stops += 1

    def place(self) -> Place:
        """The present place in the program."""
        return place_of(self.program)

    # The program's context

    def cpu(self) -> int:
        """The CPU that runs the thread."""
        assert self.core is not None
        return self.core.cpu

    def thread(self) -> int:
        """The thread's number."""
        return self.number

    def node(self) -> int:
        """The node of that CPU."""
        return self.engine.tables.node_of[self.cpu()]

    def n_cpus(self) -> int:
        """Number of CPUs of the run."""
        return self.engine.tables.n_cpus

    def n_threads(self) -> int:
        """Number of threads."""
        return len(self.engine.threads)

    def now(self) -> int:
        """The time in picoseconds."""
        return self.engine.now

    def random(self) -> int:
        """The next bits of the thread's stream."""
        bits = draw(self.engine.seed, self.stream, self.draws)
        self.draws += 1
        return int(bits)

    def view(self, target: type[Any], address: int) -> Any:
        """The struct of a class at an address."""
        return self.engine.memory.space.view(target, address)
