"""One schedule of very many: a random one, or one by random priorities.

A schedule is a list of steps (thread * 64 + action). Whoever cannot act, or would change nothing,
is *idle* until another one changes something; when all are idle for good, the threads are stuck.

*Random*: whoever is not idle may be next, with equal chance; now and then a thread is delayed for a
while, so that others get far ahead.

*By priorities* (PCT; Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010): the thread of
the highest priority runs. At d - 1 steps, chosen at random beforehand, the running thread falls
below all others. With n threads and k steps, a bug that takes d ordering constraints is met with a
probability of at least 1 / (n k^(d-1)). A thread that runs very long without an end falls too,
since it may wait in a way that changes memory.

Store buffers take part like threads.
"""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models.outcome import DISABLED, DONE, FULL_BUFFER
from locksim.checker.search.loop import STUCK, WRONG_END, copy_row
from locksim.checker.search.step import FLUSH, MAX_CHOICES, perform
from locksim.compiler import bytecode as b
from locksim.lang.randomness import GOLDEN, mix
from locksim.lang.words import plus, shifted, zeros

CUT = 24
"""What comes of a schedule that did not end within its length."""

_PATIENCE = 1000
"""Steps in a row after which a thread loses its priority."""
_DELAY_ONE_IN, _LONGEST_DELAY = 32, 64
"""How often a thread is delayed in a random schedule, and for how many steps at most."""


def _draw(state: list[int], bound: int) -> int:
    """A number below ``bound``: splitmix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state[0] = plus(state[0], GOLDEN)
    return shifted(mix(state[0]), 1) % bound


def _acts(t: m.Tables, rows: list[list[int]], agent: int) -> bool:
    """Whether an agent has anything left to do: a thread its program, a buffer its stores."""
    n = t.size[m.N_THREADS]
    if agent >= n:
        return rows[agent - n][m.BUFFERED] > 0
    return t.op[rows[agent][m.PC]] != b.EXIT


def _at_the_end(
    t: m.Tables, rows: list[list[int]], shared: list[int], expect: list[list[int]]
) -> int:
    """What a state is in which none acts any more."""
    for agent in range(2 * t.size[m.N_THREADS]):
        if _acts(t, rows, agent):
            return STUCK
    for j in range(len(expect)):
        if shared[expect[j][0]] != expect[j][1]:
            return WRONG_END
    return DONE


def _act(
    t: m.Tables,
    row: list[int],
    shared: list[int],
    regs: list[int],
    op: int,
    wanted: int,
    before: list[int],
    was: list[int],
    note: list[int],
) -> tuple[int, int, bool]:
    """Let a thread act; of the choices it has, one not above ``wanted``.

    Gives status, action, and whether anything changed.
    """
    copy_row(row, 0, before)
    copy_row(shared, 0, was)
    many = op == b.RANDOM or (t.size[m.MODEL] == m.C11 and b.LOAD <= op <= b.FETCH_XOR)
    action = wanted if many else 0
    status = perform(t, row, shared, regs, action, note)
    while status == DISABLED and action > 0:
        action //= 2
        status = perform(t, row, shared, regs, action, note)
    if status != DONE:
        return status, action, False
    for i in range(len(row)):
        if row[i] != before[i]:
            return status, action, True
    for i in range(len(shared)):
        if shared[i] != was[i]:
            return status, action, True
    return status, action, False


def wander(
    t: m.Tables,
    rows: list[list[int]],
    shared: list[int],
    regs: list[int],
    expect: list[list[int]],
    seed: int,
    points: list[int],
    trail: list[int],
    note: list[int],
) -> tuple[int, int]:
    """Run one schedule.

    Arguments:
        t: the model's Tables.
        rows, shared: the threads' rows and the shared row, each thread at its first operation;
            changed in place.
        regs: scratch space that holds the constants. expect: pairs of address and value.
        seed: what the schedule follows from.
        points: d - 1 steps at which the running thread falls; a single -1: a random
            schedule.
        trail: where to put the steps. note: as for ``perform``.

    Returns:
        What came of it, and the number of steps.
    """
    n = t.size[m.N_THREADS]
    before, was = zeros(len(rows[0])), zeros(len(shared))
    random = zeros(1)
    random[0] = seed
    by_chance = len(points) == 1 and points[0] < 0
    priority, delayed = zeros(2 * n), zeros(2 * n)
    idle = zeros(2 * n)
    for agent in range(2 * n):
        priority[agent] = _draw(random, 1 << 30) + 1
    lowest, running, turns, length = 0, -1, 0, 0
    while length < len(trail):
        chosen, count, most = -1, 0, -(1 << 62)
        for waits in range(2):  # who is delayed, only if no other can act
            for agent in range(2 * n):
                if idle[agent] or not _acts(t, rows, agent):
                    continue
                if by_chance and waits == 0 and delayed[agent] > length:
                    continue
                count += 1
                if by_chance:
                    if _draw(random, count) == 0:
                        chosen = agent
                elif priority[agent] > most:
                    chosen, most = agent, priority[agent]
            if chosen >= 0:
                break
        if chosen < 0:
            return _at_the_end(t, rows, shared, expect), length
        turns = turns + 1 if chosen == running else 0
        running = chosen
        if chosen >= n:
            status, action, changed = (
                perform(t, rows[chosen - n], shared, regs, FLUSH, note),
                FLUSH,
                True,
            )
        else:
            op = t.op[rows[chosen][m.PC]]
            wanted = _draw(random, MAX_CHOICES)
            if op != b.RANDOM and _draw(random, 4) > 0:
                wanted = 0
            status, action, changed = _act(
                t, rows[chosen], shared, regs, op, wanted, before, was, note
            )
        if status in (DISABLED, FULL_BUFFER):
            idle[chosen] = 1
            continue
        if status == DONE and not changed:
            idle[chosen] = int(action == 0)
            continue
        trail[length] = (chosen % n) * 64 + action
        length += 1
        if status != DONE:
            return status, length
        for agent in range(2 * n):
            idle[agent] = 0
        if by_chance and _draw(random, _DELAY_ONE_IN) == 0:
            delayed[chosen] = length + _draw(random, _LONGEST_DELAY)
        falls = turns > _PATIENCE
        for point in points:
            falls |= point == length
        if falls:
            lowest -= 1
            priority[chosen] = lowest
    return CUT, length


def follow(
    t: m.Tables,
    rows: list[list[int]],
    shared: list[int],
    regs: list[int],
    expect: list[list[int]],
    trail: list[int],
    note: list[int],
) -> tuple[int, int]:
    """Do the steps of a list, but those that cannot be done; what came of it, and of how many.

    Arguments are those of ``wander``.
    """
    n = t.size[m.N_THREADS]
    before, was = zeros(len(rows[0])), zeros(len(shared))
    for k in range(len(trail)):
        thread, action = trail[k] // 64, trail[k] % 64
        status = perform(t, rows[thread], shared, regs, action, note)
        if status != DONE and status != DISABLED and status != FULL_BUFFER:
            return status, k + 1
    for agent in range(2 * n):
        if not _acts(t, rows, agent):
            continue
        if agent >= n:
            return CUT, len(trail)
        op = t.op[rows[agent][m.PC]]
        status, _, changed = _act(t, rows[agent], shared, regs, op, 0, before, was, note)
        if changed or (status != DONE and status != DISABLED and status != FULL_BUFFER):
            return CUT, len(trail)
    return _at_the_end(t, rows, shared, expect), len(trail)
