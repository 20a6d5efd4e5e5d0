"""The loop over states; :mod:`locksim.checker.search.explore` drives it and makes room.

What a thread does depends on its own row and the shared row only. So an action's outcome is kept by
that pair (the memo), and found again in every state that differs only in what *other* threads are
up to. Most transitions then cost two look-ups and no interpretation. Both are likely to miss the
processor's caches, so all successors of a state are named before the first is looked up, and what
the next states will ask the memo for is fetched ahead.

If a step moves the anchor of a group (:mod:`locksim.checker.models.shifts`), the group is moved
back, in the shared row and in every thread's. That is one more outcome of the memo for each thread.
If threads are exchangeable (:mod:`locksim.checker.models.symmetry`), their rows are sorted, and an
action says the thread's place among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from locksim.checker.models import model as m
from locksim.checker.models import moving, reduction
from locksim.checker.models.model import BUFFERS
from locksim.checker.models.outcome import DISABLED, DONE, FULL_BUFFER, HEAP_FULL
from locksim.checker.models.registers import N_ADDRESS, N_FORGOT
from locksim.checker.search.packed import WORST, intern_packed, unpack
from locksim.checker.search.step import FLUSH, MAX_ACTIONS, MAX_CHOICES, perform
from locksim.checker.search.table import hash_row, intern, intern_hashed
from locksim.compiler import bytecode as b
from locksim.lang.randomness import GOLDEN
from locksim.lang.words import index, prefetch, shifted, times

STUCK, WRONG_END, NO_PROGRESS, LEAK = 20, 21, 22, 23
"""What is wrong with a state itself; what is wrong with a step, its outcome says."""

RUNNING, COMPLETE, ROOM, VIOLATED, REFUTED, GROWS = range(6)
"""Why the loop stopped."""

# The control block.
(EXPLORED, EDGES, FULL, HEAP, BAD_STATE, BAD_ACTION, BAD_STATUS, MEMOS, FORGOT) = range(9)
MOVES, GROWING, CRAMPED, N_CONTROL = 9, 10, 11, 12
"""GROWING: the word that grows without bound, or -1 - the row where a thread keeps a value that
falls behind; 0: none does. CRAMPED: the memo does not grow any more."""

MOST_VALUES = 128
"""Values of a word of an endless program after which it counts as growing without bound."""
MOST_MOVES = 63
"""Different moves, each of a group by an amount, that are told apart."""

_MOVE = 62
"""What stands for an action where a thread's row is moved with its group."""
_MANY = MAX_CHOICES + 2
"""Successors by one thread at most, but for C11."""
_PROBES = 8
"""Places in the memo where an outcome may stand."""
_AHEAD = 2
"""States ahead of which the memo is fetched."""

Numbers = Any
"""An array of whole numbers: of the standard library, or of numpy for compiled code."""


class Space(NamedTuple):
    """The arrays of an exploration; the counts are arrays of one.

    Rows stand one after another: those of states have a number for each thread and one for the
    shared row; shared rows are packed.
    """

    states: Numbers
    state_slots: Numbers
    state_count: Numbers
    threads: Numbers
    thread_slots: Numbers
    thread_count: Numbers
    shared: Numbers  # packed: locksim.checker.search.packed
    shared_start: Numbers
    shared_slots: Numbers
    shared_count: Numbers
    memo: Numbers  # pairs: what was done in which rows, + 1 (0: empty), and what came of it
    parent: Numbers
    via: Numbers  # thread * 64 + action
    depth: Numbers
    final: Numbers
    alone: Numbers  # whether only one agent went on there
    edge_start: Numbers
    calm: Numbers  # agents that cannot act, or act without changing anything
    edges: Numbers
    edge_via: Numbers
    moves: Numbers  # pairs: group and amount
    values: Numbers  # of each word, the values that it had, for endless programs
    distinct: Numbers  # of each word, how many
    control: Numbers


class Scratch(NamedTuple):
    """Rows that the loop works on; what is in them at first does not matter."""

    regs: list[int]
    note: list[int]
    row: list[int]
    shared: list[int]
    before: list[int]  # the shared row before a step
    packed: list[int]
    ahead: list[int]  # a state's successors, one after another
    hashes: list[int]  # of each of them
    steps: list[int]  # thread * 64 + action that leads there


TYPES = Space(*"iiqqiqBqiqqihibbqiihqqqq")
"""The type codes of their elements, as of the standard library's arrays."""


def successors(t: m.Tables) -> int:
    """How many successors a state has at most."""
    actions = MAX_ACTIONS + 2 if t.size[m.MODEL] == m.C11 else _MANY
    return int(t.size[m.N_THREADS] * actions)


def spare(t: m.Tables) -> int:
    """Room for so many new rows is left before a state is explored."""
    return successors(t) * (int(t.size[m.N_THREADS]) if t.size[m.GROUPS] else 1)


def _memo_home(memo: Numbers, key: int) -> int:
    """Where the look-up of an action's outcome begins in the memo: an even index."""
    # What may be done in the same shared row is looked up together, and lies in two pages.
    row, who = times(key & 0x7FFFFFFF, GOLDEN), times(key >> 31, GOLDEN)
    return 2 * (shifted(row, 32) + shifted(who, 56)) & (len(memo) - 1)


def _memo_slot(memo: Numbers, key: int) -> int:
    """Where an action's outcome stands in the memo, or is to stand: the pair's first index.

    An outcome that is found nowhere near its home takes another's place: it can be found out again.
    """
    mask, home = len(memo) - 1, _memo_home(memo, key)
    at = home
    for _ in range(_PROBES):
        if memo[index(at)] == key + 1 or memo[index(at)] == 0:
            return at
        at = (at + 2) & mask
    return (home + 2 * (key % _PROBES)) & mask


def move_memo(memo: Numbers, larger: Numbers) -> None:
    """Enter what a memo holds into a larger one that is empty."""
    for i in range(0, len(memo), 2):
        key = memo[index(i)]
        if key:
            at = _memo_slot(larger, key - 1)
            larger[index(at)] = key
            larger[index(at + 1)] = memo[index(i + 1)]


def _roomy(x: Space, columns: int, words: int, most: int) -> bool:
    """Whether a state with ``most`` successors surely fits; the rows' widths are given."""
    return bool(
        x.state_count[0] + most < len(x.parent)
        and (x.thread_count[0] + most) * columns < len(x.threads)
        and x.shared_count[0] + most + 1 < len(x.shared_start)
        and x.shared_start[x.shared_count[0]] + most * words * WORST < len(x.shared)
        and x.control[EDGES] + most < len(x.edges)
        and (x.control[CRAMPED] or 4 * (x.control[MEMOS] + most) < len(x.memo))
    )


def copy_row(rows: Numbers, first: int, row: list[int]) -> None:
    """Copy a row out of many; to assign a slice would allocate."""
    for i in range(len(row)):
        row[i] = rows[index(first + i)]


def _first_time(
    t: m.Tables,
    x: Space,
    regs: list[int],
    note: list[int],
    row: list[int],
    shared: list[int],
    before: list[int],
    packed: list[int],
    at: int,
    key: int,
) -> None:
    """Perform an action whose outcome is not known yet, and keep the outcome in the memo.

    An outcome is one number: the thread's row, how a group was moved (6 bits), the shared row (28),
    whether the step is local (1), the status (5). So a look-up is one line of the processor's
    cache.
    """
    number = key & 0x7FFFFFFF
    unpack(x.shared, x.shared_start[number], x.shared_start[number + 1], before)
    copy_row(before, 0, shared)
    copy_row(x.threads, (key >> 37) * len(row), row)
    action = (key >> 31) & 63
    code = t.code[row[m.PC]]
    status = perform(t, row, shared, regs, action, note)
    outcome = status
    x.control[MEMOS] += 1
    x.control[FORGOT] |= note[N_FORGOT]
    if status == DONE:
        alone = reduction.local(t, row, before, shared, code, note[N_ADDRESS], action == FLUSH)
        moved = 0
        if t.size[m.COUNTS]:
            group, amount = moving.due(t, before, shared)
            if amount:
                moved = _move_number(x, group, amount)
            if moved:
                moving.move_words(t, shared, group, amount)
                moving.move_row(t, row, group, amount)
            _watch_growth(t, x, before, shared)
        thread_row = intern(x.threads, x.thread_slots, x.thread_count, row)
        shared_row = intern_packed(
            x.shared, x.shared_start, x.shared_slots, x.shared_count, shared, packed
        )
        outcome |= (((thread_row << 34) | (moved << 28) | shared_row) << 6) | (int(alone) << 5)
    x.memo[at] = key + 1
    x.memo[at + 1] = outcome


def _move_number(x: Space, group: int, amount: int) -> int:
    """The number of a move, from 1; or 0 if there are too many."""
    n = x.control[MOVES]
    for i in range(n):
        if x.moves[2 * i] == group and x.moves[2 * i + 1] == amount:
            return i + 1
    if n == MOST_MOVES:
        return 0
    x.moves[2 * n], x.moves[2 * n + 1] = group, amount
    x.control[MOVES] = n + 1
    return int(n + 1)


def _moved(t: m.Tables, x: Space, row: list[int], thread_row: int, moved: int) -> int:
    """The number of a thread's row after a move, which the memo keeps too."""
    key = ((thread_row << 6) | _MOVE) << 31 | moved
    at = _memo_slot(x.memo, key)
    if x.memo[index(at)] != key + 1:
        first = thread_row * len(row)
        copy_row(x.threads, first, row)
        moving.move_row(t, row, x.moves[2 * moved - 2], x.moves[2 * moved - 1])
        group = x.moves[2 * moved - 2]
        if moving.farthest(t, row, group) > MOST_VALUES:
            x.control[GROWING] = -1 - row[m.PC]
        x.control[MEMOS] += 1
        x.memo[at] = key + 1
        x.memo[at + 1] = intern(x.threads, x.thread_slots, x.thread_count, row)
    return int(x.memo[index(at + 1)])


def _watch_growth(t: m.Tables, x: Space, before: list[int], shared: list[int]) -> None:
    """Note the values that a step leaves in words; a word of which there are too many is growing.

    Groups are moved back already. What is still growing makes the states infinite.
    """
    for a in range(t.size[m.STATIC]):
        if shared[a] == before[a]:
            continue
        first, n, i = a * MOST_VALUES, x.distinct[a], 0
        while i < n and x.values[first + i] != shared[a]:
            i += 1
        if i < n:
            continue
        if n == MOST_VALUES:
            x.control[GROWING] = a
            return
        x.values[first + n] = shared[a]
        x.distinct[a] = n + 1


def _sort(state: list[int], first: int, n: int) -> None:
    """Put n numbers, from ``first`` on, into order."""
    for i in range(first + 1, first + n):
        number, at = state[i], i
        while at > first and state[at - 1] > number:
            state[at] = state[at - 1]
            at -= 1
        state[at] = number


def _goes_round(x: Space, s: int) -> bool:
    """Whether a state with these edges might close a cycle in which no other thread goes on.

    Such a cycle is closed by its last state that is explored. So each way on has to lead to a state
    that comes later, or past states with one way on to such a one, or to where all went on.
    """
    begin, end = x.edge_start[s], x.control[EDGES]
    for e in range(begin, end):
        to = x.edges[e]
        while to < s and x.alone[to] and end == begin + 1:
            if x.edge_start[to + 1] - x.edge_start[to] > 1:
                return True
            to = x.edges[x.edge_start[to]]
        if to == s or (to < s and x.alone[to]):
            return True
    return False


def advance(
    t: m.Tables, x: Space, at_work: Scratch, expect: list[list[int]], deadlock: bool, limit: int
) -> int:
    """Explore states in order until ``limit`` are done; says why it stopped.

    Nothing is allocated here: compiled, it counts no references (``jit.compilable``), which took
    longer than the rest of a transition.
    """
    n = t.size[m.N_THREADS]
    c11 = t.size[m.MODEL] == m.C11
    most = spare(t)
    columns, words = t.size[m.ROW], t.size[m.SHARED]
    regs, note, row, shared, was, packed, ahead, hashes, steps = at_work
    agents = 0
    if t.size[m.REDUCTION] == reduction.RELY:
        agents = 2 * n if t.size[m.MODEL] == m.TSO else n
    symmetric = t.size[m.SYMMETRIC] != 0
    c, states, slots, count = x.control, x.states, x.state_slots, x.state_count
    memo, threads, ops = x.memo, x.threads, t.op
    edges, edge_via = x.edges, x.edge_via
    while True:
        s = c[EXPLORED]
        if s == count[0]:
            return COMPLETE
        if s >= limit:
            return RUNNING
        if not _roomy(x, columns, words, most):
            return ROOM
        here = s * (n + 1)
        shared_row = int(states[index(here + n)])
        if s + _AHEAD < count[0]:
            then = here + _AHEAD * (n + 1)
            for i in range(then, then + n):
                key = int(states[index(i)]) << 37 | int(states[index(then + n)])
                prefetch(memo, _memo_home(memo, key))
        for agent in range(agents + 1):  # each alone, if its step is local; at last all together
            alone = agent < agents
            first = agent % n if alone else 0
            enabled = exited = calm = found = 0
            stop = RUNNING
            c[EDGES] = x.edge_start[s]
            fits = alone
            for i in range(first, first + 1 if alone else n):
                thread_row = int(states[index(here + i)])
                op = ops[index(threads[index(thread_row * columns + m.PC)])]
                many = op == b.RANDOM or (c11 and b.LOAD <= op <= b.FETCH_XOR)
                actions = MAX_ACTIONS if many else 1
                if op == b.EXIT:
                    exited += 1
                    actions = int(t.size[m.AGAIN] != 0)
                if alone and agent >= n:
                    actions = 0  # its buffer's step, -1, and none of its own
                able = 0
                for k in range(0 if alone and agent < n else -1, actions):
                    action = FLUSH if k < 0 else k
                    if k < 0 and threads[index(thread_row * columns + m.BUFFERED)] == 0:
                        calm |= 1 << (i + BUFFERS)
                        continue
                    key = ((thread_row << 6) | action) << 31 | shared_row
                    at = _memo_slot(memo, key)
                    if memo[index(at)] != key + 1:
                        _first_time(t, x, regs, note, row, shared, was, packed, at, key)
                        if t.claims[0][0]:
                            return REFUTED
                        if c[GROWING]:
                            return GROWS
                    outcome = memo[index(at + 1)]
                    status = outcome & 31
                    if status == DISABLED:
                        if many:
                            break
                        continue
                    if alone and not outcome & 32:
                        fits = False
                        break
                    if status == FULL_BUFFER:
                        c[FULL] = 1
                        continue
                    if status == HEAP_FULL:
                        c[HEAP] = 1
                        enabled += 1
                        continue
                    if status != DONE:
                        c[BAD_STATE], c[BAD_ACTION], c[BAD_STATUS] = s, i * 64 + action, status
                        stop = VIOLATED
                        break
                    enabled += 1
                    able += k >= 0
                    if outcome >> 6 == (thread_row << 34) | shared_row:
                        calm |= 1 << i  # a step that changes nothing: a spin
                        fits = False
                        continue
                    to = found * (n + 1)
                    for j in range(n):
                        ahead[index(to + j)] = states[index(here + j)]
                    ahead[index(to + i)] = outcome >> 40
                    ahead[index(to + n)] = (outcome >> 6) & 0xFFFFFFF
                    moved = (outcome >> 34) & 63
                    if moved:
                        for j in range(n):
                            if j != i:
                                ahead[to + j] = _moved(t, x, row, ahead[to + j], moved)
                        if c[GROWING]:
                            return GROWS
                    if symmetric:
                        _sort(ahead, to, n)
                    hashes[found], steps[found] = hash_row(ahead, to, n + 1), i * 64 + action
                    prefetch(slots, hashes[found] & (len(slots) - 1))
                    found += 1
                if stop:
                    break
                if able == 0:
                    calm |= 1 << i
            for e in range(found):
                number = int(slots[index(hashes[e] & (len(slots) - 1))])
                prefetch(states, max(0, number - 1) * (n + 1))
            for e in range(found):
                before = count[0]
                to = intern_hashed(states, slots, count, ahead, e * (n + 1), n + 1, hashes[e])
                if to == before:
                    x.parent[to], x.via[to] = s, steps[e]
                    x.depth[to] = x.depth[s] + 1
                edges[c[EDGES]], edge_via[c[EDGES]] = to, steps[e]
                c[EDGES] += 1
            if stop:
                return stop
            if fits and enabled and not _goes_round(x, s):
                x.alone[s] = 1
                break
        x.calm[s] = calm
        x.edge_start[s + 1] = c[EDGES]
        if exited == n and t.size[m.AGAIN]:
            x.final[s] = int(calm >> BUFFERS == (1 << n) - 1)
        elif enabled == 0:
            c[BAD_STATE], c[BAD_ACTION] = s, -1
            if exited == n:
                x.final[s] = 1
                begin, end = x.shared_start[shared_row], x.shared_start[shared_row + 1]
                unpack(x.shared, begin, end, shared)
                for j in range(len(expect)):
                    if shared[expect[j][0]] != expect[j][1]:
                        c[BAD_STATUS] = WRONG_END
                        return VIOLATED
            elif deadlock:
                c[BAD_STATUS] = STUCK
                return VIOLATED
        c[EXPLORED] = s + 1
