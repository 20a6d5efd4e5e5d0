"""Ask the checker what a litmus test shows: the values with which its runs can end."""

from __future__ import annotations

from dataclasses import dataclass, replace

from locksim.checker.check import check_workload, outcomes
from locksim.checker.errors import UnfinishedError
from locksim.checker.litmus.program import (
    EXISTS,
    FORALL,
    Binary,
    Expression,
    Litmus,
    LitmusError,
    Negation,
    Number,
)
from locksim.checker.litmus.workload import Source
from locksim.checker.litmus.write import condition
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.verdict import Budget

State = dict[str, int]


@dataclass(frozen=True)
class Observation:
    """What a test shows under a memory model.

    Arguments:
        test: which. memory: "sc", "tso" or "c11".
        states: the values at the end that runs can have of what the condition names, in order.
        positive: those of which the condition holds.
        run: a shortest run that decides ``exists``, or one that breaks ``~exists`` or ``forall``.
        race: two plain accesses that race, so that C11 gives the test no meaning; else None.
    """

    test: Litmus
    memory: str
    states: list[State]
    positive: list[State]
    run: Counterexample | None
    race: Counterexample | None

    @property
    def word(self) -> str:
        """herd7's word: "Always", "Sometimes" or "Never"."""
        if not self.positive:
            return "Never"
        return "Always" if len(self.positive) == len(self.states) else "Sometimes"

    @property
    def holds(self) -> bool:
        """Whether what the test asks is so: herd7's "Ok"."""
        if self.test.quantifier == FORALL:
            return self.word == "Always"
        return (self.word != "Never") == (self.test.quantifier == EXISTS)


def observe(test: Litmus, memory: str, budget: Budget | None = None, file: str = "") -> Observation:
    """Explore a test.

    Arguments:
        test: which. memory: "sc", "tso" or "c11". budget: when to give up.
        file: that it was read from, for the steps of a run.

    Raises:
        LitmusError: it cannot be checked under this model.
        UnfinishedError: the budget does not suffice.
    """
    if test.kernel and memory == "c11":
        raise LitmusError(
            f"{test.name} is in the kernel's dialect, whose memory model is not C11\n"
            "help: ask under sc or tso, which x86 is, or write the test with operations of C11"
        )
    if memory == "c11":
        _refuse_mixed(test)
    budget, source, file = budget or Budget(), Source(test), file or f"{test.name}.litmus"
    threads, workload = len(test.threads), source.workload(file)
    rows = sorted(
        outcomes(
            workload, observe=tuple(source.observed), threads=threads, memory=memory, budget=budget
        )
        if source.observed
        else {()}
    )
    states = [dict(zip(source.observed.values(), row, strict=True)) for row in rows]
    positive = [state for state in states if holds(test.condition, state)]
    shown = test.condition if test.quantifier != FORALL else Negation(test.condition)
    run = None
    if source.observed and any(holds(shown, state) for state in states):
        verdict = check_workload(
            workload,
            threads=threads,
            expect=f"not ({source.python(shown)})",
            memory=memory,
            property="assertion",
            budget=budget,
        )
        if verdict.counterexample is not None:
            run = source.shown(verdict.counterexample, test.quantifier, condition(shown))
    race = _race(test, file, budget) if memory == "c11" and source.plain else None
    return Observation(test, memory, states, positive, run, race)


def _race(test: Litmus, file: str, budget: Budget) -> Counterexample | None:
    """Two plain accesses of a test that race under C11, or None."""
    source = Source(replace(test, condition=Number(1)))
    workload, threads = source.workload(file), len(test.threads)
    verdict = check_workload(
        workload, threads=threads, memory="c11", property="race", budget=budget
    )
    if verdict.verdict == "unfinished":
        raise UnfinishedError("\n".join(verdict.limits))
    found = verdict.counterexample
    return found and source.shown(found, found.found, source.placed(found.message))


def _refuse_mixed(test: Litmus) -> None:
    """Refuse a word of which two threads' atomic accesses would count as a race.

    A word is plain or atomic to the checker. With atomic accesses by one thread only, plain is the
    same: those do not race with each other, and race with every other thread's plain store.
    """
    atomic: dict[str, set[int]] = {}
    for number, thread in enumerate(test.threads):
        for access in replace(test, threads=(thread,)).accesses():
            if access.word and not access.plain:
                atomic.setdefault(access.word, set()).add(number)
    for word in {access.word for access in test.accesses() if access.plain}:
        if len(atomic.get(word, ())) > 1:
            raise LitmusError(
                f"{test.name}: '{word}' has plain accesses, and atomic ones by several threads\n"
                "help: make all its accesses atomic, or ask under sc or tso"
            )


def holds(node: Expression, state: State) -> bool:
    """Whether a condition holds of the values at the end, by the names of :func:`condition`."""
    match node:
        case Number(value=value):
            return bool(value)
        case Negation(condition=inner):
            return not holds(inner, state)
        case Binary(operator="/\\", left=left, right=right):
            return holds(left, state) and holds(right, state)
        case Binary(operator="\\/", left=left, right=right):
            return holds(left, state) or holds(right, state)
        case Binary(operator=operator, left=left, right=Number(value=value)):
            return (state[condition(left)] == value) == (operator == "==")
    raise LitmusError(f"no condition: {node}")
