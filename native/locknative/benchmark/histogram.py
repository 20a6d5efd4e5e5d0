"""Times as the latency loop counts them: buckets at most 1/64 of their value wide, in ticks.

The layout is that of ``harness/samples.h``. A trial prints each bucket with its bounds, so this
module does not need the layout. A time that is read from a histogram is the middle of its bucket,
with an error of at most 0.8 %; sum and longest are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from pydantic import BaseModel, ConfigDict


class Histogram(BaseModel):
    """Sampled times in ticks.

    ``total`` is their sum, ``longest`` the longest. ``counts`` has one row for each bucket in
    ascending order: its least value, its width, the number of samples in it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    total: int = 0
    longest: int = 0
    counts: tuple[tuple[int, int, int], ...] = ()

    @property
    def samples(self) -> int:
        """The number of samples."""
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
        # The first bucket at which this many samples are reached; at least one.
        needed = max(1, int(np.ceil(percent / 100 * reached[-1] - 1e-9)))
        first, width, _ = self.counts[int(np.searchsorted(reached, needed))]
        return min(first + (width - 1) / 2, self.longest)


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """Return one histogram of all samples."""
    counts: Counter[tuple[int, int]] = Counter()
    total = longest = 0
    for histogram in histograms:
        total += histogram.total
        longest = max(longest, histogram.longest)
        for first, width, count in histogram.counts:
            counts[first, width] += count
    rows = tuple((first, width, count) for (first, width), count in sorted(counts.items()))
    return Histogram(total=total, longest=longest, counts=rows)
