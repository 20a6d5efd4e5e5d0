"""The loop over states; :mod:`locksim.checker.search.explore` drives it and makes room.

:func:`expand` a state, :func:`follow` each thread's actions, :func:`intern_successors`,
:func:`close` the state: so :func:`advance` goes on from state to state.

What a thread does depends on its own row and the shared row only. So an action's outcome is kept by
that pair (the memo), and found again in every state that differs only in what *other* threads are
up to. Most transitions then cost two look-ups and no interpretation. Both are likely to miss the
processor's caches, so all successors of a state are named before the first is looked up, and what
the next states will ask the memo for is fetched ahead.

If a step moves the anchor of a group (:mod:`locksim.checker.models.shifts`), the group is shifted
back, in the shared row and in every thread's. That is one more outcome of the memo for each thread.
If threads are exchangeable (:mod:`locksim.checker.models.symmetry`), their rows are sorted, and an
action says the thread's place among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from locksim.checker.models import layout as m
from locksim.checker.models import normal_form, reduction
from locksim.checker.models.layout import BUFFERS
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
SHIFTS, GROWING, CRAMPED, N_CONTROL = 9, 10, 11, 12
"""GROWING: the word that grows without bound, or -1 - the row where a thread keeps a value that
falls behind; 0: none does. CRAMPED: the memo does not grow any more."""

# The tally of a state that is expanded.
(FOUND, ENABLED, EXITED, CALM, LOCAL, N_TALLY) = range(6)
"""FOUND: successors other than the state. ENABLED: possible actions. EXITED: threads that have
returned. CALM: agents that cannot act, or change nothing. LOCAL: whether one agent is enough."""

MOST_VALUES = 128
"""Values of a word of an endless program after which it counts as growing."""
MOST_SHIFTS = 63
"""Different shifts, each of a group by an amount, that are told apart."""

_SHIFT = 62
"""What stands for an action where a thread's row is shifted with its group."""
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
    shifts: Numbers  # pairs: group and amount
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
    tally: list[int]  # what the state's actions come to so far


TYPES = Space(*"iiqqiqBqiqqihibbqiihqqqq")
"""The type codes of their elements, as of the standard library's arrays."""


def advance(
    t: m.Tables, x: Space, at_work: Scratch, expect: list[list[int]], deadlock: bool, limit: int
) -> int:
    """Explore states in order until ``limit`` are done; says why it stopped.

    Nothing is allocated here: compiled, it counts no references (``jit.compilable``), which took
    longer than the rest of a transition.
    """
    control = x.control
    while True:
        s = control[EXPLORED]
        if s == x.state_count[0]:
            return COMPLETE
        if s >= limit:
            return RUNNING
        if not has_room(t, x):
            return ROOM
        fetch_ahead(t, x, s)
        stop = expand(t, x, at_work, s)
        if stop == RUNNING:
            stop = close(t, x, at_work, s, expect, deadlock)
        if stop != RUNNING:
            return stop
        control[EXPLORED] = s + 1


def expand(t: m.Tables, x: Space, at_work: Scratch, s: int) -> int:
    """Enter a state's successors: those by one agent if its steps are local, else those by all."""
    n, tally, agents = t.size[m.N_THREADS], at_work.tally, 0
    if t.size[m.REDUCTION] == reduction.RELY:
        agents = 2 * n if t.size[m.MODEL] == m.TSO else n
    for agent in range(agents + 1):
        alone, stop = agent < agents, RUNNING
        x.control[EDGES] = x.edge_start[s]
        tally[FOUND] = tally[ENABLED] = tally[EXITED] = tally[CALM] = 0
        tally[LOCAL] = int(alone)
        first = agent % n if alone else 0
        for thread in range(first, first + 1 if alone else n):
            acts, flushes = not alone or agent < n, not alone or agent >= n
            stop = follow(t, x, at_work, s, thread, acts, flushes)
            if stop != RUNNING:
                break
        if stop in (REFUTED, GROWS):
            return stop
        intern_successors(t, x, at_work, s)
        if stop != RUNNING:
            return stop
        if tally[LOCAL] and tally[ENABLED] and not _closes_cycle(x, s):
            x.alone[s] = 1
            break
    return RUNNING


def follow(
    t: m.Tables, x: Space, at_work: Scratch, s: int, thread: int, acts: bool, flushes: bool
) -> int:
    """Add up what a thread can do in a state; says why to stop.

    Arguments:
        acts: whether by itself. flushes: whether by its store buffer.
    """
    tally, here = at_work.tally, s * (t.size[m.N_THREADS] + 1)
    alone, found, enabled, calm, stop = tally[LOCAL] != 0, tally[FOUND], 0, 0, RUNNING
    local, able = alone, False
    row = int(x.states[index(here + thread)])
    shared_row = int(x.states[index(here + t.size[m.N_THREADS])])
    op = t.op[index(x.threads[index(row * t.size[m.ROW] + m.PC)])]
    chooses = op == b.RANDOM or (t.size[m.MODEL] == m.C11 and b.LOAD <= op <= b.FETCH_XOR)
    actions = MAX_ACTIONS if chooses else 1
    if op == b.EXIT:
        tally[EXITED] += 1
        actions = int(t.size[m.AGAIN] != 0)
    if flushes and x.threads[index(row * t.size[m.ROW] + m.BUFFERED)] == 0:
        calm |= 1 << (thread + BUFFERS)
        flushes = False
    for k in range(-1 if flushes else 0, actions if acts else 0):
        action = FLUSH if k < 0 else k
        outcome = outcome_of(t, x, at_work, row, shared_row, action)
        if outcome < 0:
            stop = REFUTED if t.claims[0][0] else GROWS
            break
        status = outcome & 31
        if status == DISABLED:
            if chooses:
                break
            continue
        if alone and not outcome & 32:
            local = False
            break
        if status == FULL_BUFFER:
            x.control[FULL] = 1
            continue
        enabled += 1
        if status == HEAP_FULL:
            x.control[HEAP] = 1
            continue
        if status != DONE:
            _put_down(x, s, thread * 64 + action, status)
            stop = VIOLATED
            break
        able = able or k >= 0
        if outcome >> 6 == (row << 34) | shared_row:  # a step that changes nothing: a spin
            calm |= 1 << thread
            local = False
            continue
        if not succeed(t, x, at_work, here, found, thread, action, outcome):
            stop = GROWS
            break
        found += 1
    if not able:
        calm |= 1 << thread
    tally[FOUND], tally[LOCAL] = found, int(local)
    tally[ENABLED] += enabled
    tally[CALM] |= calm
    return stop


def outcome_of(
    t: m.Tables, x: Space, at_work: Scratch, row: int, shared_row: int, action: int
) -> int:
    """What comes of an action in a thread's row and a shared row, as the memo keeps it.

    It is below 0 if the exploration has to stop: a claim is refuted, or a word grows.
    """
    key = ((row << 6) | action) << 31 | shared_row
    at = _memo_slot(x.memo, key)
    if x.memo[index(at)] != key + 1:
        _first_time(t, x, at_work, at, key)
        if t.claims[0][0] or x.control[GROWING]:
            return -1
    return int(x.memo[index(at + 1)])


def succeed(
    t: m.Tables,
    x: Space,
    at_work: Scratch,
    here: int,
    found: int,
    thread: int,
    action: int,
    outcome: int,
) -> bool:
    """Write down the state that an outcome leads to; False if a value falls behind in it.

    Arguments:
        here: where the numbers of the rows of the state before it begin.
        found: successors that are written down already.
    """
    n, ahead = t.size[m.N_THREADS], at_work.ahead
    to = found * (n + 1)
    for j in range(n):
        ahead[index(to + j)] = x.states[index(here + j)]
    ahead[index(to + thread)] = outcome >> 40
    ahead[index(to + n)] = (outcome >> 6) & 0xFFFFFFF
    shift = (outcome >> 34) & 63
    if shift:
        for j in range(n):
            if j != thread:
                ahead[to + j] = _shifted_row(t, x, at_work.row, ahead[to + j], shift)
        if x.control[GROWING]:
            return False
    if t.size[m.SYMMETRIC]:
        _sort(ahead, to, n)
    hashed = hash_row(ahead, to, n + 1)
    at_work.hashes[index(found)], at_work.steps[index(found)] = hashed, thread * 64 + action
    prefetch(x.state_slots, hashed & (len(x.state_slots) - 1))
    return True


def intern_successors(t: m.Tables, x: Space, at_work: Scratch, s: int) -> None:
    """Number the successors of a state that were found, and put down the edges to them."""
    width, found = t.size[m.N_THREADS] + 1, at_work.tally[FOUND]
    hashes, steps = at_work.hashes, at_work.steps
    states, slots, count, control = x.states, x.state_slots, x.state_count, x.control
    for e in range(found):
        number = int(slots[index(hashes[e] & (len(slots) - 1))])
        prefetch(states, max(0, number - 1) * width)
    for e in range(found):
        before = count[0]
        to = intern_hashed(states, slots, count, at_work.ahead, e * width, width, hashes[e])
        if to == before:
            x.parent[to], x.via[to] = s, steps[e]
            x.depth[to] = x.depth[s] + 1
        x.edges[control[EDGES]], x.edge_via[control[EDGES]] = to, steps[e]
        control[EDGES] += 1


def close(
    t: m.Tables, x: Space, at_work: Scratch, s: int, expect: list[list[int]], deadlock: bool
) -> int:
    """Put down what a state is whose successors are known: final, stuck, or neither."""
    n, tally, calm = t.size[m.N_THREADS], at_work.tally, at_work.tally[CALM]
    x.calm[s], x.edge_start[s + 1] = calm, x.control[EDGES]
    if tally[EXITED] == n and t.size[m.AGAIN]:
        x.final[s] = int(calm >> BUFFERS == (1 << n) - 1)
    elif tally[ENABLED] == 0 and tally[EXITED] == n:
        x.final[s] = 1
        row = int(x.states[s * (n + 1) + n])
        unpack(x.shared, x.shared_start[row], x.shared_start[row + 1], at_work.shared)
        for j in range(len(expect)):
            if at_work.shared[expect[j][0]] != expect[j][1]:
                _put_down(x, s, -1, WRONG_END)
                return VIOLATED
    elif tally[ENABLED] == 0 and deadlock:
        _put_down(x, s, -1, STUCK)
        return VIOLATED
    return RUNNING


def _put_down(x: Space, s: int, action: int, status: int) -> None:
    """Put down what is wrong: with a step, or with a state (action -1)."""
    control = x.control
    control[BAD_STATE], control[BAD_ACTION], control[BAD_STATUS] = s, action, status


def most_successors(t: m.Tables) -> int:
    """How many successors a state has at most."""
    actions = MAX_ACTIONS + 2 if t.size[m.MODEL] == m.C11 else _MANY
    return int(t.size[m.N_THREADS] * actions)


def spare(t: m.Tables) -> int:
    """Room for so many new rows is left before a state is explored."""
    return most_successors(t) * (int(t.size[m.N_THREADS]) if t.size[m.GROUPS] else 1)


def fetch_ahead(t: m.Tables, x: Space, s: int) -> None:
    """Fetch what a state soon to be explored will ask the memo for."""
    n, then = t.size[m.N_THREADS], (s + _AHEAD) * (t.size[m.N_THREADS] + 1)
    if s + _AHEAD < x.state_count[0]:
        for i in range(then, then + n):
            key = int(x.states[index(i)]) << 37 | int(x.states[index(then + n)])
            prefetch(x.memo, _memo_home(x.memo, key))


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


def has_room(t: m.Tables, x: Space) -> bool:
    """Whether the successors of a state surely fit."""
    columns, words, most = t.size[m.ROW], t.size[m.SHARED], spare(t)
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


def _first_time(t: m.Tables, x: Space, at_work: Scratch, at: int, key: int) -> None:
    """Perform an action whose outcome is not known yet, and keep the outcome in the memo.

    An outcome is one number: the thread's row, how a group was shifted (6 bits), the shared
    row (28), whether the step is local (1), the status (5). So a look-up is one line of the
    processor's cache.
    """
    row, shared, before, note = at_work.row, at_work.shared, at_work.before, at_work.note
    number = key & 0x7FFFFFFF
    unpack(x.shared, x.shared_start[number], x.shared_start[number + 1], before)
    copy_row(before, 0, shared)
    copy_row(x.threads, (key >> 37) * len(row), row)
    action = (key >> 31) & 63
    code = t.code[row[m.PC]]
    status = perform(t, row, shared, at_work.regs, action, note)
    outcome = status
    x.control[MEMOS] += 1
    x.control[FORGOT] |= note[N_FORGOT]
    if status == DONE:
        alone = reduction.local(t, row, before, shared, code, note[N_ADDRESS], action == FLUSH)
        shift = 0
        if t.size[m.COUNTS]:
            group, amount = normal_form.find_shift(t, before, shared)
            if amount:
                shift = _shift_number(x, group, amount)
            if normal_form.refutes_lag(t, before, shared, group, amount if shift else 0):
                t.claims[0][0] = 1
            if shift:
                normal_form.shift_words(t, shared, group, amount)
                normal_form.shift_row(t, row, group, amount)
            _watch_growth(t, x, before, shared)
        thread_row = intern(x.threads, x.thread_slots, x.thread_count, row)
        rows = x.shared, x.shared_start, x.shared_slots, x.shared_count
        shared_row = intern_packed(*rows, shared, at_work.packed)
        outcome |= (((thread_row << 34) | (shift << 28) | shared_row) << 6) | (int(alone) << 5)
    x.memo[at] = key + 1
    x.memo[at + 1] = outcome


def _shift_number(x: Space, group: int, amount: int) -> int:
    """The number of a shift, from 1; or 0 if there are too many."""
    n = x.control[SHIFTS]
    for i in range(n):
        if x.shifts[2 * i] == group and x.shifts[2 * i + 1] == amount:
            return i + 1
    if n == MOST_SHIFTS:
        return 0
    x.shifts[2 * n], x.shifts[2 * n + 1] = group, amount
    x.control[SHIFTS] = n + 1
    return int(n + 1)


def _shifted_row(t: m.Tables, x: Space, row: list[int], thread_row: int, shift: int) -> int:
    """The number of a thread's row after a shift, which the memo keeps too."""
    key = ((thread_row << 6) | _SHIFT) << 31 | shift
    at = _memo_slot(x.memo, key)
    if x.memo[index(at)] != key + 1:
        first = thread_row * len(row)
        copy_row(x.threads, first, row)
        normal_form.shift_row(t, row, x.shifts[2 * shift - 2], x.shifts[2 * shift - 1])
        group = x.shifts[2 * shift - 2]
        if normal_form.greatest_distance(t, row, group) > MOST_VALUES:
            x.control[GROWING] = -1 - row[m.PC]
        x.control[MEMOS] += 1
        x.memo[at] = key + 1
        x.memo[at + 1] = intern(x.threads, x.thread_slots, x.thread_count, row)
    return int(x.memo[index(at + 1)])


def _watch_growth(t: m.Tables, x: Space, before: list[int], shared: list[int]) -> None:
    """Note the values that a step leaves in words; a word of which there are too many is growing.

    Groups are shifted back already. What is still growing makes the states infinite.
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


def _closes_cycle(x: Space, s: int) -> bool:
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
