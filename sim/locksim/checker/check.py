"""The verdict on a lock or a workload: proven, violated, or unfinished.

``proven`` says that every interleaving of this client with this number of threads was explored
under this memory model, and no property asked for was violated: no more, no less. An exploration
that a budget ended is ``unfinished``, however much it has seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from locksim.checker.client import Client, Conduct, End
from locksim.checker.errors import CheckError
from locksim.checker.expectation import Expectation, expectation
from locksim.checker.models.model import (
    MEMORY_MODELS,
    WATCH_ASSERTIONS,
    WATCH_EXCLUSION,
    WATCH_RACES,
    Model,
    address_of,
    model,
)
from locksim.checker.models.outcome import FAULT
from locksim.checker.models.used import Used
from locksim.checker.replay import counterexample as ce
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.search.conduct import misconduct
from locksim.checker.search.explore import Exploration, explore
from locksim.checker.search.leak import leaking
from locksim.checker.search.liveness import Lasso, bypass, starving
from locksim.checker.search.loop import LEAK, NO_PROGRESS, WRONG_END
from locksim.checker.search.ran import ran
from locksim.checker.search.switches import NotKnownError, path_to_state, path_to_violation
from locksim.checker.verdict import LIVENESS, PROPERTIES, UNBOUNDED, Budget, Verdict
from locksim.compiler.bytecode import Place
from locksim.lang.struct import Workload

Progress = Callable[[str, float], None]

_PERHAPS_LONGER = (
    "there may be a shorter counterexample: the search for it without reduction used up the budget"
)
_PERHAPS_FEWER_SWITCHES = (
    "there may be an equally short counterexample with fewer context switches: the search for it "
    "did not come to an end"
)
_LOOK_AT_LEAST = 100_000
"""States that a stronger memory model may take at least when it is asked whether it breaks too."""


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
    symmetry: bool | None = None,
    simplest: bool = True,
    report: Progress | None = None,
    used: Used | None = None,
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
            (``checker.models.symmetry``); None: if the rounds are UNBOUNDED.
        simplest: whether a counterexample under a stronger memory model is shown if there is one.
        report: called now and then with a line of text and the share of the states' budget used.
        used: memory to begin with, and the CPUs of the threads; by default fresh memory.

    Raises:
        CheckError: the request makes no sense, or a client cannot be checked.
        CompileError, LinkError, SimulationError: a client is not a valid program.
    """
    budget = budget or Budget()
    check = _Check(name, threads, memory, property, budget, reduction, report, rounds, simplest)
    check.symmetry = property not in LIVENESS and (check.again if symmetry is None else symmetry)
    check.used = used
    return check.verdict(clients)


def check_workload(
    workload: Workload,
    *,
    threads: int,
    expect: dict[str, int] | str = "",
    plain: tuple[str, ...] = (),
    memory: str = "sc",
    property: str = "all",  # noqa: A002 - the contract's word
    budget: Budget | None = None,
    reduction: bool = True,
    simplest: bool = True,
    conduct: Conduct | None = None,
) -> Verdict:
    """Check a workload of one's own; it must be able to end.

    Arguments:
        workload: the description. threads: 1 to 8, each of which runs its ``thread`` program.
        expect: what must hold when all threads have finished: word's name → value, or a condition
            such as ``"x == 1 or y != 0"`` (:mod:`locksim.checker.expectation`).
        plain: names of words that stand for data that is not atomic: a race on them is an error.
        memory, property, budget, reduction, simplest: as for :func:`check_clients`.
        conduct: what is demanded of its threads; nothing is left out of the exploration then.

    Raises:
        CheckError: the request makes no sense, or the workload cannot be checked.
        CompileError, LinkError, SimulationError: it is not a valid program.
    """
    name, text = type(workload).__name__, expect if isinstance(expect, str) else ""
    known = {} if isinstance(expect, str) else expect
    client = Client(name, workload, known, plain, conduct=conduct)
    return check_clients(
        [expecting(client, text)],
        name=name,
        threads=threads,
        memory=memory,
        property=property,
        budget=budget,
        reduction=reduction and conduct is None,
        simplest=simplest,
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
        violation = ce.of_path(found.relied, found.violation, found.status)
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
        simplest: bool = True,
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
        self.simplest = simplest
        self.budget, self.report, self.rounds = budget, report, rounds
        self.reduction = reduction and asked not in LIVENESS
        self.symmetry = False
        self.used: Used | None = None
        self.ran: set[Place] = set()
        self.told_apart: dict[str, str] = {}
        self.states, self.depth, self.seconds = 0, 0, 0.0
        self.limits: list[str] = []
        self.stopped = ""
        self.bypass: int | None = None

    def verdict(self, todo: Sequence[Client]) -> Verdict:
        """Check the clients until one of them is violated or not finished."""
        answer, violation, asked, client = "proven", None, "", todo[-1]
        for client in todo:
            found, violation = self._client(client)
            if violation is not None:
                answer, asked = "violated", violation.found
                violation = self._simplest(todo) or violation
                break
            if not found.complete:
                answer, self.limits, self.bypass = "unfinished", [self._unfinished(found)], None
                self.stopped = found.stopped
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
            found=asked,
            client=client.name,
            limits=self.limits,
            counterexample=violation,
            rounds=self.rounds,
            expect=client.end.text if isinstance(client.end, Expectation) else "",
            bypass=None if violation is not None else self.bypass,
            told_apart=self.told_apart,
            not_checked=list(LIVENESS) if self.asked == "all" else [],
            ran=frozenset(self.ran),
            stopped=self.stopped,
        )

    def _client(self, client: Client) -> tuple[Exploration, Counterexample | None]:
        """Explore what a client can do; if something is wrong, find a shortest way to it."""
        before = self.states, self.depth
        found, violation = self._explored(client, self.reduction, self.symmetry)
        exchanged = not found.model.told_apart
        if violation is None or not (self.reduction or exchanged):
            return found, violation
        after, (self.states, self.depth) = (self.states, self.depth), before
        whole, shortest = self._explored(client, reduction=False, symmetry=False)
        if shortest is not None:
            return whole, shortest
        (self.states, self.depth), self.limits = after, [_PERHAPS_LONGER]
        return found, violation

    def _simplest(self, todo: Sequence[Client]) -> Counterexample | None:
        """The counterexample under the strongest memory model that breaks one of the clients too.

        None if none does but the one that was asked for.
        """
        most = min(self.budget.max_states, max(_LOOK_AT_LEAST, 4 * self.states))
        for memory in MEMORY_MODELS[: MEMORY_MODELS.index(self.memory)] if self.simplest else ():
            left = max(1e-3, self.budget.max_seconds - self.seconds)
            budget = replace(self.budget, max_states=most, max_seconds=left)
            check = _Check(
                *(self.name, self.threads, memory, self.asked, budget, self.reduction),
                rounds=self.rounds,
                simplest=False,
            )
            check.symmetry, check.used = self.symmetry, self.used
            verdict = check.verdict(todo)
            self.seconds += check.seconds
            if verdict.counterexample is not None:
                self.limits = verdict.limits
                return verdict.counterexample
            if verdict.verdict == "unfinished":
                self.limits.append(f"whether {memory} breaks it too is not known: {most:,} states")
        return None

    def _explored(
        self, client: Client, reduction: bool, symmetry: bool
    ) -> tuple[Exploration, Counterexample | None]:
        asked, endless = self.asked, self.asked in LIVENESS
        watch = watched(asked)
        built = build(
            client,
            self.threads,
            self.memory,
            watch,
            self.budget,
            endless=endless,
            again=self.again,
            symmetry=symmetry,
            used=self.used,
        )
        self.told_apart.setdefault(client.name, built.told_apart)
        ends = watch & WATCH_ASSERTIONS and not self.again
        expect = client.expect if ends else {}
        end = _End(built, client.end) if ends and client.end else None
        found = explore(
            built,
            expect=expected(built, expect),
            deadlock=asked in ("all", "deadlock"),
            reduction=reduction,
            invariants=asked in ("all", "invariant"),
            max_states=self.budget.max_states,
            max_seconds=max(1e-3, self.budget.max_seconds - self.seconds),
            max_bytes=self.budget.max_bytes,
            report=self.report,
        )
        self.states, self.depth = self.states + found.states, max(self.depth, found.depth)
        self.ran |= ran(found)
        begun = time.perf_counter()
        fewest = not reduction and bool(built.told_apart)
        violation = self._violation(found, client, expect, end, fewest=fewest)
        self.seconds += found.seconds + time.perf_counter() - begun
        return found, violation

    def _violation(
        self,
        found: Exploration,
        client: Client,
        expect: dict[str, int],
        end: _End | None,
        *,
        fewest: bool,
    ) -> Counterexample | None:
        """What is wrong, if anything; ``fewest``: with the fewest context switches."""
        until = time.perf_counter() + self.budget.max_seconds - self.seconds - found.seconds
        asked = partial(self._wrong, found, expect, end, client.conduct)
        try:
            violation = asked(until if fewest else None)
        except NotKnownError:
            self.limits.append(_PERHAPS_FEWER_SWITCHES)
            violation = asked(None)
        if violation is None:
            return None
        return shown(violation, client, self.memory, fault=found.status == FAULT)

    def _wrong(
        self,
        found: Exploration,
        expect: dict[str, int],
        end: _End | None,
        conduct: Conduct | None,
        until: float | None,
    ) -> Counterexample | None:
        if found.status:
            at = expected(found.model, expect)
            path = found.violation if until is None else path_to_violation(found, at, until)
            return ce.of_path(found.relied, path, found.status, expect)
        if end is not None and (violation := end.wrong(found, until)) is not None:
            return violation
        if not found.complete:
            return None
        if self.asked in ("all", "deadlock") and (lost := found.doomed()):
            return ce.of_path(found.relied, _way(found, lost, until)[1], NO_PROGRESS)
        if self.asked in ("all", "leak") and (lost := leaking(found)):
            return ce.of_path(found.relied, _way(found, lost, until)[1], LEAK)
        if conduct is not None and (wrong := misconduct(found, conduct)) is not None:
            return ce.of_misconduct(found, wrong, _way(found, [wrong.state], until)[1])
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
            f"to depth {found.depth}{f'; {found.widest}' if found.widest else ''}"
        )


def _way(found: Exploration, states: Sequence[int], until: float | None) -> tuple[int, list[int]]:
    """One of some states of one depth and a way to it; with a time, with the fewest switches."""
    if until is None:
        return states[0], found.path(states[0])
    return path_to_state(found, states, until)


class _End:
    """A condition on final values, and where its words are.

    Raises:
        CheckError: there is no such word.
    """

    def __init__(self, built: Model, end: End) -> None:
        self.end, self.at = end, [address_of(built.memory, word) for word in end.words]

    def wrong(self, found: Exploration, until: float | None) -> Counterexample | None:
        """A shortest run to final values that do not fit; also of an exploration that is cut."""
        judged: dict[tuple[int, ...], str] = {}
        wrong: list[int] = []
        for state in found.finals:
            if wrong and found.space.depth[state] > found.space.depth[wrong[0]]:
                break
            values = self._values(found.shared_row(found.row_numbers(state)[-1]))
            if values not in judged:
                judged[values] = self.end.wrong(values)
            if judged[values]:
                wrong.append(state)
        if not wrong:
            return None
        state, path = _way(found, wrong, until)
        run = ce.of_path(found.relied, path, WRONG_END)
        values = self._values(found.shared_row(found.row_numbers(state)[-1]))
        return replace(run, found=self.end.found, message=judged[values])

    def _values(self, words: Sequence[int]) -> tuple[int, ...]:
        return tuple(words[at] for at in self.at)


def expecting(client: Client, text: str) -> Client:
    """The same client with an expectation of its final values; unchanged for an empty text.

    Raises:
        CheckError: the text is not a condition on words.
    """
    return replace(client, end=expectation(text)) if text else client


def shown(violation: Counterexample, client: Client, memory: str, *, fault: bool) -> Counterexample:
    """The same with its client and memory model, and the name that a fault has for this client."""
    name = client.means.get(violation.found, "") if fault else ""
    message = f"{name}: {violation.message}" if name else violation.message
    return replace(violation, message=message, client=client.name, memory=memory)


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
    used: Used | None = None,
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
        used=used,
    )
