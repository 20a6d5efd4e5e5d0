"""Random small machines, for comparing the engines.

Costs are small numbers on purpose: events then fall on the same picosecond all the time, and the
order of equal times is what engines get wrong. What a profile refuses at zero is never zero.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from locksim.machine import MachineTables

CLASSES = 7
"""Distance classes: 0 and 1 are the same CPU and core, 2 the same node, the others farther."""


@st.composite
def caches(draw: st.DrawFn) -> dict[str, int]:
    """Caches so small that lines are given up all the time, with an L1 or without."""
    private = {"private_sets": draw(st.sampled_from([1, 2, 8])), "private_ways": _ways(draw)}
    if draw(st.booleans()):
        return private
    l1 = {"l1_sets": draw(st.sampled_from([1, 2, 4])), "l1_ways": _ways(draw)}
    return private | l1 | {"private_hit_ps": draw(st.integers(3, 9))}


@st.composite
def shared_caches(draw: st.DrawFn) -> dict[str, int]:
    """Caches as small, and one that a node shares: inclusive, or of victims."""
    found = draw(caches())
    inclusive = draw(st.integers(0, 1))
    sets = draw(st.sampled_from([1, 2, 8]))
    ways = draw(st.sampled_from([1, 2, 3, 8]))
    if inclusive:
        ways = max(ways, found["private_sets"] * found["private_ways"] // sets)
    dearest = found.get("private_hit_ps", 3)
    return found | {
        "shared_sets": sets,
        "shared_ways": ways,
        "shared_inclusive": inclusive,
        "shared_hit_ps": draw(st.integers(dearest, dearest + 9)),
    }


def _ways(draw: st.DrawFn) -> int:
    return draw(st.sampled_from([2, 1, 3, 4, 8]))


@st.composite
def contended(draw: st.DrawFn) -> MachineTables:
    """A machine with mechanisms that act under load; half of them have caches, too."""
    parts = draw(
        st.lists(
            st.sampled_from([arbitrations, tenures, paths, issues, ahead, far, one_l1]),
            min_size=1,
            unique=True,
        )
    )
    changes = {name: value for part in parts for name, value in draw(part()).items()}
    return dataclasses.replace(draw(machines()), **changes)


@st.composite
def arbitrations(draw: st.DrawFn) -> dict[str, int]:
    """A rule by which waiting requests are served."""
    rule = draw(st.sampled_from([1, 2]))
    passes = draw(st.sampled_from([1, 2, 5, 100])) if rule == 1 else 0
    return {"arbitration": rule, "arbitration_passes": passes}


def far() -> st.SearchStrategy[dict[str, object]]:
    """Atomic instructions at the home, farther and farther away."""
    times = st.lists(st.integers(1, 20), min_size=CLASSES - 1, max_size=CLASSES - 1).map(sorted)
    return st.fixed_dictionaries(
        {
            "far_atomic_ps": times.map(lambda ps: (0, *ps)),
            "far_atomic_busy_ps": st.sampled_from([1, 6, 40]),
        }
    )


def ahead() -> st.SearchStrategy[dict[str, int]]:
    """How much private work hides behind a miss."""
    return st.fixed_dictionaries({"run_ahead_ps": st.sampled_from([1, 9, 60])})


def issues() -> st.SearchStrategy[dict[str, int]]:
    """How much longer private work takes while a sibling works."""
    return st.fixed_dictionaries({"shared_issue_percent": st.sampled_from([150, 200, 333])})


def one_l1() -> st.SearchStrategy[dict[str, int]]:
    """Caches that the threads of a core share."""
    return st.just({"shared_l1": 1})


@st.composite
def paths(draw: st.DrawFn, classes: int = CLASSES) -> dict[str, tuple[int, ...]]:
    """Occupancies of links and home agents by class: some, all, or none of them."""
    return {
        name: (0, 0, *(draw(st.sampled_from([0, 0, 3, 25])) for _ in range(classes - 2)))
        for name in ("link_ps", "home_agent_ps")
    }


@st.composite
def tenures(draw: st.DrawFn, classes: int = CLASSES) -> dict[str, tuple[int, ...]]:
    """Line hold times by operation and class, and spreads that leave them zero or more."""
    held = [[draw(st.sampled_from([0, 1, 7, 40])) for _ in range(classes)] for _ in range(2)]
    spread = [[draw(st.integers(0, ps)) for ps in row] for row in held]
    return {
        f"{name}_ps": tuple(row)
        for rows, end in ((held, ""), (spread, "_spread"))
        for name, row in zip((f"tenure_plain_class{end}", f"tenure_class{end}"), rows, strict=True)
    }


@st.composite
def siblings(draw: st.DrawFn) -> MachineTables:
    """A machine with two cores, whose threads share their caches, their issue, or both."""
    shared = draw(st.sampled_from([one_l1(), issues(), st.builds(dict.__or__, one_l1(), issues())]))
    more = draw(st.sampled_from([st.just({}), far(), ahead(), tenures()]))
    return dataclasses.replace(draw(machines(nodes=1)), **draw(shared), **draw(more))


@st.composite
def machines(draw: st.DrawFn, nodes: int = 3) -> MachineTables:
    """A machine of 1 to 5 CPUs in 1 to 3 nodes; a third of them keep every line."""
    n = draw(st.sampled_from([3, 2, 4, 5, 1]))
    n_nodes = draw(st.integers(1, nodes))
    node_of = np.array([draw(st.integers(0, n_nodes - 1)) for _ in range(n)])
    core_of = np.array([draw(st.integers(0, 1)) if n_nodes == 1 else c for c in range(n)])
    nodes = np.full((n_nodes, n_nodes), 2, np.int8)
    for a in range(n_nodes):
        for b in range(a):
            nodes[a, b] = nodes[b, a] = draw(st.integers(3, CLASSES - 1))
    distance = nodes[node_of[:, None], node_of[None, :]]
    distance[(core_of[:, None] == core_of) & (node_of[:, None] == node_of)] = 1
    np.fill_diagonal(distance, 0)
    blocking = draw(st.integers(0, 1))
    bus_kind = draw(st.integers(0, 2))
    transfer, invalidate = _growing(draw), _growing(draw)
    return MachineTables(
        n_cpus=n,
        n_nodes=n_nodes,
        words_per_line=draw(st.sampled_from([2, 4, 8, 16])),
        store_buffer_entries=draw(st.sampled_from([1, 2, 3, 8])),
        node_of=tuple(map(int, node_of)),
        distance=distance,
        home_distance=np.ascontiguousarray(nodes[:, node_of]),
        transfer_ps=transfer,
        memory_ps=_growing(draw),
        invalidate_ps=invalidate,
        overlap_ps=_parts(draw, np.minimum(transfer, invalidate)),
        l1_hit_ps=draw(st.integers(1, 3)),
        store_ps=draw(st.integers(1, 3)),
        rmw_ps=draw(st.integers(1, 6)),
        fence_ps=draw(st.integers(0, 4)),
        pause_ps=draw(st.integers(1, 5)),
        tenure_ps=draw(st.sampled_from([0, 0, 1, 7, 40])),
        tenure_plain_ps=draw(st.sampled_from([0, 0, 1, 7, 40])),
        jitter_ps=draw(st.sampled_from([0, 0, 1, 9])),
        invalidate_each_ps=draw(st.integers(0, 5)),
        shared_read_ps=0 if blocking else draw(st.integers(1, 8)),
        bus_ps=draw(st.integers(1, 12)) if bus_kind else 0,
        line_busy_percent=draw(st.sampled_from([100, 100, 100, 50, 1])),
        alloc_ps=draw(st.integers(1, 4)),
        free_ps=draw(st.integers(1, 4)),
        context_switch_ps=draw(st.integers(1, 9)),
        wake_ps=draw(st.integers(1, 4)),
        blocking=blocking,
        clean_nearest=draw(st.integers(0, 1)),
        bus_kind=bus_kind,
        interleave_lines=draw(st.sampled_from([0, 1, 2])),
        starting_places=draw(st.one_of(st.just(()), st.permutations(range(n)).map(tuple))),
        **draw(st.one_of(st.just({}), caches(), shared_caches())),
    )


def _parts(draw: st.DrawFn, whole: np.ndarray) -> np.ndarray:
    """Something less than each cost, of half of the machines; nothing of the others."""
    some = draw(st.booleans())
    return np.array([draw(st.integers(0, max(0, int(w) - 1))) * some for w in whole], np.int64)


def _growing(draw: st.DrawFn) -> np.ndarray:
    """Costs by distance class: never cheaper farther away."""
    first = draw(st.integers(1, 20))
    steps = [draw(st.integers(0, 15)) for _ in range(CLASSES - 2)]
    return np.array([0, first, *(first + np.cumsum(steps))], np.int64)
