"""Histograms of times: how long the slowest 1 % took, in memory that does not grow with the run.

A time below 128 ps has a bucket of its own. Above, each power of two is divided into 64 buckets of
equal width, so a bucket is at most 1/64 of its values wide. A percentile is the longest time of the
bucket in which it lies, or the longest of all if that is less: never too small, exact below 128 ps,
and at most 1/64 (1.6 %) too large above. Means and the longest time are kept exactly.

Both engines count in the same buckets, and the native harness does too, in ticks
(``native/harness/samples.h``).

Source of the layout: Tene, HdrHistogram (hdrhistogram.org): buckets by power of two, divided
linearly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

__all__ = ["BUCKETS", "PERCENTILES", "bucket_of", "percentile"]

SUB_BITS = 6
_EXACT = 2 << SUB_BITS
LONGEST_BITS = 52
"""No time is longer than 2**52 ps: a run ends there."""
BUCKETS = _EXACT + ((LONGEST_BITS - SUB_BITS - 1) << SUB_BITS)
PERCENTILES = {"p50": 500, "p90": 900, "p99": 990, "p999": 999}
"""What the meters report: names, and thousandths of all times."""


def bucket_of(time_ps: int) -> int:
    """The bucket of a time in picoseconds, from 0; compiled into the fast engine."""
    if time_ps < _EXACT:
        return time_ps
    shift = math.frexp(time_ps)[1] - SUB_BITS - 1
    return (shift << SUB_BITS) + (time_ps >> shift)


def bounds_of(bucket: int) -> tuple[int, int]:
    """The shortest and the longest time of a bucket, in picoseconds."""
    if bucket < _EXACT:
        return bucket, bucket
    shift = (bucket >> SUB_BITS) - 1
    first = (bucket - (shift << SUB_BITS)) << shift
    return first, first + (1 << shift) - 1


def percentile(counts: Mapping[int, int], thousandths: int, longest_ps: int) -> int:
    """The time that so many thousandths of all times do not exceed; 0 if there are no times.

    Arguments:
        counts: bucket → number of times in it. longest_ps: the longest of the times.
    """
    times = sum(counts.values())
    missing = max(1, -(-times * thousandths // 1000)) if times else 0
    for bucket in sorted(counts):
        missing -= counts[bucket]
        if missing <= 0:
            return min(bounds_of(bucket)[1], longest_ps)
    return 0
