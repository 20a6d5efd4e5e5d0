"""Random schedules, for what is too large to explore: bugs can be found, not excluded.

A schedule follows from its seed (:mod:`locksim.checker.search.random_walk`). One that fails is
shrunk: steps are left out, first many, then few, as long as the same thing still goes wrong (delta
debugging; Zeller and Hildebrandt, IEEE TSE 28(2), 2002). What is left is a counterexample like any
other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from locksim.checker.check import Progress, build, dealt, expected, shown, watched
from locksim.checker.client import Client
from locksim.checker.errors import CheckError
from locksim.checker.limits import UNFINISHED, VIOLATED
from locksim.checker.models.layout import MODEL
from locksim.checker.models.model import Model
from locksim.checker.models.outcome import CHOICES, DONE, FAULT, HEAP_FULL
from locksim.checker.models.registers import NOTES
from locksim.checker.question import Question
from locksim.checker.replay import counterexample as ce
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.search.random_walk import CUT
from locksim.checker.search.runner import CHOICE_OF, PLAIN, STEPS_OF_A_STATE, Runner, runner
from locksim.checker.search.step import start
from locksim.checker.verdict import Verdict
from locksim.lang.randomness import below, draw

_POINTS = 1 << 21
"""The stream of random numbers that the points of a schedule by priorities come from."""
LONGEST = 20_000
"""Steps after which a schedule is cut."""
SAFETY = ("all", "exclusion", "assertion", "memory", "race")
"""What a schedule can show. Being stuck is shown too, and ends it whatever was asked."""


@dataclass(frozen=True)
class Sampling:
    """How to draw schedules.

    Arguments:
        schedules: how many, of each client; of one whose threads are dealt to NUMA nodes, in all
            ways together.
        depth: ordering constraints that a bug may take (PCT), from 1; 0: random schedules.
        seed: the first schedule's; the others' follow.
    """

    schedules: int = 10_000
    depth: int = 0
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.schedules <= 10**9:
            raise CheckError(f"schedules must be between 1 and {10**9:,} (got {self.schedules})")
        if not 0 <= self.depth <= 100:
            raise CheckError(f"the depth must be between 0 and 100 (got {self.depth})")
        if not 0 <= self.seed < 1 << 62:
            raise CheckError(f"the seed must be between 0 and 2^62 - 1 (got {self.seed})")


def sample_clients(
    clients: Sequence[Client],
    sampling: Sampling,
    question: Question,
    report: Progress | None = None,
) -> Verdict:
    """Try test clients on random schedules, one after another, until one fails.

    Arguments:
        clients: at least one.
        sampling: how many schedules, and which.
        question: what is asked; of the budget only the time and the sizes count.
        report: called now and then with a line of text and the share of the schedules drawn.

    Returns:
        A verdict that is "violated" or "unfinished". Its ``states`` are steps, its ``depth`` the
        longest schedule.

    Raises:
        CheckError: the request makes no sense, or the lock cannot be checked.
        CompileError, LinkError, SimulationError: the lock is no valid program.
    """
    if question.property not in SAFETY:
        raise CheckError(
            f"random schedules cannot check the property '{question.property}', only: "
            f"{', '.join(SAFETY)}"
        )
    sampler = _Sampler(sampling, question, report)
    violation, client = None, clients[0]
    ways = [dealt(each, question) for each in clients]
    for client, number in ((one, len(way)) for way in ways for one in way):
        violation = sampler.client(client, -(-sampling.schedules // number))
        if violation is not None:
            break
    return Verdict(
        **question.of_verdict(),
        verdict=UNFINISHED if violation is None else VIOLATED,
        states=sampler.steps,
        depth=sampler.longest,
        seconds=sampler.seconds,
        found="" if violation is None else violation.found,
        client=client.name,
        limits=[sampler.summary(violation is not None)],
        counterexample=violation,
    )


class _Sampler:
    def __init__(self, sampling: Sampling, question: Question, report: Progress | None) -> None:
        self.sampling, self.question, self.report = sampling, question, report
        self.steps, self.longest, self.seconds = 0, 0, 0.0
        self.drawn, self.cut, self.seed, self.before = 0, 0, sampling.seed, 0

    def summary(self, violated: bool) -> str:
        """What was tried, in a sentence."""
        kind = f"by priorities, depth {self.sampling.depth}" if self.sampling.depth else "random"
        if violated:
            return (
                f"schedule {self.drawn:,} ({kind}, seed {self.seed}) failed after {self.before} "
                "steps; shown is what was left of it"
            )
        cut = f"; {self.cut:,} were cut after {LONGEST:,} steps" if self.cut else ""
        return (
            f"no proof: {self.drawn:,} schedules ({kind}, seeds from {self.sampling.seed}) found "
            f"nothing wrong{cut}"
        )

    def client(self, client: Client, schedules: int) -> Counterexample | None:
        """Draw some schedules of a client; the counterexample if one fails."""
        built = build(client, self.question, watched(self.question))
        if built.invariants or client.end is not None:
            raise CheckError(
                f"{client.name}: random schedules check no invariant and no --expect\n"
                "help: leave --random out, or --expect and the invariant"
            )
        expect = client.expect if self.question.asks("assertion") else {}
        run = _Run(built, expected(built, expect))
        begun = time.process_time()
        try:
            for k in range(schedules):
                self.seed = self.sampling.seed + k
                status, trail = run.wander(self.seed, self.sampling.depth)
                self.drawn += 1
                self.steps += len(trail)
                self.longest = max(self.longest, len(trail))
                self.cut += status == CUT
                if status == CHOICES:
                    raise CheckError("a random choice among too many values decides what happens")
                if status not in (DONE, CUT, HEAP_FULL):
                    self.before = len(trail)
                    violation = ce.of_path(built, run.shrunk(trail, status), status, expect)
                    return shown(violation, client, self.question.memory, fault=status == FAULT)
                if time.process_time() - begun + self.seconds > self.question.budget.max_seconds:
                    break
                if self.report is not None and k % 100 == 0:
                    self.report(f"{self.drawn:,} schedules", k / schedules)
        finally:
            self.seconds += time.process_time() - begun
        return None


class _Run:
    """A model whose threads stand at their first operations."""

    def __init__(
        self, model: Model, expect: Sequence[Sequence[int]], by: Runner | None = None
    ) -> None:
        self.model, self.expected, self.usual = model, expect, 1
        self.rows, self.shared = [row.copy() for row in model.threads], model.shared.copy()
        self.given = by
        self.memory = model.tables.size[MODEL]
        self._use(by or runner(self.memory, small=True))
        regs, note = list(model.program.registers), [0] * NOTES
        for row in self.rows:
            if start(model.tables, row, self.shared, regs, note) != DONE:
                raise CheckError(
                    "a thread fails before its first operation, on every schedule\n"
                    "help: check it without random schedules to see how"
                )

    def _use(self, by: Runner) -> None:
        """Go on with these functions."""
        self.by, model = by, self.model
        self.tables, self.expect = by.tables(model.tables), by.pairs(self.expected)
        self.regs = by.row(model.program.registers)
        self.note, self.trail = by.row([0] * NOTES), by.row([0] * LONGEST)

    def _took(self, steps: int) -> None:
        """Count steps; many of them are taken by compiled code."""
        if self.by is PLAIN and self.given is None:
            choice = CHOICE_OF[self.memory]
            choice.spend(steps // STEPS_OF_A_STATE)
            if not choice.left():
                self._use(runner(self.memory))

    def wander(self, seed: int, depth: int) -> tuple[int, list[int]]:
        """One schedule: what came of it, and its steps."""
        points = [-1]
        if depth:
            points = [below(draw(seed, _POINTS, k), self.usual) for k in range(depth - 1)]
        status, length = self.by.wander(
            self.tables,
            self.by.rows(self.rows),
            self.by.row(self.shared),
            self.regs,
            self.expect,
            seed,
            self.by.row(points),
            self.trail,
            self.note,
        )
        self.usual = max(self.usual, length)
        steps = [int(via) for via in self.trail[:length]]
        self._took(len(steps))
        return int(status), steps

    def shrunk(self, trail: list[int], status: int) -> list[int]:
        """As few of the steps as still do the same."""
        size = len(trail)
        while size:
            at = 0
            while at < len(trail):
                fewer = trail[:at] + trail[at + size :]
                found, used = self._follow(fewer)
                if found == status:
                    trail = fewer[:used]
                else:
                    at += size
            size //= 2
        return trail

    def _follow(self, trail: list[int]) -> tuple[int, int]:
        rows, shared, steps = self.by.rows(self.rows), self.by.row(self.shared), self.by.row(trail)
        status, used = self.by.follow(
            self.tables, rows, shared, self.regs, self.expect, steps, self.note
        )
        self._took(int(used))
        return int(status), int(used)
