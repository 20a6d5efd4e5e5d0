"""What load does beyond a first-come queue at a line: PHYSICS.md's optional mechanisms, in numba.

The loop gets ``None`` instead of a :class:`Contention` for a machine that names none of them, and
is compiled without them, as for a machine without caches (:mod:`locksim.engine.fast.capacity`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.engine.fast.state import A_NEXT, A_PASSED, K_SEED, by_class, columns
from locksim.lang.randomness import ARBITRATIONS, TENURES, draw
from locksim.machine.costs import SAME_CORE
from locksim.machine.tables import MachineTables

FIFO, NEAR = 0, 1
K_ARBITRATION, K_PASSES = columns("arbitration", "arbitration_passes")
P_LINK, P_HOME_AGENT = by_class("link", "home_agent")
P_TENURE, P_TENURE_SPREAD = by_class("tenure_class", "tenure_class_spread")
P_PLAIN, P_PLAIN_SPREAD = by_class("tenure_plain_class", "tenure_plain_class_spread")
D_ARBITRATIONS, D_TRANSACTIONS = range(2)


class Contention(NamedTuple):
    """The mechanisms of a machine, and what they remember.

    Arguments:
        drawn: int64[D_...], how many numbers each stream has given.
        link_free: int64[nodes, K], when each link is free. agent_free: int64[nodes], home agents.
        sibling: int64[CPUs], the next CPU of the same core, round a ring; the CPU itself if it has
            no sibling or siblings share nothing.
        holder: int64[CPUs], the CPU under whose number its lines stand: the first of those that
            share its caches.
        ahead: int64[CPUs], private work that is done already, if it is the next operation.
        pauses: int64[CPUs], 1 if the last issued operation is a pause.
    """

    drawn: npt.NDArray[np.int64]
    link_free: npt.NDArray[np.int64]
    agent_free: npt.NDArray[np.int64]
    sibling: npt.NDArray[np.int64]
    holder: npt.NDArray[np.int64]
    ahead: npt.NDArray[np.int64]
    pauses: npt.NDArray[np.int64]


def contention_of(t: MachineTables) -> Contention | None:
    """The mechanisms of a machine before its first event; None if it has none of them."""
    shares_core = t.shared_issue_percent != 100 or t.shared_l1
    if not (t.arbitration or shares_core or t.loaded):
        return None
    return Contention(
        drawn=np.zeros(2, np.int64),
        link_free=np.zeros((t.n_nodes, len(t.link_ps)), np.int64),
        agent_free=np.zeros(t.n_nodes, np.int64),
        ahead=np.zeros(t.n_cpus, np.int64),
        pauses=np.zeros(t.n_cpus, np.int64),
        sibling=np.array(
            [_sibling(t, cpu) if shares_core else cpu for cpu in range(t.n_cpus)], np.int64
        ),
        holder=np.array([t.holder(cpu) for cpu in range(t.n_cpus)], np.int64),
    )


def _sibling(t: MachineTables, cpu: int) -> int:
    """The next CPU of a CPU's core, the first after the last; the CPU itself if it is alone."""
    core = [other for other in range(t.n_cpus) if t.distance[cpu][other] <= SAME_CORE]
    return core[(core.index(cpu) + 1) % len(core)]


def holder_of(contention, c):  # type: ignore[no-untyped-def]
    """The CPU under whose number CPU c's lines stand."""
    if contention is not None:
        return contention.holder[c]
    return c


def next_of_core(contention, c):  # type: ignore[no-untyped-def]
    """The next CPU of the core, round the ring; CPU c itself without a sibling."""
    if contention is not None:
        return contention.sibling[c]
    return c


def select(state, contention, head, filler):  # type: ignore[no-untyped-def]
    """The agent whose request a line serves next, of the queue that begins with ``head``."""
    agent, distance = state.agent, state.distance
    rule = state.cost[K_ARBITRATION]
    if rule == FIFO or agent[head, A_NEXT] < 0:
        return head
    if rule == NEAR and agent[head, A_PASSED] >= state.cost[K_PASSES]:
        return head
    # Any of the nearest n requests may be next; they are ``nearest`` away, the first is selected.
    nearest, n, selected = state.latency.shape[1], 0, head
    a = head
    while a >= 0:
        d = distance[filler, a >> 1] if rule == NEAR else 0
        if d < nearest:
            nearest, n, selected = d, 0, a
        if d == nearest:
            n += 1
        a = agent[a, A_NEXT]
    if n == 1:
        return selected
    j = contention.drawn[D_ARBITRATIONS]
    contention.drawn[D_ARBITRATIONS] = j + 1
    for _ in range(draw(state.cost[K_SEED], ARBITRATIONS, j) % n):
        selected = agent[selected, A_NEXT]
        while rule == NEAR and distance[filler, selected >> 1] > nearest:
            selected = agent[selected, A_NEXT]
    return selected


def overtake(agent, head, a):  # type: ignore[no-untyped-def]
    """Take a request out of a queue whose head it is not; the one that stood before it."""
    before = head
    agent[before, A_PASSED] += 1
    while agent[before, A_NEXT] != a:
        before = agent[before, A_NEXT]
        agent[before, A_PASSED] += 1
    agent[before, A_NEXT] = agent[a, A_NEXT]
    return before


def hold_time(state, contention, atomic, d):  # type: ignore[no-untyped-def]
    """The time for which the next transaction's requester keeps the line, which came from class d.

    It is asked once for each transaction, which it counts.
    """
    k = contention.drawn[D_TRANSACTIONS]
    contention.drawn[D_TRANSACTIONS] = k + 1
    tenure = state.latency[P_TENURE if atomic else P_PLAIN, d]
    spread = state.latency[P_TENURE_SPREAD if atomic else P_PLAIN_SPREAD, d]
    if spread == 0:
        return tenure
    return tenure - spread + draw(state.cost[K_SEED], TENURES, k) % (2 * spread + 1)


def path_free(state, contention, t, mine, other, d, home, h):  # type: ignore[no-untyped-def]
    """The time from t on when links and home agent of a transaction are free.

    It goes between the nodes ``mine`` and ``other`` of distance class d (0: it uses no link), and
    its home is h away (0: the home agent is not asked).
    """
    if state.latency[P_LINK, d]:
        t = max(t, contention.link_free[mine, d], contention.link_free[other, d])
    if state.latency[P_HOME_AGENT, h]:
        t = max(t, contention.agent_free[home])
    return t


def take_path(state, contention, start, mine, other, d, home, h):  # type: ignore[no-untyped-def]
    """Occupy them from ``start``."""
    if state.latency[P_LINK, d]:
        contention.link_free[mine, d] = start + state.latency[P_LINK, d]
        contention.link_free[other, d] = start + state.latency[P_LINK, d]
    if state.latency[P_HOME_AGENT, h]:
        contention.agent_free[home] = start + state.latency[P_HOME_AGENT, h]
