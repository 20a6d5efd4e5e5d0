"""The verdict on a lock or a workload: proven (perhaps within limits), violated, or unfinished.

``proven`` says that every interleaving of this client with this number of threads was explored
under this memory model, and no property asked for was violated: no more, no less. An exploration
that a budget ended is ``unfinished``, however much it has seen.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Unpack

from locksim.checker.client import Client, Conduct, End
from locksim.checker.errors import CheckError, UnfinishedError
from locksim.checker.expectation import Expectation, expectation
from locksim.checker.limits import UNFINISHED, VIOLATED, limit, proven
from locksim.checker.models import layout as m
from locksim.checker.models.layout import WATCH_ASSERTIONS, WATCH_EXCLUSION, WATCH_RACES
from locksim.checker.models.model import (
    MEMORY_MODELS,
    NODES,
    Model,
    address_of,
    asks_for_node,
    model,
    weakly,
)
from locksim.checker.models.outcome import FAULT
from locksim.checker.question import Keywords, Question, with_keywords
from locksim.checker.replay import counterexample as ce
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.search.conduct import misconduct
from locksim.checker.search.coverage import performed_operations
from locksim.checker.search.explore import Exploration, Request, explore
from locksim.checker.search.leak import leaking
from locksim.checker.search.liveness import Lasso, bypass, starving
from locksim.checker.search.loop import LEAK, NO_PROGRESS, WRONG_END
from locksim.checker.search.pointers import reuse_matters
from locksim.checker.search.reordering import reorderings
from locksim.checker.search.switches import NotKnownError, path_to_state, path_to_violation
from locksim.checker.verdict import MIN_BYTES, Verdict
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

_LARGER = 4
"""How many times the states and the seconds of an exploration one with more room may take."""


def check_clients(
    clients: Sequence[Client], question: Question, report: Progress | None = None
) -> Verdict:
    """Explore test clients, one after another, until one is violated or not finished.

    Arguments:
        clients: at least one; endless ones for a property in ``LIVENESS``.
        question: what is asked.
        report: called now and then with a line of text and the share of the states' budget used.

    Raises:
        CheckError: a client cannot be checked.
        CompileError, LinkError, SimulationError: a client is not a valid program.
    """
    return _Check(question, report).verdict(clients)


@with_keywords
def check_workload(
    workload: Workload,
    *,
    threads: int = 3,
    expect: dict[str, int] | str = "",
    plain: tuple[str, ...] = (),
    conduct: Conduct | None = None,
    **question: Unpack[Keywords],
) -> Verdict:
    """Check a workload of one's own; it must be able to end.

    Arguments:
        workload: the description; each thread runs its ``thread`` program. threads: 1 to 8.
        expect: what must hold when all threads have finished: word's name → value, or a condition
            such as ``"x == 1 or y != 0"`` (:mod:`locksim.checker.expectation`).
        plain: names of words that stand for data that is not atomic: a race on them is an error.
        conduct: what is demanded of its threads; nothing is left out of the exploration then.
        question: other fields of :class:`~locksim.checker.question.Question`.

    Raises:
        CheckError: the request makes no sense, or the workload cannot be checked.
        CompileError, LinkError, SimulationError: it is not a valid program.
    """
    name, text = type(workload).__name__, expect if isinstance(expect, str) else ""
    known = {} if isinstance(expect, str) else expect
    client = expecting(Client(name, workload, known, plain, conduct=conduct), text)
    if conduct is not None:
        question["reduction"] = False
    return check_clients([client], Question(name=name, threads=threads, **question))


@with_keywords
def outcomes(
    workload: Workload,
    *,
    observe: tuple[str, ...],
    threads: int = 3,
    **question: Unpack[Keywords],
) -> set[tuple[int, ...]]:
    """Every combination of values that some words can have when all threads have finished.

    Arguments:
        workload: the description. observe: the words' names. threads: 1 to 8.
        question: other fields of :class:`~locksim.checker.question.Question`.

    Raises:
        CheckError: a fault was found, or there is no such word.
        UnfinishedError: the budget does not suffice: a set that may lack some combination is never
            given.
    """
    asked = Question(threads=threads, **question)
    ways = dealt(Client("", workload), asked)
    return set().union(*(_outcomes(client, observe, asked) for client in ways))


def _outcomes(client: Client, observe: tuple[str, ...], asked: Question) -> set[tuple[int, ...]]:
    """Those of one client."""
    built = build(client, asked, watch=0)
    at = [address_of(built.memory, name) for name in observe]
    request = Request(
        deadlock=False,
        reduction=asked.reduction,
        max_states=asked.budget.max_states,
        max_seconds=asked.budget.max_seconds,
        max_bytes=asked.budget.max_bytes,
    )
    found = explore(built, request)
    if found.status:
        violation = ce.of_path(found.relied, found.violation, found.status)
        raise CheckError(f"the workload fails before it ends: {violation.message}")
    if not found.complete or found.buffer_was_full or found.forgot:
        raise UnfinishedError(
            f"the outcomes are not complete after {found.states} states: raise the budget"
        )
    rows = {found.row_numbers(state)[-1] for state in found.finals}
    return {tuple(found.shared_row(k)[word] for word in at) for k in rows}


class _Check:
    """A check of some clients, one after another, within one budget."""

    def __init__(self, question: Question, report: Progress | None = None) -> None:
        self.question, self.budget, self.report = question, question.budget, report
        self.reduction = question.reduction and not question.endless()
        self.ran: set[Place] = set()
        self.told_apart: dict[str, str] = {}
        self.states, self.depth, self.seconds = 0, 0, 0.0
        self.limits: list[str] = []
        self.stopped = ""
        self.bypass: int | None = None
        self.large = False  # whether store buffers and histories are as large as they can be

    def verdict(self, todo: Sequence[Client]) -> Verdict:
        """Check the clients until one of them is violated or not finished."""
        answer, violation, asked, client = "", None, "", todo[-1]
        for client in (one for each in todo for one in dealt(each, self.question)):
            found, violation = self._with_room(client)
            if violation is not None:
                answer, asked = VIOLATED, violation.found
                violation = self._simplest(todo) or violation
                break
            if not found.complete:
                answer, self.limits, self.bypass = UNFINISHED, [self._unfinished(found)], None
                self.stopped = found.stopped
                break
            self._limit(found)
        return Verdict(
            **self.question.of_verdict(),
            verdict=answer or proven(self.limits),
            states=self.states,
            depth=self.depth,
            seconds=self.seconds,
            found=asked,
            client=client.name,
            limits=self.limits,
            counterexample=violation,
            expect=client.end.text if isinstance(client.end, Expectation) else "",
            bypass=None if violation is not None else self.bypass,
            told_apart=self.told_apart,
            ran=frozenset(self.ran),
            stopped=self.stopped,
        )

    def _with_room(self, client: Client) -> tuple[Exploration, Counterexample | None]:
        """Explore what a client can do; where something was full, once more with more room.

        The larger exploration gets a few times of what the first one took. If that is too little,
        the first one stands, with its limit.
        """
        before, begun, budget = (self.states, self.depth), self.seconds, self.budget
        found, violation = self._client(client)
        more = (budget.buffer_entries is None and found.buffer_was_full) or (
            budget.history is None and found.forgot
        )
        if violation is not None or not found.complete or not more:
            return found, violation
        after, (self.states, self.depth) = (self.states, self.depth), before
        self.large = True
        until = self.seconds + max(1.0, _LARGER * (self.seconds - begun))
        self.budget = replace(
            budget,
            max_states=min(budget.max_states, max(_LOOK_AT_LEAST, _LARGER * found.states)),
            max_seconds=min(budget.max_seconds, until),
            max_bytes=max(MIN_BYTES, budget.max_bytes - found.bytes),
        )
        larger, violation = self._client(client)
        self.large, self.budget = False, budget
        if violation is not None or larger.complete:
            return larger, violation
        self.states, self.depth = after
        return found, None

    def _client(self, client: Client) -> tuple[Exploration, Counterexample | None]:
        """Explore what a client can do; if something is wrong, find a shortest way to it."""
        before = self.states, self.depth
        found, violation = self._explored(client, self.reduction, self.question.exchanges())
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
        asked = self.question
        most = min(self.budget.max_states, max(_LOOK_AT_LEAST, 4 * self.states))
        stronger = MEMORY_MODELS[: MEMORY_MODELS.index(asked.memory)]
        for memory in stronger if asked.simplest else ():
            left = max(1e-3, self.budget.max_seconds - self.seconds)
            budget = replace(self.budget, max_states=most, max_seconds=left)
            check = _Check(replace(asked, memory=memory, budget=budget, simplest=False))
            verdict = check.verdict(todo)
            self.seconds += check.seconds
            if verdict.counterexample is not None:
                self.limits = verdict.limits
                return verdict.counterexample
            if verdict.verdict == UNFINISHED:
                self.limits.append(f"whether {memory} breaks it too is not known: {most:,} states")
        return None

    def _explored(
        self, client: Client, reduction: bool, symmetry: bool
    ) -> tuple[Exploration, Counterexample | None]:
        asked = self.question
        watch = watched(asked)
        built = build(client, asked, watch, symmetry, large=self.large)
        self.told_apart.setdefault(client.name, built.told_apart)
        ends = watch & WATCH_ASSERTIONS and not asked.again()
        expect = client.expect if ends else {}
        end = _End(built, client.end, client.once) if ends and client.end else None
        request = Request(
            expect=expected(built, expect),
            deadlock=asked.asks("deadlock"),
            reduction=reduction,
            invariants=asked.asks("invariant"),
            max_states=self.budget.max_states,
            max_seconds=max(1e-3, self.budget.max_seconds - self.seconds),
            max_bytes=self.budget.max_bytes,
            report=self.report,
        )
        found = explore(built, request)
        self.states, self.depth = self.states + found.states, max(self.depth, found.depth)
        self.ran |= performed_operations(found)
        begun = time.process_time()
        fewest = not reduction and bool(built.told_apart)
        violation = self._violation(found, client, expect, end, fewest=fewest)
        self.seconds += found.seconds + time.process_time() - begun
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
        until = time.process_time() + self.budget.max_seconds - self.seconds - found.seconds
        asked = partial(self._wrong, found, expect, end, client.conduct)
        try:
            violation = asked(until if fewest else None)
        except NotKnownError:
            self.limits.append(_PERHAPS_FEWER_SWITCHES)
            violation = asked(None)
        if violation is None:
            return None
        return shown(violation, client, self.question.memory, fault=found.status == FAULT)

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
        if self.question.asks("deadlock") and (lost := found.doomed()):
            return ce.of_path(found.relied, _way(found, lost, until)[1], NO_PROGRESS)
        if self.question.asks("leak") and (lost := leaking(found)):
            return ce.of_path(found.relied, _way(found, lost, until)[1], LEAK)
        if conduct is not None and (wrong := misconduct(found, conduct)) is not None:
            return ce.of_misconduct(found, wrong, _way(found, [wrong.state], until)[1])
        if self.question.property == "starvation" and (lasso := starving(found)) is not None:
            return ce.of_lasso(found, lasso)
        if self.question.property == "bypass":
            most = bypass(found)
            if isinstance(most, Lasso):
                return ce.of_lasso(found, most)
            self.bypass = max(self.bypass or 0, most)
        return None

    def _limit(self, found: Exploration) -> None:
        """Say what a proof depends on."""
        limits = reorderings(found)
        if found.buffer_was_full:
            limits.append(limit("buffers", entries=found.model.tables.size[m.ENTRIES]))
        if found.forgot:
            limits.append(limit("history", values=found.model.tables.size[m.HISTORY]))
        if reuse_matters(found):
            limits.append(limit("reuse"))
        self.limits += [each for each in limits if each not in self.limits]

    def _unfinished(self, found: Exploration) -> str:
        if found.stopped == "growth":
            return f"not finished, no proof: {found.growing}"
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

    Arguments:
        once: whether one run has to fulfil it, not every run.

    Raises:
        CheckError: there is no such word.
    """

    def __init__(self, built: Model, end: End, once: bool) -> None:
        self.end, self.at = end, [address_of(built.memory, word) for word in end.words]
        self.once = once

    def wrong(self, found: Exploration, until: float | None) -> Counterexample | None:
        """A shortest run to final values that do not fit; also of an exploration that is cut."""
        if self.once and not found.complete:
            return None
        judged: dict[tuple[int, ...], str] = {}
        wrong: list[int] = []
        for state in found.finals:
            farther = wrong and found.space.depth[state] > found.space.depth[wrong[0]]
            if farther and not self.once:
                break
            values = self._values(found.shared_row(found.row_numbers(state)[-1]))
            if values not in judged:
                judged[values] = self.end.wrong(values)
            if not judged[values] and self.once:
                return None
            if judged[values] and not farther:
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


def watched(question: Question) -> int:
    """What stops an exploration that asks for a property."""
    watch = WATCH_EXCLUSION * question.asks("exclusion")
    watch |= WATCH_ASSERTIONS * question.asks("assertion")
    return watch | WATCH_RACES * question.asks("race")


def expected(built: Model, expect: dict[str, int]) -> list[tuple[int, int]]:
    """Address and value of the words that a client expects at the end."""
    return [(address_of(built.memory, word), value) for word, value in expect.items()]


ON_NODES = ", threads on nodes "
"""What stands between a client's name and the nodes that its threads are dealt to."""


def dealt(client: Client, question: Question) -> list[Client]:
    """A client whose program asks for its node: once for each way to deal its threads to nodes.

    Of threads that are alike only their number on each node counts.
    """
    weak = weakly(question.memory, question.orders)
    if question.used or not asks_for_node(client.workload, question.threads, weak=weak):
        return [client]
    alike = question.exchanges() and not build(client, question, 0, symmetry=True).told_apart
    ways = itertools.product(range(NODES), repeat=question.threads)
    return [
        replace(client, name=f"{client.name}{ON_NODES}{', '.join(map(str, way))}", nodes=way)
        for way in ways
        if not alike or list(way) == sorted(way)
    ]


def build(
    client: Client, question: Question, watch: int, symmetry: bool = False, *, large: bool = False
) -> Model:
    """The model of a client.

    Arguments:
        watch, symmetry: as for ``checker.models.model.model``. large: as for ``Budget.depth``.
    """
    return model(
        client.workload,
        question.threads,
        question.memory,
        heap_lines=question.budget.heap_lines,
        **question.budget.depth(large=large),
        plain=client.plain,
        endless=question.endless(),
        again=question.again(),
        symmetry=symmetry,
        watch=watch,
        used=question.used,
        orders=question.orders,
        nodes=client.nodes,
    )
