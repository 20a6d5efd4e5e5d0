"""How often a label cache hits, by the number of labels: a black box seen from outside.

One CPU asks for labels drawn at random, each equally often. So the share of hits is the share of
the labels that are in the cache, whichever it evicts.
"""

from __future__ import annotations

import functools
import random
from typing import Annotated, NamedTuple

from pydantic import Field, model_validator

from lockgrader.lab.closed import Closed

__all__ = ["LabelCurve", "Point", "label_curve"]

WARMUP = 2_000
"""Lookups before the measured ones: they fill the cache many times over."""
_FEW = 3
_OBJECTS = 2
"""A miss allocates the entry and the label."""


class LabelCurve(Closed):
    """A cache and the numbers of labels.

    Arguments:
        labels: numbers of labels. points: in their place, how many numbers are drawn by the seed:
            three at most half of what the cache holds, the others two to four times as many; near
            that chance decides. bits: of the index of a bucket; the cache has 2^bits buckets.
        bucket_size: entries of a bucket. old_index: whether buckets are picked by
            ``hash & (bits - 1)``, as in the code of July 2006, or by all bits.
        miss_ns: work of a miss. other_ns: work of a message outside the cache. seed: of the run.
        lookups: measured for each point, after ``WARMUP`` others. With N of them, L labels and room
            for C the noise of hits x labels is about C x sqrt((L - C) / (C x N)): 3 % for 320
            labels and a room of 40.
    """

    labels: tuple[Annotated[int, Field(ge=1, le=100_000)], ...] = ()
    points: Annotated[int, Field(ge=5, le=30)] | None = None
    bits: Annotated[int, Field(ge=1, le=10)] = 7
    bucket_size: Annotated[int, Field(ge=1, le=100)] = 10
    old_index: bool = True
    miss_ns: Annotated[int, Field(ge=0, le=10**6)] = 16_000
    other_ns: Annotated[int, Field(ge=1, le=10**6)] = 5_000
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    lookups: Annotated[int, Field(ge=10, le=100_000)] = 8_000

    @model_validator(mode="after")
    def _one_way(self) -> LabelCurve:
        if bool(self.labels) == bool(self.points):
            raise ValueError("give the numbers of labels: either 'labels' or 'points'")
        return self

    @property
    def mask(self) -> int:
        """The bits of the hash that pick a bucket."""
        return self.bits - 1 if self.old_index else 2**self.bits - 1

    def numbers(self) -> tuple[int, ...]:
        """The numbers of labels, rising."""
        if self.points is None:
            return self.labels
        room = self.bucket_size * 2 ** self.mask.bit_count()
        draw = random.Random(f"labels {self.seed}")
        few = [draw.randint(1, max(1, room // 2)) for _ in range(_FEW)]
        many = [draw.randint(2 * room, 4 * room) for _ in range(self.points - _FEW)]
        return tuple(sorted(few + many))


class Point(NamedTuple):
    """Labels, the share of lookups that hit, and the time of one message in ns."""

    labels: int
    hits: float
    ns: float


@functools.cache
def label_curve(asked: LabelCurve) -> tuple[Point, ...]:
    """Simulate each point; equal requests give equal points."""
    return tuple(_point(asked, labels) for labels in asked.numbers())


def _point(asked: LabelCurve, labels: int) -> Point:
    from locksim.lang import NS
    from locksim.library.avc.cipso import Cipso
    from locksim.library.kernel.netlabel import NetLabel
    from locksim.library.workloads.label_lookups import LabelLookups
    from locksim.study.simulation import simulate

    cache = Cipso(index_mask=asked.mask, n_buckets=2**asked.bits, bucket_size=asked.bucket_size)
    host = NetLabel(option_ps=NS, translate_ps=asked.miss_ns * NS, cache=cache)
    made = simulate(
        LabelLookups(labels=host, n_labels=labels, other_ps=asked.other_ns * NS),
        machine="ideal-1",
        cpus=1,
        operations=asked.lookups,
        warmup=WARMUP,
        replications=1,
        seed=asked.seed,
    )
    misses = made.per_operation("allocs").mean / _OBJECTS
    return Point(labels, round(1 - misses, 4), round(made.operation_ps().mean / NS, 1))
