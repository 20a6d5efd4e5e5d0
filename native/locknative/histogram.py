"""Times as the latency loop counts them: buckets at most 1/64 of their value wide, in ticks.

The layout is that of ``harness/samples.h``; the trial prints each bucket with its bounds, so
nothing here knows it. A time that is read from a histogram lies in the middle of its bucket, and is
right to 0.8 %; sum and longest are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from pydantic import BaseModel, ConfigDict


class Histogram(BaseModel):
    """Sampled times in ticks.

    ``total`` is their sum, ``longest`` the longest, ``counts`` one row a bucket in ascending
    order: least value, number of values, how many times fell into it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    total: int = 0
    longest: int = 0
    counts: tuple[tuple[int, int, int], ...] = ()

    @property
    def samples(self) -> int:
        """How many times were recorded."""
        return sum(count for _, _, count in self.counts)

    @property
    def mean(self) -> float:
        """The mean in ticks; NaN without samples."""
        return self.total / self.samples if self.counts else float("nan")

    def percentile(self, percent: float) -> float:
        """Return the time in ticks that ``percent`` of the samples do not exceed.

        NaN without samples; never above the longest.

        Args:
            percent: from 0 to 100.
        """
        if not self.counts:
            return float("nan")
        reached = np.cumsum([count for _, _, count in self.counts])
        # The smallest bucket by which that many have been seen; at least one.
        needed = max(1, int(np.ceil(percent / 100 * reached[-1] - 1e-9)))
        first, width, _ = self.counts[int(np.searchsorted(reached, needed))]
        return min(first + (width - 1) / 2, self.longest)


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """Return the histogram of all samples together."""
    counts: Counter[tuple[int, int]] = Counter()
    total = longest = 0
    for histogram in histograms:
        total += histogram.total
        longest = max(longest, histogram.longest)
        for first, width, count in histogram.counts:
            counts[first, width] += count
    rows = tuple((first, width, count) for (first, width), count in sorted(counts.items()))
    return Histogram(total=total, longest=longest, counts=rows)
