"""The what-ifs of the label cache: when the old index would have been noticed."""

from functools import cache

import pytest

from locksim.papers.what_if import Comparison, Runs, find


@cache
def rows(name: str) -> dict[tuple[str, str], Comparison]:
    """A what-if's rows, simulated once with one replication."""
    outcome = find(name).run(Runs(replications=1))
    return {(r.row, r.column): r for r in outcome.rows}


@pytest.mark.slow
def test_one_label_hides_the_index() -> None:
    """With the source's single label, and with thirty, both caches are alike."""
    for test in ("tcp_stream", "tcp_rr"):
        for column in ("1 labels", "30 labels"):
            assert abs(rows("moore-2006-netlabel-index")[test, column].gain - 1) < 0.01


@pytest.mark.slow
def test_many_labels_miss_in_the_old_cache() -> None:
    """Beyond forty labels it gets slower and slower; the mended one does not care up to 480."""
    found = rows("moore-2006-netlabel-index")
    for test, worst in (("tcp_stream", 1.7), ("tcp_rr", 1.35)):
        gains = [found[test, f"{n} labels"].gain for n in (30, 60, 120, 480)]
        assert gains == sorted(gains)
        assert gains[-1] > worst
        flat = [found[test, f"{n} labels"].after.mean for n in (1, 480)]
        assert max(flat) / min(flat) < 1.01


def test_four_locks_do_not_scale() -> None:
    """On 64 CPUs the four buckets' locks collapse, 128 scale on."""
    found = rows("moore-2006-netlabel-cpus")
    few, many = (found["32 labels", f"{n} CPUs"] for n in (4, 64))
    assert many.after.mean > 10 * few.after.mean
    assert many.before.mean < few.before.mean
