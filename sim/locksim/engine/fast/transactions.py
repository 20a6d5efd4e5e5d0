"""A line serves a request: where the line comes from, whose copies go, how long it takes."""

from __future__ import annotations

import numpy as np

from locksim.engine.fast.capacity import (
    drop_shared,
    had,
    keeps,
    kept_elsewhere,
    lose,
    nearest_keeper,
    recall,
    use,
    use_shared,
)
from locksim.engine.fast.contention import hold_time, holder_of, next_of_core, path_free, take_path
from locksim.engine.fast.requests import call_next
from locksim.engine.fast.spins import disturb, disturb_siblings
from locksim.engine.fast.state import *
from locksim.engine.trace import EVICTED, GIVEN_UP, SERVED
from locksim.lang.randomness import TRANSACTIONS, draw
from locksim.lang.words import index

K_TENURE, K_TENURE_PLAIN, K_JITTER, K_BUSY = columns(
    "tenure", "tenure_plain", "jitter", "line_busy_percent"
)
K_INVALIDATE_EACH, K_SHARED_READ, K_SHARED_HIT, K_FAR_BUSY = columns(
    "invalidate_each", "shared_read", "shared_hit", "far_atomic_busy"
)
K_BUS, K_BUS_KIND, K_BLOCKING, K_NEAREST, K_INCLUSIVE = columns(
    "bus", "bus_kind", "blocking", "clean_nearest", "shared_inclusive"
)
P_TRANSFER, P_MEMORY, P_INVALIDATE, P_OVERLAP, P_FAR_ATOMIC = by_class(
    "transfer", "memory", "invalidate", "overlap", "far_atomic"
)
ELSEWHERE, NEAR_SHARED, FAR_MODIFIED = range(3)
"""Where a line comes from, as far as caches that a node shares matter: not from one, or from a
private one; from that of the CPU's own node; from another node's, and memory's copy is old."""


def serve(state, caches, contention, a, t):  # type: ignore[no-untyped-def]
    """Serve an agent's request at t: the line's new owner or sharer, and when it can go on."""
    agent, count, control, cost = state.agent, state.count, state.control, state.cost
    c, wanted, right = a >> 1, agent[a, A_LINE], agent[a, A_EXCLUSIVE]
    holder = holder_of(contention, c)
    if contention is not None:
        disturb_siblings(state, caches, contention, c, t, wanted, True)
    here = state.line[wanted, L_OWNER] == holder or (
        right == SHARED and _shares(state, wanted, holder)
    )
    if here:
        # Another agent of this CPU, or of its core, has fetched the line meanwhile.
        ready = t + cost[K_L1_HIT]
        if contention is not None and state.line[wanted, L_FILLER] == holder:
            ready = max(t, state.line[wanted, L_READY]) + cost[K_L1_HIT]
        agent[a, A_DELAY] = 0
        count[c, N_HITS] += 1
    else:
        ready = _transfer(state, caches, contention, a, c, wanted, right, t)
    since = agent[a, A_SINCE]
    count[c, N_QUEUE_PS] += t - since
    count[c, N_MISS_PS] += ready - since
    if cost[K_TRACING]:
        record(state.trace, control, t, a, SERVED, wanted, ready, _place(state, a))
        state.trace[control[R_ROWS] - 1, X_ASKED] = since
        state.trace[control[R_ROWS] - 1, X_RIGHT] = right
    if caches is not None and (here or right != AT_HOME):
        _make_room(state, caches, contention, a, wanted, here, t)
    agent[a, A_DOES] = COMPLETE
    schedule(state.tree, a, (ready << AGENT_BITS) | a)
    call_next(state, wanted, t)


def _place(state, a):  # type: ignore[no-untyped-def]
    """The place in the program of an agent's operation."""
    c = a >> 1
    return state.buffer[c, state.core[c, C_SB_HEAD], B_PC] if a & 1 else state.core[c, C_PC]


def _shares(state, wanted, c):  # type: ignore[no-untyped-def]
    """Whether a CPU is among the sharers of a line."""
    return (state.sharers[wanted, c >> 6] >> index(c & 63)) & index(1) != 0


def _add_sharer(state, wanted, c):  # type: ignore[no-untyped-def]
    """Make a CPU a sharer of a line."""
    state.sharers[wanted, c >> 6] |= index(1) << index(c & 63)
    state.line[wanted, L_SHARERS] += 1


def _transfer(state, caches, contention, a, c, wanted, right, t):  # type: ignore[no-untyped-def]
    """Bring a line to a CPU, or only its right to write; the time at which it is there."""
    line, agent, cost, control = state.line, state.agent, state.cost, state.control
    at_home = contention is not None and right == AT_HOME
    waited = np.int64(0) if at_home else t - agent[a, A_SINCE]
    holder, mine = holder_of(contention, c), state.node_of[c]
    if caches is not None and at_home and _shares(state, wanted, holder):
        lose(caches, holder, wanted)
    supply, far, node, from_cache, shared = _supply(
        state, caches, contention, c, wanted, at_home, waited
    )
    pipelined = False
    if right == SHARED:
        took = supply
        pipelined = _give_copy(state, caches, holder, mine, wanted) and shared != FAR_MODIFIED
    else:
        gone = _invalidate(state, caches, contention, c, holder, wanted, at_home, waited, t)
        took = supply + gone if at_home else max(supply, gone)
        line[wanted, L_OWNER] = -1 if at_home else holder
    link = np.int64(state.home_distance[node, c]) if far != 1 else np.int64(0)
    to_home = np.int64(state.home_distance[state.home[wanted], c])
    if from_cache and node == mine:
        to_home = np.int64(0)
    start = _occupy(state, contention, t, mine, node, link, state.home[wanted], to_home)
    if cost[K_JITTER]:
        took += draw(cost[K_SEED], TRANSACTIONS, control[R_SERVED]) % (cost[K_JITTER] + 1)
        control[R_SERVED] += 1
    line[wanted, L_FILLER] = holder
    if at_home:
        hold_time(state, contention, 1, far)  # counts the transaction
        ready = t
        agent[a, A_DELAY] = start + took - t
        busy = start + (gone + cost[K_FAR_BUSY]) * cost[K_BUSY] // 100
        line[wanted, L_FREE] = busy
        line[wanted, L_QUIET] = busy
    else:
        ready = start + took * cost[K_BUSY] // 100
        agent[a, A_DELAY] = took - took * cost[K_BUSY] // 100
        # Even agents are cores, and a core requests the right to write only for an atomic.
        atomic = 1 if right != SHARED and a & 1 == 0 else 0
        if contention is not None:
            held = ready + hold_time(state, contention, atomic, far)
        else:
            held = ready + (cost[K_TENURE] if atomic else cost[K_TENURE_PLAIN])
        if right == SHARED:
            line[wanted, L_FREE] = start + cost[K_SHARED_READ] if pipelined else ready
            line[wanted, L_QUIET] = max(line[wanted, L_QUIET], held)
        else:
            line[wanted, L_FREE] = held
            line[wanted, L_QUIET] = held
    line[wanted, L_READY] = ready
    state.served[wanted] += 1
    if caches is not None:
        if right != SHARED or shared != NEAR_SHARED:
            caches.modified[wanted] = right != SHARED and not at_home
        if line[wanted, L_OWNER] == holder and not state.cost[K_INCLUSIVE]:
            drop_shared(caches, mine, wanted)
        state.count[c, N_CAPACITY] += had(caches, holder, wanted, right != SHARED)
    return ready


def _supply(state, caches, contention, c, wanted, at_home, waited):  # type: ignore[no-untyped-def]
    """Where a line comes from: the time it takes, the class of distance, the node, from a cache.

    Last comes the part of a shared cache in it (``ELSEWHERE`` …).
    """
    line, latency, count = state.line, state.latency, state.count
    owner, home = line[wanted, L_OWNER], state.home[wanted]
    h = np.int64(state.home_distance[home, c])
    if contention is not None and at_home:
        count[c, N_MEMORY] += 1
        return latency[P_FAR_ATOMIC, h], h, home, False, ELSEWHERE
    if owner >= 0:
        d = np.int64(state.distance[c, owner])
        count[c, N_FROM_CORE + min(d - 1, LAST_CLASS)] += 1
        way = latency[P_TRANSFER, d] - min(waited, latency[P_OVERLAP, d])
        return way, d, state.node_of[owner], True, ELSEWHERE
    if _shares(state, wanted, holder_of(contention, c)):
        count[c, N_UPGRADES] += 1
        return (
            latency[P_INVALIDATE, h] - min(waited, latency[P_OVERLAP, h]),
            h,
            home,
            False,
            ELSEWHERE,
        )
    if caches is not None:
        keeper = nearest_keeper(caches, state.home_distance, c, wanted)
        if keeper >= 0:
            d = np.int64(state.home_distance[keeper, c])
            near, modified = keeper == state.node_of[c], caches.modified[wanted] != 0
            if near or modified or _no_sharer_within(state, c, wanted, d):
                count[c, N_FROM_CORE + min(d - 1, LAST_CLASS)] += 1
                if near:
                    return state.cost[K_SHARED_HIT], d, keeper, True, NEAR_SHARED
                way = latency[P_TRANSFER, d] - min(waited, latency[P_OVERLAP, d])
                return way, d, keeper, True, FAR_MODIFIED if modified else ELSEWHERE
    if line[wanted, L_SHARERS] > 0 and state.cost[K_NEAREST]:
        d, x = _nearest_sharer(state, c, wanted)
        count[c, N_FROM_CORE + min(d - 1, LAST_CLASS)] += 1
        way = latency[P_TRANSFER, d] - min(waited, latency[P_OVERLAP, d])
        return way, d, state.node_of[x], True, ELSEWHERE
    count[c, N_MEMORY] += 1
    return latency[P_MEMORY, h], h, home, False, ELSEWHERE


def _no_sharer_within(state, c, wanted, d):  # type: ignore[no-untyped-def]
    """Whether the nearest copy supplies, and no CPU at most d away from a CPU shares the line."""
    if not state.cost[K_NEAREST]:
        return False
    if state.line[wanted, L_SHARERS] == 0:
        return True
    nearest, _ = _nearest_sharer(state, c, wanted)
    return nearest > d


def _nearest_sharer(state, c, wanted):  # type: ignore[no-untyped-def]
    """The class of distance of a line's nearest sharer, and the first CPU in it that shares it."""
    near, sharers = state.near, state.sharers
    for d in range(near.shape[1]):
        for w in range(sharers.shape[1]):
            bits = sharers[wanted, w] & near[c, d, w]
            if bits:
                x = w * 64
                while not bits & index(1):
                    bits >>= index(1)
                    x += 1
                return d, x
    return 0, c  # not reached: the line has a sharer


def _give_copy(state, caches, c, node, wanted):  # type: ignore[no-untyped-def]
    """Make a CPU of a node a sharer, or the owner of what no CPU and no other node has.

    Returns whether the next read may overlap.
    """
    line = state.line
    owner = line[wanted, L_OWNER]
    if owner >= 0:
        line[wanted, L_OWNER] = -1
        _add_sharer(state, wanted, owner)
        _add_sharer(state, wanted, c)
        return False
    if line[wanted, L_SHARERS] > 0:
        _add_sharer(state, wanted, c)
        return state.cost[K_BLOCKING] == 0
    if caches is not None and kept_elsewhere(caches, node, wanted):
        _add_sharer(state, wanted, c)
        return state.cost[K_BLOCKING] == 0
    line[wanted, L_OWNER] = c
    return False


def _invalidate(state, caches, contention, c, holder, wanted, at_home, waited, t):  # type: ignore[no-untyped-def]
    """Take a line from all other CPUs; the time until the last of them has answered.

    The shared caches of other nodes lose it, too.
    """
    line, sharers, latency = state.line, state.sharers, state.latency
    owner, home, mine = line[wanted, L_OWNER], state.home[wanted], state.node_of[c]
    farthest = np.int64(0)
    fetched = np.int64(0)
    if caches is not None and caches.shared.shape[1]:
        if at_home:
            nearest, farthest = recall(caches, state.home_distance, home, -1, wanted)
            if nearest and caches.modified[wanted]:
                fetched = latency[P_TRANSFER, nearest]
        else:
            nearest, farthest = recall(caches, state.home_distance, mine, mine, wanted)
    if owner >= 0:
        _take_from(state, caches, contention, owner, wanted, t)
        return latency[P_TRANSFER, state.home_distance[home, owner]] if at_home else np.int64(0)
    if line[wanted, L_SHARERS] == 0 and farthest == 0:
        return np.int64(0)
    others = 0
    for w in range(sharers.shape[1]):
        bits = sharers[wanted, w]
        x = w * 64
        while bits:
            if bits & index(0xFF) == 0:
                bits >>= index(8)
                x += 8
                continue
            if bits & index(1) and x != holder:
                others += 1
                reach = state.home_distance[home, x] if at_home else state.distance[c, x]
                farthest = max(farthest, np.int64(reach))
                _take_from(state, caches, contention, x, wanted, t)
            bits >>= index(1)
            x += 1
        sharers[wanted, w] = 0
    line[wanted, L_SHARERS] = 0
    if fetched or farthest == 0:
        return fetched
    gone = latency[P_INVALIDATE, farthest] - min(waited, latency[P_OVERLAP, farthest])
    return gone + state.cost[K_INVALIDATE_EACH] * max(others - 1, 0)


def _take_from(state, caches, contention, x, wanted, t):  # type: ignore[no-untyped-def]
    """A CPU loses a line to another one."""
    state.count[x, N_INVALIDATED] += 1
    c = x
    while True:
        if holder_of(contention, c) == x:
            disturb(state, caches, contention, c, t, wanted, wanted)
        c = next_of_core(contention, c)
        if c == x:
            break
    if caches is not None:
        lose(caches, x, wanted)


def _occupy(state, contention, t, mine, other, link, home, to_home):  # type: ignore[no-untyped-def]
    """Occupy the way between two nodes from t on, or as soon as it is free; when that is."""
    cost, bus = state.cost, state.bus
    start = t
    if contention is not None:
        start = path_free(state, contention, t, mine, other, link, home, to_home)
    if cost[K_BUS_KIND] == 1:
        start = max(start, bus[mine], bus[other])
        bus[mine] = start + cost[K_BUS]
        bus[other] = start + cost[K_BUS]
    elif cost[K_BUS_KIND] == 2:
        start = max(start, bus[0])
        bus[0] = start + cost[K_BUS]
    if contention is not None:
        take_path(state, contention, start, mine, other, link, home, to_home)
    return start


def _make_room(state, caches, contention, a, wanted, here, t):  # type: ignore[no-untyped-def]
    """A CPU's caches use a served line, and give up others; ``here``: it needed no transaction."""
    c = a >> 1
    node = state.node_of[c]
    shared = caches.shared.shape[1] != 0 and not here
    inclusive = state.cost[K_INCLUSIVE] != 0
    if shared and not inclusive and keeps(caches, node, wanted):
        use_shared(caches, node, wanted)
    victim = use(caches, holder_of(contention, c), wanted)
    if victim >= 0:
        _evict(state, caches, contention, a, victim, t)
    put = wanted if inclusive else victim
    if shared and put >= 0:
        given_up = use_shared(caches, node, put)
        if given_up >= 0:
            _give_up(state, caches, contention, a, given_up, t)


def _evict(state, caches, contention, a, victim, t):  # type: ignore[no-untyped-def]
    """A CPU's cache has no room for a line that it held; a changed one is written back."""
    line, c = state.line, a >> 1
    holder = holder_of(contention, c)
    state.count[c, N_EVICTIONS] += 1
    caches.gone[victim, holder >> 6] |= index(1) << index(holder & 63)
    back = np.int64(0)
    if line[victim, L_OWNER] == holder:
        line[victim, L_OWNER] = -1
        back = np.int64(caches.modified[victim])
    else:
        _remove_sharer(state, victim, holder)
    if back:
        if caches.shared.shape[1]:
            _busy_until(line, victim, t + state.cost[K_SHARED_HIT])
        else:
            _write_back(state, caches, contention, c, victim, t)
    if state.cost[K_TRACING]:
        record(state.trace, state.control, t, a, EVICTED, victim, back, _place(state, a))


def _give_up(state, caches, contention, a, victim, t):  # type: ignore[no-untyped-def]
    """The shared cache of a CPU's node has no room for a line; an inclusive one takes it away."""
    line, c = state.line, a >> 1
    for x in range(state.core.shape[0] if state.cost[K_INCLUSIVE] else 0):
        if state.node_of[x] == state.node_of[c]:
            owns = line[victim, L_OWNER] == x
            if owns or _shares(state, victim, x):
                _take_from(state, caches, contention, x, victim, t)
                if owns:
                    line[victim, L_OWNER] = -1
                else:
                    _remove_sharer(state, victim, x)
    back = np.int64(0)
    if caches.modified[victim] and line[victim, L_OWNER] < 0:
        back = np.int64(1)
        _write_back(state, caches, contention, c, victim, t)
    if state.cost[K_TRACING]:
        record(state.trace, state.control, t, a, GIVEN_UP, victim, back, _place(state, a))


def _remove_sharer(state, wanted, c):  # type: ignore[no-untyped-def]
    """Make a CPU no longer a sharer of a line."""
    state.sharers[wanted, c >> 6] ^= index(1) << index(c & 63)
    state.line[wanted, L_SHARERS] -= 1


def _write_back(state, caches, contention, c, victim, t):  # type: ignore[no-untyped-def]
    """Write a modified line back to memory, from the node of a CPU."""
    state.count[c, N_WRITEBACKS] += 1
    caches.modified[victim] = 0
    home = state.home[victim]
    h = np.int64(state.home_distance[home, c])
    start = _occupy(state, contention, t, state.node_of[c], home, h, home, h)
    _busy_until(state.line, victim, start + state.latency[P_MEMORY, h])


def _busy_until(line, wanted, until):  # type: ignore[no-untyped-def]
    """A line's next request is served at a time or later."""
    line[wanted, L_FREE] = max(line[wanted, L_FREE], until)
    line[wanted, L_QUIET] = max(line[wanted, L_QUIET], until)
