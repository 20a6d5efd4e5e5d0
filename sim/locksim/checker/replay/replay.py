"""Does a counterexample hold? Its steps, done one after another on the reference semantics.

A step says which thread acts, what it finds and what it leaves. Under C11 that does not always
show which message was read, or at which place in its word's modification order a store was put.
Then every way that fits is tried; the counterexample holds if one of them ends in the violation
that it reports.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from locksim.checker.client import Client
from locksim.checker.errors import CheckError
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.replay.reference import ReferenceMachine, Violation
from locksim.lang.ops import Mark
from locksim.lang.struct import tasks_of

FAIR_ROUNDS = 3000
"""Steps of every thread after which a program that has not ended counts as stuck."""
MAX_WAYS = 10_000
"""Ways to resolve what the steps leave open that are tried before giving up."""
LAPS = 3
"""Times that the cycle of a starvation or a livelock is gone round."""

_NO_VALUES = ("fence", "block", "free", "alloc", "pause", "restart")
_ENTRIES = (Mark.ACQUIRED, Mark.READ_ACQUIRED)


class ReplayError(CheckError):
    """A counterexample that does not hold; the message says at which step."""


@dataclass
class _Way:
    """One way to resolve what the steps leave open.

    Arguments:
        choices: which of the fitting options to take, at each place where there are several.
        open: how many there were at these places.
    """

    choices: list[int]
    open: list[int] = field(default_factory=list)

    def pick(self, fitting: list[int]) -> int:
        """Choose; the first where nothing was said."""
        if len(fitting) == 1:
            return fitting[0]
        at = len(self.open)
        self.open.append(len(fitting))
        return fitting[self.choices[at] if at < len(self.choices) else 0]

    def next(self) -> _Way | None:
        """The next way in order, or None."""
        choices = (self.choices + [0] * len(self.open))[: len(self.open)]
        while choices:
            if choices[-1] + 1 < self.open[len(choices) - 1]:
                return _Way([*choices[:-1], choices[-1] + 1])
            choices.pop()
        return None


def replay(
    counterexample: Counterexample,
    client: Client,
    *,
    memory: str,
    types: Iterable[type[Any]] = (),
) -> str:
    """Do the steps and say what is wrong at their end, as :class:`Counterexample` names it.

    Arguments:
        counterexample: the steps. client: what was checked.
        memory: "sc", "tso" or "c11". types: what the programs allocate.

    Raises:
        ReplayError: a step cannot happen, finds or leaves something else, or the path shows
            nothing wrong.
    """
    if tasks_of(client.workload):
        raise ReplayError(
            "its workload uses tasks, and the steps of tasks cannot be replayed; "
            "read the steps in the file instead"
        )
    way: _Way | None = _Way([])
    first: ReplayError | None = None
    for _ in range(MAX_WAYS):
        assert way is not None
        try:
            return _Replay(counterexample, client, memory, list(types), way).found()
        except ReplayError as error:
            first = first or error
        way = way.next()
        if way is None:
            raise first
    raise ReplayError(
        f"the steps fit more than {MAX_WAYS} executions, and none of the first {MAX_WAYS} shows "
        f"the violation (the first one: {first})"
    )


class _Replay:
    def __init__(
        self,
        counterexample: Counterexample,
        client: Client,
        memory: str,
        types: list[type[Any]],
        way: _Way,
    ) -> None:
        self.claim, self.client, self.memory = counterexample, client, memory
        self.types, self.way = types, way

    def found(self) -> str:
        """What the steps show."""
        steps = self.claim.steps
        watched = self.client.plain if self.claim.found == "race" else None
        try:
            self.vm = ReferenceMachine(
                *(self.client.workload, self.claim.threads, self.memory, self.types, watched),
                nodes=self.client.nodes,
            )
        except Violation as violation:
            if [step.operation for step in steps] == ["start"]:
                return str(violation)
            raise ReplayError(f"{violation} before the first step") from None
        self.lap = 0
        for number, step in enumerate(steps, start=1):
            try:
                self._do(number, step)
            except Violation as violation:
                if number < len(steps):
                    raise ReplayError(f"step {number} already shows: {violation}") from None
                return str(violation)
        return self._at_the_end()

    def _do(self, number: int, step: Step) -> None:
        vm = self.vm
        if step.operation == "random":
            raise ReplayError(f"step {number} is a random choice, which cannot be replayed")
        if not 0 <= step.thread < vm.n_threads():
            raise ReplayError(f"step {number}: there is no thread {step.thread}")
        if step.action == "flush":
            if not vm.model.buffers[step.thread]:
                raise ReplayError(
                    f"step {number} cannot happen: it writes a buffered store of thread "
                    f"{step.thread} to memory, and that thread's store buffer is empty"
                )
            self._compare(number, step, vm.flush(step.thread))
        else:
            options = vm.options(step.thread)
            if step.operation == "restart" and not options:
                vm.restart(step.thread)
                return
            if not options:
                raise ReplayError(f"step {number} cannot happen: thread {step.thread} still waits")
            fitting = [
                i
                for i, did in enumerate(options)
                if step.operation in _NO_VALUES or did == self._values(step)
            ]
            if step.operation == "wake":
                fitting = [0] if options[0][1] == step.new else []
            if not fitting:
                self._compare(number, step, options[0])
            if not vm.run(step.thread, self.way.pick(fitting)):
                raise ReplayError(f"step {number} cannot happen: thread {step.thread} waits")
        named = [[(vm.memory.name(a), v) for a, v in buffer] for buffer in vm.model.buffers]
        expected = [[(w, v + self._grown(w)) for w, v, *_ in buffer] for buffer in step.buffers]
        if named != expected:
            raise ReplayError(f"step {number} leaves other store buffers: {named}")

    def _compare(self, number: int, step: Step, did: tuple[int, int]) -> None:
        old, new = self._values(step)
        if did != (old, new):
            raise ReplayError(
                f"step {number} ({step.operation} {step.word}) finds {did[0]} and leaves {did[1]}, "
                f"not {old} and {new}"
            )

    def _values(self, step: Step) -> tuple[int, int]:
        """What a step finds and leaves, in a later round of the cycle too."""
        grown = self._grown(step.word)
        return step.old + grown, step.new + grown

    def _grown(self, word: str) -> int:
        """By how much a word is larger than in the first round of the cycle."""
        return self.lap * self.claim.grows.get(word, 0)

    def _at_the_end(self) -> str:
        vm, end = self.vm, self.client.end
        if self.claim.found == "invariant":
            if vm.invariants_hold():
                raise ReplayError(
                    "all invariants hold at the end of the steps, so they show no violation"
                )
            return "invariant"
        if self.claim.cycle is not None:
            return self._go_round(self.claim.cycle)
        if vm.over:
            wrong = [name for name, value in self.client.expect.items() if vm.word(name) != value]
            if wrong:
                return "assertion"
            if end is not None and end.wrong(tuple(map(vm.word, end.words))):
                return end.found
            if vm.leaked():
                return "leak"
            raise ReplayError("all threads have finished without a violation")
        for _ in range(FAIR_ROUNDS):
            for thread in range(vm.n_threads()):
                if vm.model.buffers[thread]:
                    vm.flush(thread)
                vm.run(thread)
        if vm.over:
            raise ReplayError("the steps show a deadlock, but the threads can finish")
        return "deadlock"

    def _go_round(self, cycle: int) -> str:
        """Once more through the cycle, some times: the same happens, and who waits still waits."""
        vm, steps = self.vm, self.claim.steps[cycle:]
        vm.marks.clear()
        for self.lap in range(1, LAPS + 1):
            for number, step in enumerate(steps, start=cycle + 1):
                self._do(number, step)
        entered = {thread for thread, mark in vm.marks if mark in _ENTRIES}
        if self.claim.victim in entered or (self.claim.found == "bypass" and not entered):
            raise ReplayError(
                "the steps repeat, but they do not show the violation: "
                f"thread {self.claim.victim} gets in, or no thread does"
            )
        if self.claim.found == "bypass":
            return "bypass"
        acting = {step.thread for step in steps}
        if self.claim.victim not in acting and vm.options(self.claim.victim):
            raise ReplayError(
                f"this is no starvation: thread {self.claim.victim} can act in the repeated steps, "
                "and the schedule never lets it"
            )
        return "starvation" if entered else "livelock"
