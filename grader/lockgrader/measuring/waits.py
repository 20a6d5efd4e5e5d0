"""How a lock waits: the algorithm that a handout asks for, recognised by what it does.

The lock runs on many CPUs with long critical sections, so that all of them wait, and each
acquisition is judged by its operations (:mod:`lockgrader.measuring.acquisitions`). Each demand of a
lab is one question; :class:`Waits` lists them, and ``_DEMANDS`` answers them.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.lab.placed import Placed

if TYPE_CHECKING:
    from lockgrader.measuring.acquisitions import Acquisition, Step
    from locksim.lang.struct import Struct

__all__ = ["Waits", "wrong_wait"]

OWN_SHARE, OWN_LINES = 0.4, 0.9
"""Of the times that a CPU waits: on one line of its own, and on any. Two in turn are right."""
FEW, LONGER = 3, 8
"""CPUs of the run with which the pauses are compared, as many as the threads of a large proof; and
how many times longer they hold the lock, so that each waits long enough."""
OTHER = "another-algorithm"
Wrong = tuple[str, str]
NOTHING: Wrong = "", ""


Demand = Literal[
    "tests-first",
    "retries",
    "one-word",
    "one-atomic",
    "same-word",
    "own-line",
    "first-come",
    "steady",
]


class Waits(Placed):
    """How a lock must wait, as seen in a simulation.

    Arguments:
        demands: "tests-first": an atomic is tried again only after a read that found the lock free;
            "retries": several try for a lock that becomes free, so that some try again;
            "one-word": there is a word that each acquisition takes by an atomic operation, which
            found the same value each time, and for which alone it waits, as under test-and-set;
            "one-atomic": an acquisition makes one atomic operation at most;
            "same-word": all wait on one word and on no other, as under a ticket lock;
            "own-line": each CPU waits for its turn on a line on which no other one does;
            "first-come": the CPUs get the lock in the order in which they came;
            "steady": a waiter pauses between two reads as it does where three CPUs use the lock.
        machine: a profile. cpus, hold_ns: as many wait while one holds the lock for so long. What
            begins with a higher CPU, or with more waiters, is not seen.
    """

    demands: Annotated[tuple[Demand, ...], Field(min_length=1)]
    cpus: Annotated[int, Field(ge=2, le=64)] = 8
    hold_ns: Annotated[int, Field(ge=100, le=100_000)] = 5_000


@dataclass(frozen=True)
class _Run:
    """A run of a lock, and what its demands ask of.

    Arguments:
        seen: its acquisitions. lock: its description. waits: what is asked, and with which load.
    """

    seen: Sequence[Acquisition]
    lock: Struct
    waits: Waits

    @functools.cached_property
    def ended(self) -> list[Acquisition]:
        """Those that got the lock."""
        return [one for one in self.seen if one.ended]

    @functools.cached_property
    def words_per_line(self) -> int:
        """Words of a cache line of the machine."""
        from locksim import machine as machines

        return machines.load(self.waits.machine).tables(self.waits.cpus, "compact").words_per_line


def wrong_wait(name: str, lock: Struct, waits: Waits) -> Wrong:
    """What is wrong with the way in which a lock waits, and one word for it; "" if nothing is.

    Arguments:
        name: of the lock, for the message. lock: its description. waits: what is asked.
    """
    from lockgrader.measuring.acquisitions import acquisitions

    seen = acquisitions(lock, waits.machine, waits.cpus, waits.hold_ns)
    run = _Run(seen, lock, waits)
    for demand in waits.demands:
        says, tag = _DEMANDS[demand](run)
        if says:
            return f"{name}.acquire(), with {waits.cpus} CPUs of {waits.machine}: {says}", tag
    return NOTHING


def _tests_first(run: _Run) -> Wrong:
    """The lock's word is tried again only after a load that found it free."""
    from lockgrader.measuring.acquisitions import ATOMICS
    from locksim.lang.ops import Kind

    tried = {one.cpu: one.atomics()[-1:] for one in run.ended}
    for word in _deciding(run) or {word for words in tried.values() for word in words}:
        own = [[(k, v) for k, at, v in one.steps if at == word] for one in run.seen]
        ends = [one for one, acquisition in zip(own, run.seen, strict=True) if acquisition.ended]
        free = {next((v for k, v in reversed(one) if k in ATOMICS), None) for one in ends}
        for one in own:
            tries = [k for k, (kind, _) in enumerate(one) if kind in ATOMICS]
            if any(one[k - 1][0] != Kind.LOAD or one[k - 1][1] not in free for k in tries[1:]):
                says = "it tries an atomic operation again, and has not read that the lock is free"
                return says, "spins-by-writing"
    return NOTHING


def _retries(run: _Run) -> Wrong:
    """Waiters read the lock, and several try for it when it is free."""
    if any(one.reread() for one in run.seen) and any(_lost(one.steps) for one in run.seen):
        return NOTHING
    says = "it never tries again: all waiters must read the lock, and try when it is free"
    return says, OTHER


def _lost(steps: Sequence[Step]) -> bool:
    """Whether an atomic operation on a word is tried again."""
    from lockgrader.measuring.acquisitions import ATOMICS

    tries = Counter(word for kind, word, _ in steps if kind in ATOMICS)
    return max(tries.values(), default=0) > 1


def _one_word(run: _Run) -> Wrong:
    """All CPUs try for one word, and who finds it free by an atomic operation has the lock."""
    if not _deciding(run):
        says = (
            "there is no single word that every CPU tries to take by an atomic operation, finds "
            "free in the same way, and waits for"
        )
        return says, OTHER
    return NOTHING


def _deciding(run: _Run) -> set[int]:
    """The words of which each may be the whole lock."""
    return {word for word in _tried_by_all(run.ended) if _decides(word, run)}


def _tried_by_all(ended: Sequence[Acquisition]) -> set[int]:
    """The words on which each acquisition uses an atomic."""
    return set.intersection(*(set(one.atomics()) for one in ended))


def _decides(word: int, run: _Run) -> bool:
    """Whether a lock is this word: taken by an atomic that found one value, and lost by others."""
    from lockgrader.measuring.acquisitions import ATOMICS

    if any(at != word for one in run.seen for _, at in one.changes):
        return False
    free = set()
    for one in run.ended:
        last = max(k for k, s in enumerate(one.steps) if s[1] == word and s[0] in ATOMICS)
        if any(step > last for step, _ in one.changes):
            return False
        free.add(one.steps[last][2])
    return len(free) == 1 and any(one.atomics().count(word) > 1 for one in run.seen)


def _one_atomic(run: _Run) -> Wrong:
    """An acquisition makes one atomic operation."""
    if any(len(one.atomics()) > 1 for one in run.seen):
        return "it makes several atomic operations; the algorithm needs one", OTHER
    return NOTHING


def _same_word(run: _Run) -> Wrong:
    """All wait on one word, and on no other."""
    polled = {word for one in run.seen for _, word in one.changes}
    if len(polled) == 1 and 2 * sum(map(bool, (one.changes for one in run.ended))) > len(run.ended):
        return NOTHING
    says = f"the waiters wait on {len(polled)} words; under this algorithm all wait on one"
    return says, OTHER


def _own_line(run: _Run) -> Wrong:
    """Each CPU waits for its turn on one line, on which no other CPU waits."""
    turns: dict[int, Counter[int]] = {}
    users: dict[int, set[int]] = {}
    for one in run.seen:
        if one.turn is not None and one.ended:
            turns.setdefault(one.cpu, Counter())[one.turn // run.words_per_line] += 1
        for _, word in one.changes:
            users.setdefault(word // run.words_per_line, set()).add(one.cpu)
        again = _lost(one.steps[one.changes[-1][0] :]) if one.changes else False
        if again:
            return f"CPU {one.cpu} tries an atomic operation again after its turn has come", OTHER
    if 2 * len(turns) < min(run.waits.cpus, len(run.ended)):
        return f"only {len(turns)} of {run.waits.cpus} CPUs wait by reading", OTHER
    for cpu, lines in turns.items():
        own = [times for line, times in lines.items() if users[line] == {cpu}]
        if sum(own) < OWN_LINES * lines.total():
            most = max(len(users[line]) for line in lines)
            says = f"{most} CPUs wait for their turn on one line; each must have a line of its own"
            return says, OTHER
        if max(own) < OWN_SHARE * lines.total():
            says = f"CPU {cpu} waits on {len(lines)} lines, one after the other; it must have one"
            return says, OTHER
    return NOTHING


def _first_come(run: _Run) -> Wrong:
    """The CPUs queue up at once, and get the lock in the order in which they did."""
    if not any(_in_order(word, run.seen) for word in _tried_by_all(run.ended)):
        says = "the CPUs do not queue up at once, and get the lock in the order in which they came"
        return says, "bypass"
    return NOTHING


def _in_order(word: int, seen: Sequence[Acquisition]) -> bool:
    """Whether the order of the atomics on a word is that of the ends; the waiting come last."""
    ended = [one.queued(word) for one in seen if one.ended]
    waiting = [place for one in seen if not one.ended and (place := one.queued(word)) is not None]
    known = [place for place in ended if place is not None]
    first = min(waiting, default=known[-1] + 1 if known else 0)
    return len(known) == len(ended) and sorted(known) == known and known[-1] < first


def _steady(run: _Run) -> Wrong:
    """A waiter pauses between two reads as it does where few CPUs wait."""
    from lockgrader.measuring.acquisitions import acquisitions

    small = acquisitions(run.lock, run.waits.machine, FEW, LONGER * run.waits.hold_ns)
    usual = set.union(set(), *(one.pauses() for one in small))
    for one in run.seen:
        for pauses, time_ps, _ in sorted(one.pauses() - usual):
            how = f"compute() of {time_ps / 1e3:,.0f} ns" if time_ps else f"{4 * pauses} pauses"
            says = (
                f"CPU {one.cpu} waits with {how} between two reads, as no CPU does where {FEW} use "
                "the lock\nhelp: leave the back-off out: pause equally long on each CPU, however "
                "many wait"
            )
            return says, "backs-off"
    return NOTHING


_DEMANDS: dict[str, Callable[[_Run], Wrong]] = {
    "tests-first": _tests_first,
    "retries": _retries,
    "one-word": _one_word,
    "one-atomic": _one_atomic,
    "same-word": _same_word,
    "own-line": _own_line,
    "first-come": _first_come,
    "steady": _steady,
}
