"""Whether a measurement can be what ``bench`` wrote: its parts follow from one another.

A file of a measurement is text, and anybody can write one. But its parts hang together: the seed
gives the order of the trials and the dice of each, the tallies decide which trials were disturbed,
one acquisition in ``sample_every`` has its times in the histograms, and a thread cannot do more
private work than its time allows. Who changes a value must change all that follows from it.

Not found: a file made up by a program that keeps to all of this, and a measurement that another
person made.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from datetime import datetime, timedelta

from locknative.benchmark.histogram import Histogram
from locknative.benchmark.measurement import ENOUGH, BenchCell, Measurement, Tally, Trial, estimate
from locknative.survey.judge import disturbances
from locknative.survey.speed import SpeedCheck, turns_ns
from locknative.survey.trials import SLEEPERS, rounds

__all__ = ["contradictions"]

LEAST_WORK = 0.8
"""Private work takes at least this share of what it took in the quickest moment of all: a CPU may
have been quicker still between two looks at it."""
SLACK = timedelta(milliseconds=2)
"""Times of day are written in ms, each rounded."""
NS_PER_MS = 1_000_000


def contradictions(made: Measurement) -> Iterator[str]:
    """What in a measurement cannot be, a sentence each; none for what ``bench`` wrote.

    Arguments:
        made: the measurement. Less is known about cells of the throughput loop: it samples nothing.

    Raises:
        ValueError, TypeError, ArithmeticError, IndexError: values that cannot be computed with.
    """
    for number, cell in enumerate(made.cells):
        turns = [round(ns / made.clock.turn_ns) for ns in (cell.hold_ns, cell.think_ns)]
        if [cell.hold, cell.think] != turns:
            yield f"cell {number}: {turns} iterations of private work take these times"
    yield from _order(made)
    yield from _times(made)
    yield from _rejected(made)
    quickest_ns = min(_turns(made))
    for trial in made.trials:
        for number, tally in enumerate(trial.tallies):
            wrong = _impossible(made.cells[trial.cell], trial, tally, quickest_ns)
            if wrong:
                yield f"trial {trial.number}, thread {number}: {wrong}"
    counts: dict[tuple[int, ...], int] = {}
    for trial in made.trials:
        of_all = tuple(n for t in trial.tallies for n in (t.count, t.wall_ns, t.cpu_ns))
        if of_all in counts:
            yield f"trial {trial.number} is a copy of trial {counts[of_all]}"
        counts[of_all] = trial.number


def _order(made: Measurement) -> Iterator[str]:
    """The seed gives the order of cells and the dice of each trial, with the stopping rule."""
    found: list[Trial] = []
    most = max((sum(t.cell == i for t in made.trials) for i in range(len(made.cells))), default=0)

    def needs_more(index: int) -> bool:
        mine = [trial for trial in found if trial.cell == index]
        good = [trial.ns_per_operation for trial in mine if not trial.rejected]
        if len(mine) >= most:
            return False
        return len(good) < ENOUGH or estimate(good).half_width > made.precision

    again = rounds(range(len(made.cells)), needs_more, random.Random(made.seed))
    for number, trial in enumerate(made.trials):
        if (number, *next(again, (-1, -1))) != (trial.number, trial.cell, trial.seed):
            yield f"trial {trial.number} is not the one that the seed {made.seed} gives there"
            return
        found.append(trial)


def _times(made: Measurement) -> Iterator[str]:
    """One trial runs at a time, so each begins when the one before it can be over."""
    least = timedelta(milliseconds=made.duration_ms + made.warmup_ms) - SLACK
    began = [datetime.fromisoformat(trial.began) for trial in made.trials]
    whole = datetime.fromisoformat(made.began)
    if any(one.tzinfo is None for one in (whole, *began)) or not whole <= min(began, default=whole):
        yield "its times have no zone, or a trial begins before the whole"
        return
    for number, (before, after) in enumerate(itertools.pairwise(began)):
        if not after - before >= least:
            yield f"trial {number + 1} begins before trial {number} can have ended"
            return
    if began and not began[-1] - whole <= timedelta(seconds=made.seconds + 1):
        yield f"its trials take longer than the {made.seconds:.1f} s of the whole"


def _rejected(made: Measurement) -> Iterator[str]:
    """Which trials were disturbed follows from their tallies and those before them."""
    speed = SpeedCheck()
    for trial in made.trials:
        tallies = [tally.model_dump() for tally in trial.tallies]
        speed.add(turns_ns(tallies))
        sleeps = made.cells[trial.cell].kernel in SLEEPERS
        duration_ns = made.duration_ms * NS_PER_MS
        wrong = disturbances(tallies, trial.steal_ticks, speed, duration_ns, sleeps)
        if bool(wrong) != bool(trial.rejected):
            says = f"was disturbed ({wrong[0]})" if wrong else "was not disturbed"
            marked = "rejected" if trial.rejected else "good"
            yield f"trial {trial.number} {says}, and is marked as {marked}"


def _turns(made: Measurement) -> Iterator[float]:
    """What an iteration of private work took, in ns, each time that it was measured."""
    yield made.clock.turn_ns
    for trial in made.trials:
        yield trial.clock.turn_ns
        yield from (tally.turn_ns for tally in trial.tallies)


def _impossible(cell: BenchCell, trial: Trial, tally: Tally, quickest_ns: float) -> str:
    """What is wrong with the counts of a thread; "" if nothing is."""
    work_ns = tally.count * (cell.hold + cell.think) * quickest_ns
    if not 0 <= work_ns * LEAST_WORK <= tally.wall_ns:
        return f"{tally.count:,} sections have more private work than {tally.wall_ns:,} ns allow"
    sides = [side for side in (tally.write, tally.read) if side is not None]
    if not sides:
        return ""
    if sum(side.count for side in sides) != tally.count:
        return "its sides do not add up to its count"
    every = trial.clock.sample_every
    if sum(side.wait.samples for side in sides) != -(-tally.count // every):
        return f"one section in {every} is timed, which is not so with {tally.count:,} sections"
    for side in sides:
        for one in (side.wait, side.contended_wait, side.hold):
            if not _adds_up(one):
                return "the buckets of a histogram do not add up to its total"
        if side.wait.samples != side.hold.samples or side.contended_wait.samples > side.contended:
            return "waits and holds are not of the same sections"
    inside = sum(side.wait.total + side.hold.total for side in sides) / trial.clock.ticks_per_ns
    if not 0 <= inside <= tally.wall_ns:
        return "the timed sections alone take longer than the trial"
    return ""


def _adds_up(one: Histogram) -> bool:
    """Whether total and longest lie in the buckets."""
    low = sum(first * count for first, _, count in one.counts)
    high = sum((first + width - 1) * count for first, width, count in one.counts)
    if not one.counts:
        return one.total == one.longest == 0
    first, width, _ = one.counts[-1]
    return low <= one.total <= high and first <= one.longest < first + width
