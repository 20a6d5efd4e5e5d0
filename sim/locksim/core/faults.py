"""Faults of simulated programs: their kinds, and their messages for both engines.

An engine finds the fault and its place. The wording is here, so that both engines report a fault in
the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import PurePath


class Fault(IntEnum):
    """Kinds of fault. The fast engine's loop reports these numbers."""

    MEMORY = 1
    """A word outside every live object is used. Detail: the operation and the word."""
    FREE = 2
    """``free`` of a word that is not a live object's start. Detail: the word."""
    COMPUTE = 3
    """``compute`` of a negative time. Detail: the picoseconds."""
    INDEX = 4
    """An array's index is outside its range. Detail: the index."""
    DIVISION = 5
    """Division or modulo by zero. No detail."""
    SHIFT = 6
    """A shift by less than 0 or more than 63 bits. Detail: the number of bits."""
    RANDOM = 7
    """``random_below`` or ``random_exponential`` of less than 1. Detail: the argument."""
    ASSERTION = 8
    """An ``assert`` does not hold. No detail needed."""
    WAKE = 9
    """``wake`` of a CPU outside the run. Detail: its number."""
    PROGRAM = 10
    """The program itself is not valid (reference engine only). Detail: the reason."""
    SWITCH = 11
    """``switch`` to a thread that cannot continue here. Detail: :func:`switch_detail`."""


_TEXTS = {
    Fault.MEMORY: "use of memory outside every live object: {}",
    Fault.FREE: "free of {}, which is not the start of a live object",
    Fault.COMPUTE: "compute of a negative time: {} ps",
    Fault.INDEX: "an array's index is out of range: {}",
    Fault.DIVISION: "division by zero",
    Fault.SHIFT: "a shift by a number of bits outside 0..63: {}",
    Fault.RANDOM: "a random number needs a bound or mean of at least 1: {}",
    Fault.ASSERTION: "an assertion failed",
    Fault.WAKE: "wake of CPU {}, which is not part of the run",
    Fault.PROGRAM: "this is not a valid program: {}",
    Fault.SWITCH: "switch to thread {}",
}


def message(
    kind: Fault, cpu: int, time_ps: int, file: str, line: int, method: str, detail: str = ""
) -> str:
    """The text of a fault: CPU, time, place and cause.

    Arguments:
        kind: the kind of fault.
        cpu: number of the program's CPU.
        time_ps: simulated time in picoseconds.
        file: the source file; only its last part is shown. line: from 1. method: ``Class.method``.
        detail: the detail that :class:`Fault` names for the kind, or "".
    """
    where = f"{place(file, line)} in {method}"
    return f"CPU {cpu} at {microseconds(time_ps)}, {where}: {text(kind, detail)}"


def text(kind: Fault, detail: str = "") -> str:
    """The cause of a fault, without CPU, time and place."""
    found = _TEXTS[kind]
    if detail:
        return found.format(detail) if "{}" in found else f"{found}: {detail}"
    return found.replace(": {}", "").replace(" {}", "")


def of_exception(error: Exception) -> tuple[Fault, str]:
    """The fault and its detail for an exception that a program raised."""
    match error:
        case IndexError():
            return Fault.INDEX, str(error)
        case ZeroDivisionError():
            return Fault.DIVISION, ""
        case AssertionError():
            return Fault.ASSERTION, str(error)
        case ValueError() if str(error) == "negative shift count":  # Python's own
            return Fault.SHIFT, "a negative number"
        case ValueError() if str(error).startswith("shift count "):  # the interpreter's
            return Fault.SHIFT, str(error).removeprefix("shift count ")
        case ValueError() if str(error).startswith("random_"):
            return Fault.RANDOM, str(error)
    return Fault.PROGRAM, f"{type(error).__name__}: {error}"


def memory_detail(operation: str, address: int, words_per_line: int, name: str) -> str:
    """The detail of a memory fault.

    Arguments:
        operation: the operation as a noun: "load", "store", "compare_swap".
        address: the word. words_per_line: the machine's; NULL points to line 0.
        name: the word's name (:meth:`locksim.core.memory.Memory.name`).
    """
    if 0 <= address < words_per_line:
        return f"{operation} through a NULL pointer (word {address} of the struct)"
    return f"{operation} of {name}"


def switch_detail(
    number: int, cpu: int | None, *, returned: bool = False, timer: bool = False
) -> str:
    """The detail of a switch to a thread that cannot continue.

    Arguments:
        number: the thread's number. cpu: the CPU that runs it now, None for an unknown thread.
        returned: whether its program has returned.
        timer: whether the CPU's timer asks for it, and not the program.
    """
    if cpu is None:
        return f"{number}, which does not exist"
    why = "which has returned" if returned else f"which runs on CPU {cpu}"
    return f"{number}, {why}" + (", when the CPU's timer went off" if timer else "")


@dataclass(frozen=True, slots=True)
class Wait:
    """A thread that makes no progress.

    Arguments:
        thread, cpu: their numbers.
        file, line, method: its place.
        words: the words that it reads in a loop, as (name, value); None if it does not spin.
        sleeps: True if it is in ``block()``. None: it sleeps unless it spins.
    """

    thread: int
    cpu: int
    file: str
    line: int
    method: str
    words: Sequence[tuple[str, int]] | None = None
    sleeps: bool | None = None


Aside = Sequence[tuple[str, int, str] | None]
"""Places of suspended threads: file, line, method; None for a thread that has not run yet."""


def deadlock_message(waits: Sequence[Wait], aside: Aside, time_ps: int) -> str:
    """The text of a deadlock: no event is left, and these threads have not returned."""
    return _report(f"deadlock at {microseconds(time_ps)}: no thread can go on", waits, aside)


def livelock_message(waits: Sequence[Wait], aside: Aside, time_ps: int) -> str:
    """The text of a livelock: time passes, but these threads only wait."""
    return _report(f"livelock at {microseconds(time_ps)}: the threads only wait", waits, aside)


def microseconds(time_ps: int) -> str:
    """A time in microseconds, exact: ``12.345 µs``."""
    whole, rest = divmod(time_ps, 1_000_000)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".") + " µs"


def place(file: str, line: int) -> str:
    """A place in a source file, as in messages: ``ticket.py:31``; in a notebook ``cell:31``."""
    return f"{file_name(file)}:{line}"


def file_name(file: str) -> str:
    """The name of a source file in messages, as ``ticket.py``; for a notebook it is ``cell``."""
    path = PurePath(authors(file))
    # IPython stores a cell's text under a number in a separate folder.
    return "cell" if path.parent.name.startswith("ipykernel_") else path.name


def authors(file: str) -> str:
    """A file as its author knows it: a text that was compiled as ``<tas.py>`` is in ``tas.py``."""
    return file[1:-1] if file.startswith("<") and file.endswith(".py>") else file


def _report(head: str, waits: Sequence[Wait], aside: Aside) -> str:
    return "\n  ".join([head, *map(_wait, waits), *_aside(aside)])


def _aside(threads: Aside) -> list[str]:
    """One line for each place with suspended threads, in the order of the source."""
    lines = []
    for at, n in sorted(Counter(threads).items(), key=lambda item: item[0] or ()):
        many = "1 thread was" if n == 1 else f"{n} threads were"
        what = f"suspended at {place(at[0], at[1])} ({at[2]})" if at else "never run"
        lines.append(f"{many} {what}")
    return lines


def _wait(wait: Wait) -> str:
    if wait.words:
        words = " and ".join(f"{name} (={value})" for name, value in wait.words)
        does = f"spins on {words} at"
    elif wait.sleeps is False:
        does = "is at"
    else:
        does = "sleeps in block() at"
    where = f"{place(wait.file, wait.line)} ({wait.method})"
    return f"thread {wait.thread} on CPU {wait.cpu} {does} {where}"
