"""The checker on a lock of any kind: the lock's kind has the test clients."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

from locksim.checker.check import Progress, check_clients, dealt, expecting
from locksim.checker.client import Client, chosen
from locksim.checker.errors import CheckError
from locksim.checker.models.model import model
from locksim.checker.play.walk import Walk
from locksim.checker.question import Keywords, Question, with_keywords
from locksim.checker.sample import Sampling, sample_clients
from locksim.checker.verdict import UNBOUNDED, Budget, Verdict
from locksim.checker.weakest import Size, Weakest, refuse, weakest
from locksim.kinds import StructKind, kind_of, kinds
from locksim.lang.struct import Struct, Workload

MOST_ROUNDS = 100


@with_keywords
def check_lock(
    lock: Struct | type[Struct],
    *,
    threads: int = 3,
    rounds: int = 1,
    client: str = "",
    expect: str = "",
    name: str = "",
    report: Progress | None = None,
    **question: Unpack[Keywords],
) -> Verdict:
    """Check a lock with the test clients of its kind, or a workload as it is.

    Arguments:
        lock: a lock, RCU, cache of decisions or workload, class or description.
        threads: 1 to 8. rounds: critical sections of each, or UNBOUNDED.
        client: only those clients whose name begins so.
        expect: what must hold of the words when all threads have finished, such as
            ``"x == 1 or y != 0"`` (:mod:`locksim.checker.expectation`).
        name: for the verdict; by default the class's.
        report: called now and then with a line of text and the share of the states' budget used.
        question: other fields of :class:`~locksim.checker.question.Question`.

    Raises:
        CheckError: the request makes no sense, or the lock cannot be checked.
        CompileError, LinkError, SimulationError: the lock is not a valid program.
    """
    name = name or _class(lock).__name__
    asked = Question(name=name, threads=threads, rounds=rounds, **question)
    if expect and not asked.asks("assertion"):
        raise CheckError(
            f"--expect works only with --property all or assertion (got {asked.property})\n"
            "help: leave --property out"
        )
    if asked.endless():
        known = endless_clients_of(lock)
    else:
        known = chosen(clients_of(lock, threads, rounds), client)
    return check_clients([expecting(one, expect) for one in known], asked, report)


def weaken_lock(
    lock: Struct | type[Struct],
    *,
    threads: int = 3,
    rounds: int = 1,
    memory: str = "c11",
    expect: str = "",
    budget: Budget | None = None,
    report: Progress | None = None,
    **question: Any,
) -> Weakest:
    """The weakest memory orders under which a lock is still proven.

    Arguments:
        lock, threads, rounds, expect, question: as for :func:`check_lock`. memory: "c11" or "tso".
        budget: of all checks together. report: as for :func:`locksim.checker.weakest.weakest`.

    Raises:
        CheckError: the request makes no sense, or the lock cannot be checked.
        CompileError, LinkError, SimulationError: the lock is not a valid program.
    """
    refuse(memory, question.get("property", "all"))
    ask = partial(check_lock, lock, memory=memory, expect=expect, **question)
    sizes = sizes_of(lock, threads, rounds, expect)
    return weakest(lock, ask, budget or Budget(), sizes=sizes, report=report)


def sizes_of(
    lock: Struct | type[Struct], threads: int, rounds: int, expect: str = ""
) -> list[Size]:
    """The sizes in which :func:`weaken_lock` asks, the smallest first.

    Most orders that are too weak already fail with two threads in one round. Only the whole size is
    asked where the number of threads is a part of the question.
    """
    whole, smallest = {"threads": threads, "rounds": rounds}, {"threads": 2, "rounds": 1}
    free = not expect and not issubclass(_class(lock), Workload)
    larger = threads > 2 or (threads == 2 and rounds != 1)
    return [smallest, whole] if free and larger else [whole]


@with_keywords
def sample_lock(
    lock: Struct | type[Struct],
    sampling: Sampling,
    *,
    threads: int = 8,
    rounds: int = 1,
    name: str = "",
    report: Progress | None = None,
    **question: Unpack[Keywords],
) -> Verdict:
    """Try a lock with the test clients of its kind on random schedules.

    Arguments:
        sampling: how many schedules, and which.
        lock, threads, rounds, name, report, question: as for :func:`check_lock`; of the budget only
            the time and the sizes count.

    Returns:
        A verdict that is "violated" or "unfinished". Its ``states`` are steps, its ``depth`` the
        longest schedule.

    Raises:
        CheckError: the request makes no sense, or the lock cannot be checked.
        CompileError, LinkError, SimulationError: the lock is not a valid program.
    """
    _bounded(rounds)
    name = name or _class(lock).__name__
    asked = Question(name=name, threads=threads, rounds=rounds, **question)
    return sample_clients(clients_of(lock, threads, rounds), sampling, asked, report)


def walk_of_lock(
    lock: Struct | type[Struct],
    *,
    threads: int = 2,
    rounds: int = 1,
    memory: str = "tso",
    client: str = "",
    name: str = "",
) -> Walk:
    """The walk through one of a lock's test clients.

    Arguments:
        lock, threads, rounds, memory, name: as for :func:`check_lock`.
        client: name of one of its clients, as a verdict gives it; by default the first.

    Raises:
        CheckError: the lock cannot be checked, or has no such client.
    """
    _bounded(rounds)
    asked = Question(threads=threads, memory=memory)
    known = [one for each in clients_of(lock, threads, rounds) for one in dealt(each, asked)]
    walked = next((c for c in known if c.name == client), None) or chosen(known, client)[0]
    built = model(walked.workload, threads, memory, plain=walked.plain, nodes=walked.nodes)
    return Walk(built, walked, name or _class(lock).__name__)


def clients_of(lock: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
    """The test clients of a lock.

    Arguments:
        lock: a lock's class or description.
        threads: how many will run. rounds: critical sections of each, 1 to 100, or UNBOUNDED.

    Raises:
        CheckError: the struct's kind has no test clients, or the rounds make no sense.
    """
    unbounded = rounds == UNBOUNDED
    if not unbounded and not 1 <= rounds <= MOST_ROUNDS:
        raise CheckError(
            f"rounds must be between 1 and {MOST_ROUNDS}, or --rounds unbounded (got {rounds})"
        )
    kind = kind_of(lock)
    found = kind.clients(lock, threads, 1 if unbounded else rounds) if kind else []
    if not found and kind and kind.unchecked:
        raise CheckError(f"{_class(lock).__name__} has no test clients: {kind.unchecked}")
    if unbounded and found:
        found = [client for client in found if client.repeats]
        if not found:
            raise CheckError(
                f"{_class(lock).__name__} has no client whose threads can run any number of rounds"
                "\nhelp: give a number of rounds"
            )
    if not found:
        raise CheckError(
            f"{_class(lock).__name__} is not a {bases_with('clients')}: only these have test "
            "clients\nhelp: derive it from one of them, or write a Workload that uses it and check "
            "that: FILE.py:CLASS"
        )
    return found


def endless_clients_of(lock: Struct | type[Struct]) -> list[Client]:
    """The test clients of a lock that never end, for properties of infinite runs.

    Raises:
        CheckError: the struct's kind has no such clients.
    """
    kind = kind_of(lock)
    found = kind.endless_clients(lock) if kind else []
    if not found and kind in _answering("endless_clients"):
        raise CheckError(
            f"the readers of {_class(lock).__name__} do not wait: they read again while writers "
            "come\nhelp: ask about a sequence lock with read_acquire(), such as seqrwlock"
        )
    if not found:
        raise CheckError(
            f"starvation and bypass can be asked about a {bases_with('endless_clients')}, and "
            f"{_class(lock).__name__} is none of these"
        )
    return found


def never_ends(lock: Struct | type[Struct]) -> bool:
    """Whether a lock has test clients that never end, so that liveness can be asked for."""
    kind = kind_of(lock)
    return bool(kind and kind.endless_clients(lock))


def _bounded(rounds: int) -> None:
    """Refuse rounds without a number, where a run has to end."""
    if rounds == UNBOUNDED:
        raise CheckError("only a whole check takes unbounded rounds\nhelp: give a number of rounds")


def bases_with(answer: str) -> str:
    """What a struct must be for its kind to give an answer of its own, as a text."""
    known = _answering(answer)
    by_base = [kind.base.__name__ for kind in known if not kind.methods]
    *most, last = by_base + [f"struct with {method}()" for kind in known for method in kind.methods]
    return f"{', '.join(most)} or {last}"


def checked_bases(answer: str = "clients") -> tuple[type[Struct], ...]:
    """The base classes of the kinds that give an answer of their own: by default test clients."""
    return tuple(kind.base for kind in _answering(answer))


def _answering(answer: str) -> list[StructKind]:
    none = getattr(StructKind, answer)
    return [kind for kind in kinds() if getattr(type(kind), answer) is not none]


def _class(lock: Struct | type[Struct]) -> type[Struct]:
    return lock if isinstance(lock, type) else type(lock)
