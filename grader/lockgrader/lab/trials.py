"""Trials of a measured machine, as a student's function gets them, and what is right about them.

The machines are the data sets of ``datasets/native``. A student gets some of the trials of one cell
(a lock, two threads, a time between sections), drawn by a seed, good and disturbed ones. On a
virtual machine the two CPUs were near each other for a part of the time and far for the rest, so
good trials fall into two groups.

For a diagnosis the trials are good ones of the near group, of which some are then spoiled on
purpose, in one of three ways:

1. frequency: from some trial on the clock is slower. Everything takes longer, private work as well.
2. migration: from some trial on the CPUs are far. The trials are real ones of the far group.
3. a shared core: in trials here and there another hardware thread works on the core of one thread.

Not modelled: a slower clock that leaves the memory's speed alone.
"""

from __future__ import annotations

import csv
import functools
import itertools
import random
import statistics
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from lockgrader.lab.closed import Closed, Text
from lockui.files import home

__all__ = ["Reading", "Trials", "of_dataset"]

DATASETS = "datasets/native"
WHOLE, SLOW = 0.99, 1.1
"""A good trial: each thread had its CPU for this share of the time; its private work took at most
this many times as long as in the fastest trial."""
CAUSES = tuple(itertools.permutations((1, 2, 3)))
"""The causes of three sets, by the number of their order."""
ITERATIONS = {0: 0, 56: 200, 1115: 4000}
"""Time between two sections in ns → iterations of private work, as the data sets name it."""
SET_SIZE = 24
UNFAIR = ("tas", "ttas", "ttas_backoff")
"""Without time between sections the owner of these does more rounds before a far CPU takes the
line: the quick trials are the far ones."""


class Trials(Closed):
    """Some trials of a cell.

    Arguments:
        dataset: a folder of ``datasets/native``. kernel: the lock.
        think_ns: time between two sections. seed: of what is drawn.
        which: None for good and disturbed trials; 0 to 2 for three spoiled sets, 3 for a clean one.
        order: which of the three sets is spoiled in which way, 0 to 5.
    """

    dataset: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] = "vm-2-epyc"
    kernel: Text
    think_ns: Literal[0, 56, 1115] = 0
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    which: Annotated[int, Field(ge=0, le=3)] | None = None
    order: Annotated[int, Field(ge=0, le=5)] = 0

    @model_validator(mode="after")
    def _near_is_quick(self) -> Trials:
        if self.kernel in UNFAIR and not self.think_ns:
            raise ValueError(
                f"{self.kernel} without think time is faster when its CPUs are far apart: "
                "set think_ns to 56 or 1115"
            )
        return self

    def rows(self) -> list[dict[str, Any]]:
        """One row a thread: ``trial, thread, count, wall_ns, cpu_ns, turn_ns``."""
        return [row for number, trial in enumerate(self._made()[0]) for row in _rows(number, trial)]

    def right(self) -> dict[str, float]:
        """Of a spoiled set its ``cause`` (0: none) and how many trials are ``spoiled``.

        Otherwise the number of good ``trials``, how many of them are ``near``, and the medians of
        both groups, ``near_ns`` and ``far_ns``.
        """
        trials, cause, spoiled = self._made()
        if self.which is not None:
            return {"cause": cause, "spoiled": spoiled}
        near, far = _groups(trials)
        return {
            "trials": len(near) + len(far),
            "near": len(near),
            "near_ns": statistics.median(near),
            "far_ns": statistics.median(far),
        }

    def times(self) -> list[float]:
        """Times from one section to the next on one thread, in ns, of the good trials, rising."""
        return _times(self._made()[0])

    def _made(self) -> tuple[list[_Trial], int, int]:
        """The trials, the cause, and how many are spoiled."""
        every = list(_cell(self.dataset, self.kernel, ITERATIONS[self.think_ns]))
        # Each of the sets has a number of spoiled trials of its own.
        draw = random.Random(self.seed if self.which is None else f"{self.seed} {self.which}")
        fastest = min(min(one.turn_ns) for one in every)
        if self.which is None:
            return [o for o in every if not _good(o, fastest) or draw.random() < 0.9], 0, 0
        good = sorted((o for o in every if _good(o, fastest)), key=_ns)
        edge = _edge([_ns(one) for one in good])
        near, far = good[:edge], good[edge:]
        made = [draw.choice(near) for _ in range(SET_SIZE)]
        cause = CAUSES[self.order][self.which] if self.which < len(CAUSES[0]) else 0
        spoiled = draw.randint(6, 14) if cause else 0
        places = list(range(SET_SIZE - spoiled, SET_SIZE))
        if cause == 3:
            places = draw.sample(range(SET_SIZE), spoiled)
        slower = draw.uniform(1.25, 1.6)
        for place in places:
            if cause == 1:
                made[place] = made[place].slowed((slower, slower), slower)
            elif cause == 2:
                made[place] = draw.choice(far)
            else:
                one = draw.uniform(1.5, 2.0)
                pair = (one, 1.0) if draw.random() < 0.5 else (1.0, one)
                made[place] = made[place].slowed(pair, draw.uniform(1.15, 1.4))
        return made, cause, spoiled


class Reading(Closed):
    """A right number that a data set's trials give: a name of :meth:`Trials.right`."""

    reading: Trials
    column: Text = "near_ns"

    def number(self) -> float:
        """The number."""
        return self.reading.right()[self.column]


def of_dataset(name: str) -> Path:
    """The folder of a data set."""
    return home() / DATASETS / name


class _Trial(Closed):
    """One process, its values by thread."""

    count: tuple[int, ...]
    wall_ns: tuple[int, ...]
    cpu_ns: tuple[int, ...]
    turn_ns: tuple[float, ...]

    def slowed(self, private: tuple[float, float], times: float) -> _Trial:
        """The same with private work of each thread, and all operations, so many times as slow."""
        return self.model_copy(
            update={
                "count": tuple(round(n / times) for n in self.count),
                "turn_ns": tuple(
                    round(t * p, 4) for t, p in zip(self.turn_ns, private, strict=True)
                ),
            }
        )


@functools.cache
def _cell(dataset: str, kernel: str, think: int) -> tuple[_Trial, ...]:
    """All trials of a lock's latency loop with two threads that gave a result."""
    wanted = {"kernel": kernel, "cpus": "0 1", "loop": "latency", "hold": "0", "think": str(think)}
    with (of_dataset(dataset) / "trials.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            _Trial.model_validate({name: row[name].split() for name in _Trial.model_fields})
            for row in csv.DictReader(file)
            if row["count"] and all(row[key] == value for key, value in wanted.items())
        )


def _rows(number: int, one: _Trial) -> list[dict[str, Any]]:
    return [
        {"trial": number, "thread": i, **{k: v[i] for k, v in one.model_dump().items()}}
        for i in range(len(one.count))
    ]


def _ns(one: _Trial) -> float:
    """Time from one section to the next on one thread."""
    return sum(one.wall_ns) / max(1, sum(one.count))


def _good(one: _Trial, fastest: float) -> bool:
    had = all(c >= WHOLE * w for c, w in zip(one.cpu_ns, one.wall_ns, strict=True))
    return had and max(one.turn_ns) <= SLOW * fastest


def _times(trials: list[_Trial]) -> list[float]:
    """The times of the good trials, rising."""
    fastest = min(min(one.turn_ns) for one in trials)
    return sorted(_ns(one) for one in trials if _good(one, fastest))


def _groups(trials: list[_Trial]) -> tuple[list[float], list[float]]:
    """The times of the good trials, near and far: split where neighbours differ most."""
    times = _times(trials)
    edge = _edge(times)
    return times[:edge], times[edge:]


def _edge(times: list[float]) -> int:
    """How many of some rising times come before the largest ratio of neighbours."""
    ratios = [later / earlier for earlier, later in itertools.pairwise(times)]
    return 1 + ratios.index(max(ratios))
