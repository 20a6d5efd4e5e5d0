"""The verdict on a lock or a workload: proven, violated, or unfinished.

``proven`` says that every interleaving of this client with this number of threads was explored
under this memory model, and no property asked for was violated: no more, no less. An exploration
that a budget ended is ``unfinished``, however much it has seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from locksim.checker.client import Client
from locksim.checker.errors import CheckError
from locksim.checker.models.model import (
    WATCH_ASSERTIONS,
    WATCH_EXCLUSION,
    WATCH_RACES,
    Model,
    address_of,
    model,
)
from locksim.checker.models.outcome import FAULT
from locksim.checker.replay import counterexample as ce
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.search.explore import Exploration, explore
from locksim.checker.search.leak import leaking
from locksim.checker.search.liveness import Lasso, bypass, starving
from locksim.checker.search.loop import LEAK, NO_PROGRESS
from locksim.checker.verdict import LIVENESS, PROPERTIES, UNBOUNDED, Budget, Verdict
from locksim.lang.struct import Workload

Progress = Callable[[str, float], None]

_PERHAPS_LONGER = (
    "there may be a shorter counterexample: the search for it without reduction used up the budget"
)


def check_clients(
    clients: Sequence[Client],
    *,
    name: str,
    threads: int,
    rounds: int = 0,
    memory: str = "sc",
    property: str = "all",  # noqa: A002 - the contract's word
    budget: Budget | None = None,
    reduction: bool = True,
    symmetry: bool = True,
    report: Progress | None = None,
) -> Verdict:
    """Explore test clients, one after another, until one is violated or not finished.

    Arguments:
        clients: at least one; endless ones for a property in ``LIVENESS``.
        name: of what is checked, for the verdict.
        threads: 1 to 8.
        rounds: of each thread, for the verdict; UNBOUNDED lets each run its program again.
        memory: "sc", "tso" or "c11". property: one of PROPERTIES.
        budget: when to give up.
        reduction: whether to leave out what makes no difference (``checker.models.claims``).
        symmetry: whether to exchange threads where nothing tells them apart, for safety
            (``checker.models.symmetry``).
        report: called now and then with a line of text and the share of the states' budget used.

    Raises:
        CheckError: the request makes no sense, or a client cannot be checked.
        CompileError, LinkError, SimulationError: a client is not a valid program.
    """
    check = _Check(name, threads, memory, property, budget or Budget(), reduction, report, rounds)
    check.symmetry &= symmetry
    return check.verdict(clients)


def check_workload(
    workload: Workload,
    *,
    threads: int,
    expect: dict[str, int] | None = None,
    plain: tuple[str, ...] = (),
    memory: str = "sc",
    property: str = "all",  # noqa: A002 - the contract's word
    budget: Budget | None = None,
    reduction: bool = True,
) -> Verdict:
    """Check a workload of one's own; it must be able to end.

    Arguments:
        workload: the description. threads: 1 to 8, each of which runs its ``thread`` program.
        expect: word's name → the value that it must have when all threads have finished.
        plain: names of words that stand for data that is not atomic: a race on them is an error.
        memory, property, budget, reduction: as for :func:`check_clients`.

    Raises:
        CheckError: the request makes no sense, or the workload cannot be checked.
        CompileError, LinkError, SimulationError: it is not a valid program.
    """
    name = type(workload).__name__
    return check_clients(
        [Client(name, workload, expect or {}, plain)],
        name=name,
        threads=threads,
        memory=memory,
        property=property,
        budget=budget,
        reduction=reduction,
    )


def outcomes(
    workload: Workload,
    *,
    threads: int,
    observe: tuple[str, ...],
    memory: str = "sc",
    budget: Budget | None = None,
    reduction: bool = True,
) -> set[tuple[int, ...]]:
    """Every combination of values that some words can have when all threads have finished.

    Arguments:
        workload: the description. threads: 1 to 8.
        observe: the words' names. memory: "sc", "tso" or "c11". budget: when to give up.
        reduction: whether to leave out what makes no difference (``checker.models.claims``).

    Raises:
        CheckError: a fault was found, no such word, or the budget does not suffice: a set that may
            lack some combination is never given.
    """
    budget = budget or Budget()
    built = build(Client("", workload), threads, memory, 0, budget)
    at = [address_of(built.memory, name) for name in observe]
    found = explore(
        built,
        deadlock=False,
        reduction=reduction,
        max_states=budget.max_states,
        max_seconds=budget.max_seconds,
        max_bytes=budget.max_bytes,
    )
    if found.status:
        violation = ce.of_state(found, found.status, found.state, found.action)
        raise CheckError(f"the workload goes wrong before it ends: {violation.message}")
    if not found.complete or found.buffer_was_full or found.forgot:
        raise CheckError(
            f"the outcomes are not complete after {found.states} states: raise the budget"
        )
    rows = {found.row_numbers(state)[-1] for state in found.finals}
    return {tuple(found.shared_row(k)[word] for word in at) for k in rows}


class _Check:
    """A check of some clients, one after another, within one budget."""

    def __init__(
        self,
        name: str,
        threads: int,
        memory: str,
        asked: str,
        budget: Budget,
        reduction: bool,
        report: Progress | None = None,
        rounds: int = 0,
    ) -> None:
        if asked not in PROPERTIES:
            raise CheckError(f"no property '{asked}'; there are {', '.join(PROPERTIES)}")
        if asked in LIVENESS and memory == "c11":
            raise CheckError(
                f"{asked} under c11: no real machine hides a store from a thread for ever, and "
                "C11 does not say when it must become visible\nhelp: ask under sc or tso"
            )
        self.again = rounds == UNBOUNDED and asked not in LIVENESS
        if self.again and memory == "c11":
            raise CheckError(
                "unbounded rounds under c11: a thread that stays away could read older and older "
                "values\nhelp: ask under sc or tso, or give a number of rounds"
            )
        self.name, self.threads, self.memory, self.asked = name, threads, memory, asked
        self.budget, self.report, self.rounds = budget, report, rounds
        self.reduction = reduction and asked not in LIVENESS
        self.symmetry = asked not in LIVENESS
        self.told_apart: dict[str, str] = {}
        self.states, self.depth, self.seconds = 0, 0, 0.0
        self.limits: list[str] = []
        self.bypass: int | None = None

    def verdict(self, todo: Sequence[Client]) -> Verdict:
        """Check the clients until one of them is violated or not finished."""
        answer, violation, client = "proven", None, todo[-1]
        for client in todo:
            found, violation = self._client(client)
            if violation is not None:
                answer = "violated"
                break
            if not found.complete:
                answer, self.limits, self.bypass = "unfinished", [self._unfinished(found)], None
                break
            self._limit(found)
        return Verdict(
            lock=self.name,
            threads=self.threads,
            memory=self.memory,
            property=self.asked,
            verdict=answer,
            states=self.states,
            depth=self.depth,
            seconds=self.seconds,
            found="" if violation is None else violation.found,
            client=client.name,
            limits=self.limits,
            counterexample=violation,
            rounds=self.rounds,
            bypass=None if violation is not None else self.bypass,
            told_apart=self.told_apart,
        )

    def _client(self, client: Client) -> tuple[Exploration, Counterexample | None]:
        """Explore what a client can do; if something is wrong, find a shortest way to it."""
        before = self.states, self.depth
        found, violation = self._explored(client, self.reduction)
        if violation is None or not self.reduction:
            return found, violation
        after, (self.states, self.depth) = (self.states, self.depth), before
        whole, shortest = self._explored(client, reduction=False)
        if shortest is not None:
            return whole, shortest
        (self.states, self.depth), self.limits = after, [_PERHAPS_LONGER]
        return found, violation

    def _explored(
        self, client: Client, reduction: bool
    ) -> tuple[Exploration, Counterexample | None]:
        asked, endless = self.asked, self.asked in LIVENESS
        watch = watched(asked)
        built = build(
            client,
            self.threads,
            self.memory,
            watch,
            self.budget,
            endless,
            self.again,
            self.symmetry,
        )
        self.told_apart[client.name] = built.told_apart
        expect = client.expect if watch & WATCH_ASSERTIONS and not self.again else {}
        found = explore(
            built,
            expect=expected(built, expect),
            deadlock=asked in ("all", "deadlock"),
            reduction=reduction,
            max_states=self.budget.max_states,
            max_seconds=max(1e-3, self.budget.max_seconds - self.seconds),
            max_bytes=self.budget.max_bytes,
            report=self.report,
        )
        self.states, self.depth = self.states + found.states, max(self.depth, found.depth)
        begun = time.perf_counter()
        violation = self._violation(found, client, expect)
        self.seconds += found.seconds + time.perf_counter() - begun
        return found, violation

    def _violation(
        self, found: Exploration, client: Client, expect: dict[str, int]
    ) -> Counterexample | None:
        if found.status:
            violation = ce.of_state(found, found.status, found.state, found.action, expect)
            return named(violation, client) if found.status == FAULT else violation
        if not found.complete:
            return None
        if self.asked in ("all", "deadlock") and (lost := found.doomed()) is not None:
            return ce.of_state(found, NO_PROGRESS, lost, -1)
        if self.asked in ("all", "leak") and (lost := leaking(found)) is not None:
            return ce.of_state(found, LEAK, lost, -1)
        if self.asked == "starvation" and (lasso := starving(found)) is not None:
            return ce.of_lasso(found, lasso)
        if self.asked == "bypass":
            most = bypass(found)
            if isinstance(most, Lasso):
                return ce.of_lasso(found, most)
            self.bypass = max(self.bypass or 0, most)
        return None

    def _limit(self, found: Exploration) -> None:
        """Say what a proof depends on."""
        limits = []
        if found.buffer_was_full:
            limits.append(
                f"store buffers of {self.budget.buffer_entries} entries were full at times: "
                "the verdict does not cover larger ones"
            )
        if found.forgot:
            limits.append(
                f"words had more than {self.budget.history} overtaken values that a thread could "
                "still read: the verdict does not cover reading older ones"
            )
        self.limits += [limit for limit in limits if limit not in self.limits]

    def _unfinished(self, found: Exploration) -> str:
        if found.stopped == "growth":
            return f"not finished, no proof, as there are infinitely many states: {found.growing}"
        why = {
            "states": f"the budget of {self.budget.max_states} states",
            "time": f"the budget of {self.budget.max_seconds:g} seconds",
            "memory": f"the budget of {self.budget.max_bytes} bytes",
            "heap": f"the heap of {self.budget.heap_lines} lines",
        }[found.stopped]
        return (
            f"not finished, no proof: {why} was used up; explored {found.states} states, "
            f"to depth {found.depth}"
        )


def named(violation: Counterexample, client: Client) -> Counterexample:
    """The same, with the name that a fault has for this client: a grace-period violation, say."""
    name = client.means.get(violation.found, "")
    return replace(violation, message=f"{name}: {violation.message}") if name else violation


def watched(asked: str) -> int:
    """What stops an exploration that asks for a property."""
    watch = WATCH_EXCLUSION * (asked in ("all", "exclusion"))
    watch |= WATCH_ASSERTIONS * (asked in ("all", "assertion"))
    return watch | WATCH_RACES * (asked in ("all", "race"))


def expected(built: Model, expect: dict[str, int]) -> list[tuple[int, int]]:
    """Address and value of the words that a client expects at the end."""
    return [(address_of(built.memory, word), value) for word, value in expect.items()]


def build(
    client: Client,
    threads: int,
    memory: str,
    watch: int,
    budget: Budget,
    endless: bool = False,
    again: bool = False,
    symmetry: bool = False,
) -> Model:
    """The model of a client, within a budget; arguments as for ``checker.models.model.model``."""
    return model(
        client.workload,
        threads,
        memory,
        buffer_entries=budget.buffer_entries,
        heap_lines=budget.heap_lines,
        history=budget.history,
        plain=client.plain,
        endless=endless,
        again=again,
        symmetry=symmetry,
        watch=watch,
    )
