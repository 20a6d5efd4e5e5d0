"""A line serves a request: where the line comes from, whose copies go, how long it takes."""

from __future__ import annotations

import numpy as np

from locksim.engine.fast.capacity import had, lose, use
from locksim.engine.fast.contention import hold_time, path_free, take_path
from locksim.engine.fast.requests import call_next
from locksim.engine.fast.spins import disturb
from locksim.engine.fast.state import (
    A_DELAY,
    A_DOES,
    A_EXCLUSIVE,
    A_LINE,
    A_SINCE,
    AGENT_BITS,
    AT_HOME,
    C_PC,
    C_SB_HEAD,
    COMPLETE,
    K_BLOCKING,
    K_BUS,
    K_BUS_KIND,
    K_BUSY,
    K_INV_EACH,
    K_JITTER,
    K_L1,
    K_NEAREST,
    K_SEED,
    K_SHARED_READ,
    K_TENURE,
    K_TENURE_PLAIN,
    K_TRACING,
    L_FILLER,
    L_FREE,
    L_OWNER,
    L_QUIET,
    L_READY,
    L_SHARERS,
    LAST_CLASS,
    N_CAPACITY,
    N_EVICTIONS,
    N_FROM_CORE,
    N_HITS,
    N_INVALIDATED,
    N_MEMORY,
    N_MISS_PS,
    N_QUEUE_PS,
    N_UPGRADES,
    N_WRITEBACKS,
    R_ROWS,
    R_SERVED,
    SHARED,
    record,
    schedule,
)
from locksim.engine.trace import EVICTED, SERVED
from locksim.lang.randomness import TRANSACTIONS, draw
from locksim.lang.words import index


def serve(state, caches, contention, a, t):  # type: ignore[no-untyped-def]
    """Serve an agent's request at t: the line's new owner or sharer, and when it can go on."""
    agent, count, control, cost = state.agent, state.count, state.control, state.cost
    c, wanted, right = a >> 1, agent[a, A_LINE], agent[a, A_EXCLUSIVE]
    if state.line[wanted, L_OWNER] == c or (right == SHARED and _shares(state, wanted, c)):
        # This CPU's other agent has fetched the line meanwhile.
        ready = t + cost[K_L1]
        agent[a, A_DELAY] = 0
        count[c, N_HITS] += 1
    else:
        ready = _transfer(state, caches, contention, a, c, wanted, right, t)
    since = agent[a, A_SINCE]
    count[c, N_QUEUE_PS] += t - since
    count[c, N_MISS_PS] += ready - since
    if cost[K_TRACING]:
        record(state.trace, control, t, a, SERVED, wanted, ready, _place(state, a))
        state.trace[control[R_ROWS] - 1, 6] = since
        state.trace[control[R_ROWS] - 1, 7] = right
    if caches is not None and right != AT_HOME:
        victim = use(caches, c, wanted)
        if victim >= 0:
            _evict(state, caches, contention, a, victim, t)
    agent[a, A_DOES] = COMPLETE
    schedule(state.tree, a, (ready << AGENT_BITS) | a)
    call_next(state, wanted, t)


def _place(state, a):  # type: ignore[no-untyped-def]
    """The place in the program of an agent's operation."""
    c = a >> 1
    return state.buffer[c, state.core[c, C_SB_HEAD], 2] if a & 1 else state.core[c, C_PC]


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
    if caches is not None and at_home and _shares(state, wanted, c):
        lose(caches, c, wanted)
    supply, far, node, from_cache = _supply(state, contention, c, wanted, at_home, waited)
    pipelined = False
    if right == SHARED:
        took = supply
        pipelined = _give_copy(state, c, wanted)
    else:
        gone = _invalidate(state, caches, c, wanted, at_home, waited, t)
        took = supply + gone if at_home else max(supply, gone)
        line[wanted, L_OWNER] = -1 if at_home else c
    link = np.int64(state.home_distance[node, c]) if far != 1 else np.int64(0)
    to_home = np.int64(state.home_distance[state.home[wanted], c])
    if from_cache and node == state.node_of[c]:
        to_home = np.int64(0)
    start = _occupy(state, contention, t, state.node_of[c], node, link, state.home[wanted], to_home)
    if cost[K_JITTER]:
        took += draw(cost[K_SEED], TRANSACTIONS, control[R_SERVED]) % (cost[K_JITTER] + 1)
        control[R_SERVED] += 1
    line[wanted, L_FILLER] = c
    if at_home:
        hold_time(contention, 1, far)  # counts the transaction
        ready = t
        agent[a, A_DELAY] = start + took - t
        busy = start + (gone + contention.far_atomic[0]) * cost[K_BUSY] // 100
        line[wanted, L_FREE] = busy
        line[wanted, L_QUIET] = busy
    else:
        ready = start + took * cost[K_BUSY] // 100
        agent[a, A_DELAY] = took - took * cost[K_BUSY] // 100
        # Even agents are cores, and a core requests the right to write only for an atomic.
        atomic = 1 if right != SHARED and a & 1 == 0 else 0
        if contention is not None:
            held = ready + hold_time(contention, atomic, far)
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
        caches.modified[wanted] = right != SHARED and not at_home
        state.count[c, N_CAPACITY] += had(caches, c, wanted, right != SHARED)
    return ready


def _supply(state, contention, c, wanted, at_home, waited):  # type: ignore[no-untyped-def]
    """Where a line comes from: the time it takes, the class of distance, the node, from a cache."""
    line, latency, count = state.line, state.latency, state.count
    owner, home = line[wanted, L_OWNER], state.home[wanted]
    h = np.int64(state.home_distance[home, c])
    if contention is not None and at_home:
        count[c, N_MEMORY] += 1
        return contention.far_atomic[h], h, home, False
    if owner >= 0:
        d = np.int64(state.distance[c, owner])
        count[c, N_FROM_CORE + min(d - 1, LAST_CLASS)] += 1
        return latency[0, d] - min(waited, latency[3, d]), d, state.node_of[owner], True
    if _shares(state, wanted, c):
        count[c, N_UPGRADES] += 1
        return latency[2, h] - min(waited, latency[3, h]), h, home, False
    if line[wanted, L_SHARERS] > 0 and state.cost[K_NEAREST]:
        d, x = _nearest_sharer(state, c, wanted)
        count[c, N_FROM_CORE + min(d - 1, LAST_CLASS)] += 1
        return latency[0, d] - min(waited, latency[3, d]), d, state.node_of[x], True
    count[c, N_MEMORY] += 1
    return latency[1, h], h, home, False


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


def _give_copy(state, c, wanted):  # type: ignore[no-untyped-def]
    """Make a CPU a sharer, or the owner of what nobody has; whether the next read may overlap."""
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
    line[wanted, L_OWNER] = c
    return False


def _invalidate(state, caches, c, wanted, at_home, waited, t):  # type: ignore[no-untyped-def]
    """Take a line from all other CPUs; the time until the last of them has answered."""
    line, sharers, latency = state.line, state.sharers, state.latency
    owner, home = line[wanted, L_OWNER], state.home[wanted]
    if owner >= 0:
        _take_from(state, caches, owner, wanted, t)
        return latency[0, state.home_distance[home, owner]] if at_home else np.int64(0)
    if line[wanted, L_SHARERS] == 0:
        return np.int64(0)
    farthest = np.int64(0)
    others = 0
    for w in range(sharers.shape[1]):
        bits = sharers[wanted, w]
        x = w * 64
        while bits:
            if bits & index(0xFF) == 0:
                bits >>= index(8)
                x += 8
                continue
            if bits & index(1) and x != c:
                others += 1
                reach = state.home_distance[home, x] if at_home else state.distance[c, x]
                farthest = max(farthest, np.int64(reach))
                _take_from(state, caches, x, wanted, t)
            bits >>= index(1)
            x += 1
        sharers[wanted, w] = 0
    line[wanted, L_SHARERS] = 0
    if not others:
        return np.int64(0)
    gone = latency[2, farthest] - min(waited, latency[3, farthest])
    return gone + state.cost[K_INV_EACH] * (others - 1)


def _take_from(state, caches, x, wanted, t):  # type: ignore[no-untyped-def]
    """A CPU loses a line to another one."""
    state.count[x, N_INVALIDATED] += 1
    disturb(state, caches, x, t, wanted, wanted)
    if caches is not None:
        lose(caches, x, wanted)


def _occupy(state, contention, t, mine, other, link, home, to_home):  # type: ignore[no-untyped-def]
    """Occupy the way between two nodes from t on, or as soon as it is free; when that is."""
    cost, bus = state.cost, state.bus
    start = t
    if contention is not None:
        start = path_free(contention, t, mine, other, link, home, to_home)
    if cost[K_BUS_KIND] == 1:
        start = max(start, bus[mine], bus[other])
        bus[mine] = start + cost[K_BUS]
        bus[other] = start + cost[K_BUS]
    elif cost[K_BUS_KIND] == 2:
        start = max(start, bus[0])
        bus[0] = start + cost[K_BUS]
    if contention is not None:
        take_path(contention, start, mine, other, link, home, to_home)
    return start


def _evict(state, caches, contention, a, victim, t):  # type: ignore[no-untyped-def]
    """A CPU's cache has no room for a line that it held; a changed one is written back."""
    line, count, c = state.line, state.count, a >> 1
    count[c, N_EVICTIONS] += 1
    caches.gone[victim, c >> 6] |= index(1) << index(c & 63)
    back = np.int64(0)
    if line[victim, L_OWNER] == c:
        line[victim, L_OWNER] = -1
        back = np.int64(caches.modified[victim])
    else:
        state.sharers[victim, c >> 6] ^= index(1) << index(c & 63)
        line[victim, L_SHARERS] -= 1
    if back:
        count[c, N_WRITEBACKS] += 1
        caches.modified[victim] = 0
        home = state.home[victim]
        h = np.int64(state.home_distance[home, c])
        until = _occupy(state, contention, t, state.node_of[c], home, h, home, h)
        until += state.latency[1, h]
        line[victim, L_FREE] = max(line[victim, L_FREE], until)
        line[victim, L_QUIET] = max(line[victim, L_QUIET], until)
    if state.cost[K_TRACING]:
        record(state.trace, state.control, t, a, EVICTED, victim, back, _place(state, a))
