"""What load does beyond a first-come queue at a line: PHYSICS.md's optional mechanisms, in numba.

The loop gets ``None`` instead of a :class:`Contention` for a machine that names none of them, and
is compiled without them, as for a machine without caches (:mod:`locksim.engine.fast.capacity`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.engine.fast.state import A_NEXT, A_PASSED
from locksim.lang.randomness import ARBITRATIONS, TENURES, draw
from locksim.machine import MachineTables
from locksim.machine.topology import SAME_CORE

FIFO, NEAR = 0, 1
S_ARBITRATION, S_PASSES, S_SEED, S_ISSUE, S_AHEAD, S_FAR = range(6)
D_ARBITRATIONS, D_TRANSACTIONS = range(2)


class Contention(NamedTuple):
    """The mechanisms of a machine, and what they remember.

    Arguments:
        setting: int64[S_...], what the profile says.
        drawn: int64[D_...], how many numbers each stream has given.
        distance: int8[CPUs, CPUs], distance classes.
        tenure: int64[2, K, 2], line hold times and their spreads, of lines that loads and stores
            brought and of those that atomic instructions brought, by class.
        link: int64[K], occupancies of links; link_free: int64[nodes, K], when each one is free.
        agent: int64[K], occupancies of home agents; agent_free: int64[nodes].
        sibling: int64[CPUs], the next CPU of the same core, round a ring; the CPU itself if it has
            no sibling or siblings share nothing.
        ahead: int64[CPUs], private work that is done already, if it is the next operation.
        pauses: int64[CPUs], 1 if the last issued operation is a pause.
        far_atomic: int64[K], the time of an atomic instruction at its line's home, by class; its
            first entry is the occupancy of the line.
    """

    setting: npt.NDArray[np.int64]
    drawn: npt.NDArray[np.int64]
    distance: npt.NDArray[np.int8]
    tenure: npt.NDArray[np.int64]
    link: npt.NDArray[np.int64]
    link_free: npt.NDArray[np.int64]
    agent: npt.NDArray[np.int64]
    agent_free: npt.NDArray[np.int64]
    sibling: npt.NDArray[np.int64]
    ahead: npt.NDArray[np.int64]
    pauses: npt.NDArray[np.int64]
    far_atomic: npt.NDArray[np.int64]


def contention_of(t: MachineTables, seed: int) -> Contention | None:
    """The mechanisms of a machine before its first event; None if it has none of them."""
    shares_issue = t.shared_issue_percent != 100
    at_line = t.arbitration or t.tenure_class_ps or t.link_ps or t.home_agent_ps
    if not (at_line or shares_issue or t.run_ahead_ps or t.far_atomic_ps):
        return None
    classes = len(t.transfer_ps)
    tenures = t.tenure_class_ps or ((t.tenure_plain_ps,) * classes, (t.tenure_ps,) * classes)
    spreads = t.tenure_spread_ps or ((0,) * classes,) * 2
    return Contention(
        setting=np.array(
            [
                *(t.arbitration, t.arbitration_passes, seed),
                *(t.shared_issue_percent, t.run_ahead_ps, bool(t.far_atomic_ps)),
            ],
            np.int64,
        ),
        drawn=np.zeros(2, np.int64),
        distance=np.asarray(t.distance, np.int8),
        tenure=np.stack([np.array(tenures, np.int64), np.array(spreads, np.int64)], axis=2),
        link=np.array(t.link_ps or (0,) * classes, np.int64),
        link_free=np.zeros((t.n_nodes, classes), np.int64),
        agent=np.array(t.home_agent_ps or (0,) * classes, np.int64),
        agent_free=np.zeros(t.n_nodes, np.int64),
        ahead=np.zeros(t.n_cpus, np.int64),
        pauses=np.zeros(t.n_cpus, np.int64),
        far_atomic=np.array([t.far_atomic_busy_ps, *(t.far_atomic_ps[1:] or (0,))], np.int64),
        sibling=np.array(
            [_sibling(t, cpu) if shares_issue else cpu for cpu in range(t.n_cpus)], np.int64
        ),
    )


def _sibling(t: MachineTables, cpu: int) -> int:
    """The next CPU of a CPU's core, the first after the last; the CPU itself if it is alone."""
    core = [other for other in range(t.n_cpus) if t.distance[cpu][other] <= SAME_CORE]
    return core[(core.index(cpu) + 1) % len(core)]


def select(contention, agent, head, filler):  # type: ignore[no-untyped-def]
    """The agent whose request a line serves next, of the queue that begins with ``head``."""
    rule = contention.setting[S_ARBITRATION]
    if rule == FIFO or agent[head, A_NEXT] < 0:
        return head
    if rule == NEAR:
        if agent[head, A_PASSED] >= contention.setting[S_PASSES]:
            return head
        nearest = head
        a = agent[head, A_NEXT]
        while a >= 0:
            if contention.distance[filler, a >> 1] < contention.distance[filler, nearest >> 1]:
                nearest = a
            a = agent[a, A_NEXT]
        return nearest
    n = 0
    a = head
    while a >= 0:
        n += 1
        a = agent[a, A_NEXT]
    j = contention.drawn[D_ARBITRATIONS]
    contention.drawn[D_ARBITRATIONS] = j + 1
    a = head
    for _ in range(draw(contention.setting[S_SEED], ARBITRATIONS, j) % n):
        a = agent[a, A_NEXT]
    return a


def overtake(agent, head, a):  # type: ignore[no-untyped-def]
    """Take a request out of a queue whose head it is not; the one that stood before it."""
    before = head
    agent[before, A_PASSED] += 1
    while agent[before, A_NEXT] != a:
        before = agent[before, A_NEXT]
        agent[before, A_PASSED] += 1
    agent[before, A_NEXT] = agent[a, A_NEXT]
    return before


def hold_time(contention, atomic, d):  # type: ignore[no-untyped-def]
    """The time for which the next transaction's requester keeps the line, which came from class d.

    It is asked once for each transaction, which it counts.
    """
    k = contention.drawn[D_TRANSACTIONS]
    contention.drawn[D_TRANSACTIONS] = k + 1
    tenure = contention.tenure[atomic, d, 0]
    spread = contention.tenure[atomic, d, 1]
    if spread == 0:
        return tenure
    return tenure - spread + draw(contention.setting[S_SEED], TENURES, k) % (2 * spread + 1)


def path_free(contention, t, mine, other, d, home, h):  # type: ignore[no-untyped-def]
    """The time from t on when links and home agent of a transaction are free.

    It goes between the nodes ``mine`` and ``other`` of distance class d (0: it uses no link), and
    its home is h away (0: the home agent is not asked).
    """
    if contention.link[d]:
        t = max(t, contention.link_free[mine, d], contention.link_free[other, d])
    if contention.agent[h]:
        t = max(t, contention.agent_free[home])
    return t


def take_path(contention, start, mine, other, d, home, h):  # type: ignore[no-untyped-def]
    """Occupy them from ``start``."""
    if contention.link[d]:
        contention.link_free[mine, d] = start + contention.link[d]
        contention.link_free[other, d] = start + contention.link[d]
    if contention.agent[h]:
        contention.agent_free[home] = start + contention.agent[h]
