"""What a machine's topology makes of the lists of cells."""

from __future__ import annotations

import json

from locknative.survey.cells import (
    ALL_PAIRS_UP_TO,
    PAIRS_OF_A_KIND,
    WHOLE,
    Cell,
    cpu_sets,
    kernel_cells,
    pairs,
    probe_cells,
    sentinel_cell,
)
from locknative.survey.topology import Cpu

ONE = [Cpu(0, 0, 0, 0, 0)]
TWO_CACHES = [Cpu(n, n, n // 4 * 4, 0, 0) for n in range(8)]
LARGE = [Cpu(n, n, n // 16 * 16, n // 16, n // 16) for n in range(64)]


def test_one_cpu_has_no_pairs() -> None:
    """A machine with one CPU is probed with what one CPU can show."""
    cells = probe_cells(ONE)
    assert {0} == {cpu for cell in cells for cpu in cell.cpus}
    assert not {c for c in cells if c.kernel.startswith(("handoff", "contended"))}
    assert sentinel_cell(ONE) is None
    assert [(0,)] == cpu_sets(ONE)


def test_every_pair_of_a_small_machine() -> None:
    """Up to 16 CPUs every pair is probed; the sentinel is the nearest."""
    assert len(TWO_CACHES) <= ALL_PAIRS_UP_TO
    assert 28 == len(pairs(TWO_CACHES))
    assert sentinel_cell(TWO_CACHES) == Cell("handoff_cas", (0, 1))


def test_some_pairs_of_a_large_one() -> None:
    """On a large machine each relation gets its share, and no more."""
    chosen = pairs(LARGE)
    near = [p for p in chosen if p[0] // 16 == p[1] // 16]
    assert (PAIRS_OF_A_KIND, PAIRS_OF_A_KIND) == (len(near), len(chosen) - len(near))


def test_sets_near_and_far() -> None:
    """Powers of two and all; placements that differ are both there, equal ones once."""
    sets = cpu_sets(TWO_CACHES)
    assert [1, 2, 2, 4, 4, 8] == [len(c) for c in sets]
    assert (0, 1) in sets
    assert (0, 4) in sets


def test_ring_sizes() -> None:
    """Memory is probed above the last cache, and never with more than there is."""
    sizes = [c.option for c in probe_cells(ONE, llc_kib=100_000) if c.kernel == "chase"]
    assert 400_000 == max(sizes)
    sizes = [
        c.option for c in probe_cells(ONE, llc_kib=100_000, memory_kib=9000) if c.kernel == "chase"
    ]
    assert 9000 == max(sizes)


def test_kernels() -> None:
    """Locks get both loops, a read side its own cells, probes none here."""
    listed = [
        {
            "name": "mcs",
            "kind": "lock",
            "loops": ["validate", "throughput", "latency"],
            "read": False,
        },
        {"name": "rwlock", "kind": "lock", "loops": ["throughput", "latency"], "read": True},
        {"name": "own_add", "kind": "probe", "loops": ["throughput"], "read": False},
    ]
    cells = kernel_cells(ONE, listed)
    assert {"mcs", "rwlock"} == {c.kernel for c in cells}
    assert {WHOLE} == {c.write_share for c in cells if c.kernel == "mcs" and c.loop == "latency"}
    assert 1 == sum(c.read for c in cells)
    assert len(cells) == len(set(cells))


def test_a_cell_survives_json() -> None:
    """What a trial's record holds gives the cell back."""
    cell = Cell("mcs", (3, 1), "latency", hold=5, think=7, write_share=WHOLE)
    assert cell == Cell.of(json.loads(json.dumps(cell._asdict())))
