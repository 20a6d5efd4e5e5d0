"""Operations on shared memory: what a program may ``yield``, and what it may call for free.

An :class:`Op` is inert data. The reference engine reads it when a generator yields it; the
compiler recognises the calls that make one in the program's syntax tree and never runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from locksim.lang.struct import Struct

_S = TypeVar("_S", bound="Struct")

NULL = 0
"""The pointer to nothing."""

PS, NS, US, MS = 1, 1_000, 1_000_000, 1_000_000_000
"""Picoseconds in a unit of time: ``compute(3 * US)``."""


class Order(IntEnum):
    """C11 memory orders (consume is left out, as compilers leave it out)."""

    RELAXED = 0
    ACQUIRE = 1
    RELEASE = 2
    ACQ_REL = 3
    SEQ_CST = 4


RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = Order


class Kind(IntEnum):
    """What an operation does. The numbers are part of the bytecode and of traces."""

    LOAD = 1
    STORE = 2
    SWAP = 3
    COMPARE_SWAP = 4
    FETCH_ADD = 5
    FETCH_AND = 6
    FETCH_OR = 7
    FETCH_XOR = 8
    FENCE = 9
    PAUSE = 10
    COMPUTE = 11
    BLOCK = 12
    WAKE = 13
    ALLOC = 14
    FREE = 15
    MARK = 16
    SWITCH = 17
    TIMER = 18


class Mark(IntEnum):
    """Points in a program that the meters watch. They take no time."""

    ACQUIRE_START = 1
    ACQUIRED = 2
    RELEASED = 3
    TRY_FAILED = 4
    READ_START = 5
    READ_ACQUIRED = 6
    READ_RELEASED = 7
    READ_TRY_FAILED = 8
    DONE = 9
    NOTE = 10
    DOORWAY = 11


class Op(NamedTuple):
    """One operation.

    Arguments:
        kind: what to do.
        address: word index in simulated memory (0 where there is none); a mark's subject.
        a: value to store, swap or add; expected value; picoseconds; CPU; thread; mark number.
        b: desired value of a compare-and-swap.
        order: C11 memory order.
        wrap: turns the raw 64-bit result into what the program sees (a typed pointer).
        target: for alloc, what to allocate.
    """

    kind: Kind
    address: int = 0
    a: int = 0
    b: int = 0
    order: Order = SEQ_CST
    wrap: Callable[[int], Any] | None = None
    target: type[Struct] | None = None


def fence(order: Order = SEQ_CST) -> Op:
    """A memory fence. Only SEQ_CST costs time: it waits until the store buffer is empty."""
    return Op(Kind.FENCE, order=order)


def pause() -> Op:
    """The spin-wait hint (x86 ``pause``, ia64 ``hint @pause``)."""
    return Op(Kind.PAUSE)


def compute(duration_ps: int) -> Op:
    """Work that touches no shared memory, in picoseconds: ``compute(250 * NS)``."""
    return Op(Kind.COMPUTE, a=int(duration_ps))


def block() -> Op:
    """Stop the CPU until another one wakes it (``hlt``); go on at once if a wake-up is pending."""
    return Op(Kind.BLOCK)


def wake(cpu_number: int) -> Op:
    """Wake a CPU, or leave it one permit that its next ``block`` takes."""
    return Op(Kind.WAKE, a=int(cpu_number))


def switch(thread_number: int) -> Op:
    """Put the running thread aside and let another one run on this CPU.

    The thread that was put aside continues after its ``switch`` when another thread switches to it.
    Switching to the running thread does nothing.
    """
    return Op(Kind.SWITCH, a=int(thread_number))


def timer(time_ps: int) -> Op:
    """Set the CPU's timer: from then on a task that runs there loses the CPU. 0 switches it off.

    A task is put aside before its next operation, and a ``compute`` ends early; the rest of it
    follows when the task runs again. The CPU goes on with its own thread, behind the ``switch``
    that put that one aside, and the timer is off. A CPU's own thread is never interrupted.
    """
    return Op(Kind.TIMER, a=int(time_ps))


def alloc(target: type[Struct]) -> Op:
    """Allocate a zeroed struct on lines of its own; gives a pointer, NULL if memory is out."""
    return Op(Kind.ALLOC, target=target)


def free(pointer: Struct | int) -> Op:
    """Give an allocated struct back. Using it afterwards is an error that the engines report."""
    return Op(Kind.FREE, a=int(pointer))


def done() -> Op:
    """Mark the end of one unit of the workload (an iteration, a message, a transaction)."""
    return Op(Kind.MARK, a=int(Mark.DONE))


def doorway() -> Op:
    """Mark, in a lock's ``acquire``, that the thread has announced itself and begins to wait. Free.

    The checker's ``bypass`` counts who overtakes a thread from there on.
    """
    return Op(Kind.MARK, a=int(Mark.DOORWAY))


def note(value: int) -> Op:
    """Put a number of the program's own into the trace, at no cost."""
    return Op(Kind.MARK, address=int(value), a=int(Mark.NOTE))


class Context(Protocol):
    """What the engine that drives a generator knows about the running thread."""

    def cpu(self) -> int:
        """Number of the CPU that the thread runs on."""
        ...

    def thread(self) -> int:
        """The thread's number."""
        ...

    def node(self) -> int:
        """Number of the NUMA node of that CPU."""
        ...

    def n_cpus(self) -> int:
        """CPUs that take part."""
        ...

    def n_threads(self) -> int:
        """Threads that there are, running and put aside."""
        ...

    def now(self) -> int:
        """The time in picoseconds."""
        ...

    def random(self) -> int:
        """The next 64 random bits of the thread's stream."""
        ...

    def view(self, target: type[Any], address: int) -> Any:
        """The struct of a class that lies at a word address."""
        ...


class _Running:
    context: Context | None = None


def set_context(context: Context | None) -> None:
    """Tell the free functions below which thread runs now (the reference engine calls this)."""
    _Running.context = context


def _context() -> Context:
    if _Running.context is None:
        raise RuntimeError(
            "cpu(), thread(), node(), n_cpus(), n_threads(), now() and random_*() work only in "
            "a running program"
        )
    return _Running.context


def cpu() -> int:
    """The number of the CPU that runs this thread now; a ``switch`` may change it. Free."""
    return _context().cpu()


def thread() -> int:
    """The number of this thread. Free."""
    return _context().thread()


def node() -> int:
    """The number of the NUMA node of the CPU that runs this thread now, from 0. Free."""
    return _context().node()


def n_cpus() -> int:
    """The number of CPUs that take part. Free."""
    return _context().n_cpus()


def n_threads() -> int:
    """The number of threads: one for each CPU, and the workload's ``tasks``. Free."""
    return _context().n_threads()


def now() -> int:
    """The time in picoseconds: when the operation before was over (a time stamp counter). Free."""
    return _context().now()


def random_below(n: int) -> int:
    """A number in 0 … n-1 from the thread's own counter-based stream. Free.

    Raises:
        ValueError: n is not positive.
    """
    from locksim.lang.randomness import below

    return below(_context().random(), int(n))


def random_exponential(mean: int) -> int:
    """A number with an exponential distribution and this mean, rounded down. Free.

    Raises:
        ValueError: mean is not positive.
    """
    from locksim.lang.randomness import exponential

    return exponential(_context().random(), int(mean))


def cast(target: type[_S], value: int) -> _S:
    """Read a plain number as a pointer to a struct (for pointers packed with other bits). Free."""
    view: _S = _context().view(target, int(value))
    return view
