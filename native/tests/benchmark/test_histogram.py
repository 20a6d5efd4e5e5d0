"""Histograms: the C layout, and what is read from it."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from math import isnan
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from locknative.benchmark.histogram import Histogram, merge

NATIVE = Path(__file__).parents[2]

LAYOUT = """
#include <stdio.h>
#include "harness/samples.h"

int main(void)
{
    uint64_t next = 0;

    for (unsigned bucket = 0; bucket < LOCKLAB_BUCKETS; bucket++) {
        uint64_t first = locklab_bucket_first(bucket), width = locklab_bucket_width(bucket);

        if (first != next || locklab_bucket(first) != bucket ||
            locklab_bucket(first + width - 1) != bucket || (width > 1 && width > first / 64)) {
            printf("bucket %u: first %llu, width %llu", bucket, (unsigned long long)first,
                   (unsigned long long)width);
            return 1;
        }
        next = first + width;
    }
    printf("ends at %llu", (unsigned long long)next);
    return 0;
}
"""


def bucketed(values: list[int]) -> Histogram:
    """Count values as the C side does."""

    def bucket(value: int) -> tuple[int, int]:
        shift = max(0, value.bit_length() - 7)
        return value >> shift << shift, 1 << shift

    counts = Counter(bucket(value) for value in values)
    rows = tuple((first, width, count) for (first, width), count in sorted(counts.items()))
    return Histogram(total=sum(values), longest=max(values, default=0), counts=rows)


def test_layout(tmp_path: Path) -> None:
    """Buckets join without a gap, hold their ends, are 1/64 wide at most, and cover 64 bits."""
    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler 'cc' found: install gcc"
    (tmp_path / "layout.c").write_text(LAYOUT)
    command = [compiler, "-std=c11", "-Wall", "-Werror", "-I", NATIVE, "layout.c", "-o", "layout"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=False)
    # One past the last value is 2^64, which wraps.
    assert (0, "ends at 0") == (done.returncode, done.stdout)


values = st.lists(st.integers(0, 2**40), min_size=1, max_size=200)


@given(values=values, percent=st.floats(0, 100))
def test_percentile(values: list[int], percent: float) -> None:
    """A percentile is off by half a bucket at most, 1/128, and never above the longest."""
    true = int(np.percentile(values, percent, method="inverted_cdf"))
    found = bucketed(values).percentile(percent)
    assert abs(found - true) <= true / 128 + 1e-9
    assert found <= max(values)


@given(values=values)
def test_mean_is_exact(values: list[int]) -> None:
    """The sum is kept, not made of buckets."""
    histogram = bucketed(values)
    assert (len(values), sum(values) / len(values)) == (histogram.samples, histogram.mean)


@given(parts=st.lists(st.lists(st.integers(0, 2**40), max_size=50), max_size=5))
def test_merge(parts: list[list[int]]) -> None:
    """Merged histograms are the histogram of all values."""
    assert bucketed([value for part in parts for value in part]) == merge(map(bucketed, parts))


def test_empty() -> None:
    """Without samples there is no mean and no percentile."""
    assert isnan(Histogram().mean)
    assert isnan(Histogram().percentile(50))
