"""Breadth-first exploration of all interleavings.

A state is a row of small numbers: for each thread the number of its row, then the number of the
shared row (SPIN calls this COLLAPSE). Rows of threads and shared rows are kept once each, in full.

States are explored in the order in which they were found. The first violation therefore has the
shortest path, and ``parent`` and ``via`` hold it. The edges are kept, in the same order, for the
search backwards from the final states (:mod:`locksim.checker.search.progress`).

The loop (:mod:`locksim.checker.search.loop`) stops before a state for which some array
might be too small; here the array is made larger, and the loop goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from locksim.checker.errors import CheckError
from locksim.checker.models import layout as m
from locksim.checker.models import normal_form, reduction
from locksim.checker.models.layout import Tables
from locksim.checker.models.model import Model
from locksim.checker.models.outcome import CHOICES, DONE
from locksim.checker.models.registers import NOTES
from locksim.checker.search import loop
from locksim.checker.search.invariants import ENDLESS, INVARIANT
from locksim.checker.search.loop import TYPES, Numbers, Scratch, Space
from locksim.checker.search.packed import WORST, intern_packed, unpack
from locksim.checker.search.runner import CHOICE_OF, PLAIN, STEPS_OF_A_STATE, Runner, runner
from locksim.checker.search.step import MAX_CHOICES, perform, start
from locksim.checker.search.table import intern
from locksim.core.faults import place as shown

_CHUNK, _PLAIN_CHUNK = 20_000, 2_000
"""States between two looks at the clock, on compiled functions and on plain ones."""
_MAX_STATES = 1 << 28
_MOST_ROWS = 1 << 22
"""Different rows of threads, of which an outcome has room for twice as many."""
_MOST_MEMO = 1 << 23
"""Numbers in the memo: half as many outcomes. What is thrown out is found out again, if need be."""
_LARGE = "large"
"""Why an exploration on plain functions was left, to begin again on compiled ones."""
_SCHEDULES, _LONGEST = 8, 10_000
"""Random schedules before a reduced exploration, and their steps at most."""
_LOOKED_AT, _MANY = 2_000, 16
"""Rows in which the values of words are counted, about, and from how many on they are many."""


@dataclass
class Exploration:
    """What was explored.

    Arguments:
        model: of what.
        runner: the functions that it runs on, and who makes the arrays. tables: as they take them.
        space: the arrays.
        complete: True if every reachable state was explored.
        status: 0, or what is wrong: FAULT, EXCLUSION, STUCK, WRONG_END, INVARIANT.
        state: the state in which that is, or in which the step is taken that shows it.
        action: that step (thread * 64 + action; or the thread's place in the state, if threads are
            exchangeable), or -1.
        seconds: how much CPU time it took.
        stopped: why it is not complete: "", "states", "time", "memory", "heap", "growth".
    """

    model: Model
    runner: Runner
    tables: Tables
    space: Space
    complete: bool = False
    status: int = 0
    state: int = -1
    action: int = -1
    seconds: float = 0.0
    stopped: str = ""

    @property
    def states(self) -> int:
        """Different states found."""
        return int(self.space.state_count[0])

    @property
    def depth(self) -> int:
        """Steps to the last state that was explored; all states nearer than that were."""
        return int(self.space.depth[max(0, int(self.space.control[loop.EXPLORED]) - 1)])

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return sum(len(array) * int(array.itemsize) for array in self.space)

    @property
    def buffer_was_full(self) -> bool:
        """Whether some store had to wait for room in its buffer."""
        return bool(self.space.control[loop.FULL])

    @property
    def forgot(self) -> bool:
        """Whether some word had more messages than are remembered."""
        return bool(self.space.control[loop.FORGOT])

    @property
    def growing(self) -> str:
        """What makes the states too many, or infinite, if something does."""
        at = int(self.space.control[loop.GROWING])
        if at < 0:
            place = self.model.program.places[-1 - at]
            return (
                f"while a thread stays at {shown(place.file, place.line)} in {place.method}, the "
                "others move away without bound from the value that it keeps"
            )
        return (
            f"{self.model.memory.name(at)} takes more than {loop.MOST_VALUES} values, and not as "
            f"tickets do: {self._why_not_moved(at)}"
        )

    def _why_not_moved(self, word: int) -> str:
        """Why many values of a word are not one state."""
        shifts = self.model.shifts
        remainder = any(
            coefficients[word] and step > loop.MOST_VALUES
            for coefficients, step in zip(shifts.words, shifts.steps, strict=True)
        )
        why = shifts.reasons.get(
            word,
            "a remainder of it is kept in a word"
            if remainder
            else "it moves away without bound from the words that it is compared with",
        )
        if "remainder" in why:
            why += "; let the words count on, and compare their remainders"
        return why

    @property
    def widest(self) -> str:
        """The word with the most values, where it has many: what makes the states so many."""
        static, rows = self.model.tables.size[m.STATIC], int(self.space.shared_count[0])
        some = [self.shared_row(k)[:static] for k in range(0, rows, max(1, rows // _LOOKED_AT))]
        values = [len({*column}) for column in zip(*some, strict=True)]
        most = max(values, default=0)
        if most < _MANY:
            return ""
        return f"{self.model.memory.name(values.index(most))} had at least {most} different values"

    def path(self, state: int, action: int = -1) -> list[int]:
        """A shortest path to a state (thread * 64 + action each), and one more step from there.

        Arguments:
            state: where to. action: as the exploration has it; -1: none.
        """
        steps = [action] if action >= 0 else []
        while state > 0:
            steps.append(int(self.space.via[state]))
            state = int(self.space.parent[state])
        steps.reverse()
        return self._by_threads(steps) if self.model.tables.size[m.SYMMETRIC] else steps

    def _by_threads(self, steps: list[int]) -> list[int]:
        """Steps of threads instead of places in sorted states: the path is walked once more."""
        model, space, found = self.model, self.space, []
        rows, shared, _ = _started(model)
        regs, note = list(model.program.registers), [0] * NOTES
        tables = model.tables._replace(shift_lags=[int(x) for x in self.tables.shift_lags])
        shifts = list(zip(space.shifts[::2], space.shifts[1::2], strict=True))
        for step in steps:
            place, action = divmod(step, 64)
            numbers = [
                intern(space.threads, space.thread_slots, space.thread_count, row) for row in rows
            ]
            thread = sorted(range(len(rows)), key=numbers.__getitem__)[place]
            found.append(thread * 64 + action)
            before = shared.copy()
            perform(tables, rows[thread], shared, regs, action, note)
            shift = normal_form.find_shift(tables, before, shared)
            if shift in shifts[: space.control[loop.SHIFTS]]:
                normal_form.shift_words(tables, shared, *shift)
                for row in rows:
                    normal_form.shift_row(tables, row, *shift)
        return found

    @property
    def violation(self) -> list[int]:
        """The steps to what is wrong, the one that shows it included."""
        return self.path(self.state, self.action)

    @property
    def relied(self) -> Model:
        """The model with what this exploration relied upon, on which its paths can be replayed."""
        size = [int(x) for x in self.tables.size]
        relied = [[int(x) for x in claim] for claim in self.tables.claims]
        return replace(self.model, tables=self.model.tables._replace(size=size, claims=relied))

    def row_numbers(self, state: int) -> list[int]:
        """The numbers of a state's rows: of each thread's, then the shared row's."""
        width = self.model.n_threads + 1
        return _row(self.space.states, state, width)

    def thread_row(self, number: int) -> list[int]:
        """The row of a thread that has a number."""
        width = self.model.tables.size[m.ROW]
        return _row(self.space.threads, number, width)

    def shared_row(self, number: int) -> list[int]:
        """The shared row that has a number."""
        first, end = (int(at) for at in self.space.shared_start[number : number + 2])
        row = [0] * self.model.tables.size[m.SHARED]
        unpack(bytes(self.space.shared[first:end]), 0, end - first, row)
        return row

    @property
    def finals(self) -> list[int]:
        """The final states, in order."""
        return [s for s, final in enumerate(bytes(self.space.final[: self.states])) if final]

    def doomed(self) -> list[int]:
        """The states from which no thread can finish, of those that are nearest and plainest.

        The first is the one that :func:`progress.doomed` chooses; the others are as good. The
        exploration must be complete.
        """
        space, zeros, n = self.space, self.runner.zeros, self.states
        edges, hopeful = int(space.edge_start[n]), zeros("b", n)
        scratch = zeros("q", n + 1), zeros("i", edges), zeros("q", n), hopeful
        first = int(self.runner.doomed(n, space.edge_start, space.edges, space.final, *scratch))
        start, depth, found = space.edge_start, space.depth, []
        for s in range(first, n) if first >= 0 else ():
            if depth[s] > depth[first]:
                break
            still = (start[s] == start[s + 1]) == (start[first] == start[first + 1])
            if still and not hopeful[s]:
                found.append(s)
        return found


def _row(rows: Numbers, number: int, width: int) -> list[int]:
    """A row of an array of rows, as plain numbers."""
    row: list[int] = rows[number * width : (number + 1) * width].tolist()
    return row


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of the states of a model, and when to give up.

    Arguments:
        expect: words (address, value) that every final state must have.
        deadlock: whether a state that no step leaves, and that is not final, is wrong.
        reduction: whether to leave out what makes no difference (``checker.models.reduction``).
        invariants: whether to ask the model's invariants of every state; nothing is left out then,
            since they may look at any word.
        max_states: states after which to stop. max_seconds: CPU time after which to stop.
        max_bytes: memory for the states that is not exceeded.
        report: called now and then with a line of text and the share of the states' budget used.

    Raises:
        CheckError: a budget makes no sense.
    """

    expect: Sequence[Sequence[int]] = ()
    deadlock: bool = True
    reduction: bool = False
    invariants: bool = False
    max_states: int = 5_000_000
    max_seconds: float = 600.0
    max_bytes: int = 8 << 30
    report: Callable[[str, float], None] | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.max_states <= _MAX_STATES:
            raise CheckError(
                f"states must be between 1 and {_MAX_STATES:,} (got {self.max_states})"
            )
        if not self.max_seconds > 0:
            raise CheckError(f"the time must be above 0 s (got {self.max_seconds:g} s)")


def explore(
    model: Model, request: Request | None = None, *, by: Runner | None = None
) -> Exploration:
    """Explore until something is wrong, nothing is left, or a budget is used up.

    Arguments:
        model: the program and its memory. request: what is asked; by default whether it ends.
        by: what to run on; by default compiled code where it can be had and the model is not small.

    Raises:
        CheckError: the program makes a random choice among too many.
    """
    memory, request = model.tables.size[m.MODEL], request or Request()
    choice, by = CHOICE_OF[memory], by or runner(memory, small=True)
    if by is PLAIN:
        found, used = _explored(model, request, by, choice.left() or choice.unlimited)
        choice.spend(used)
        if found.stopped != _LARGE:
            return found
        by = runner(memory)
    return _explored(model, request, by, choice.unlimited)[0]


def _explored(model: Model, request: Request, by: Runner, units: int) -> tuple[Exploration, int]:
    """As :func:`explore`, and how much work it was, counted in states.

    Arguments:
        units: work after which the model counts as large, and what was found is left.
    """
    expected, most, size = (
        by.pairs(request.expect),
        loop.most_successors(model.tables),
        model.tables.size,
    )
    row, shared = size[m.ROW], size[m.SHARED]
    ahead = most * (model.n_threads + 1), most, most
    lengths = (NOTES, row, shared, shared, WORST * shared, *ahead, loop.N_TALLY)
    at_work = Scratch(by.row(model.program.registers), *(by.row([0] * n) for n in lengths))
    tables = by.tables(model.tables)
    found = Exploration(model, by, tables, _empty(model, by))
    if not _enter(found):
        return found, 0
    asked = _Invariants(found) if request.invariants and model.invariants else None
    used, chunk = 0, _PLAIN_CHUNK if by is PLAIN else _CHUNK
    if request.reduction and asked is None:
        used = _learn(found, tables, units)
    # Load the compiled loop, or compile it, before the clock starts.
    by.advance(tables, found.space, at_work, expected, request.deadlock, 0)
    begun = time.process_time()
    while True:
        if used >= units:
            found.stopped = _LARGE
            return found, used
        before = int(found.space.control[loop.EXPLORED])
        limit = min(request.max_states, before + min(chunk, units - used))
        status = by.advance(tables, found.space, at_work, expected, request.deadlock, limit)
        found.seconds = time.process_time() - begun
        control = found.space.control
        used += int(control[loop.EXPLORED]) - before
        if asked is not None and (wrong := asked.broken()) is not None:
            found.status, found.state = INVARIANT, wrong
            return found, used
        if status == loop.REFUTED:
            # What has been found out about the words stays.
            _claim_anew(tables)
            found.space = _empty(model, by)
            _enter(found)
        elif status == loop.ROOM:
            larger = _lengths(found, tight=False)
            if _peak(found.space, larger) > request.max_bytes:
                larger = _lengths(found, tight=True)
            full = found.space.thread_count[0] >= _MOST_ROWS
            if full or _peak(found.space, larger) > request.max_bytes:
                found.stopped = "memory"
                return found, used
            found.space = _larger(found, larger)
        elif status == loop.VIOLATED:
            found.state, found.action = int(control[loop.BAD_STATE]), int(control[loop.BAD_ACTION])
            found.status = int(control[loop.BAD_STATUS])
            if found.status == CHOICES:
                raise CheckError(
                    f"a random choice among more than {MAX_CHOICES} values decides what the "
                    "program does\n"
                    "help: give random_below() a smaller bound, or use it for compute() only"
                )
            return found, used
        elif status == loop.GROWS:
            found.stopped = "growth"
            return found, used
        elif status == loop.COMPLETE:
            found.complete = not control[loop.HEAP]
            found.stopped = "heap" if control[loop.HEAP] else ""
            return found, used
        elif control[loop.EXPLORED] >= request.max_states or found.seconds > request.max_seconds:
            found.stopped = "time" if found.seconds > request.max_seconds else "states"
            return found, used
        if request.report is not None:
            request.report(
                f"{found.states:,} states, depth {found.depth}", found.states / request.max_states
            )


class _Invariants:
    """The model's invariants, and how many shared rows they have been asked of."""

    def __init__(self, found: Exploration) -> None:
        self.found, self.done = found, 0
        self.row = found.runner.row([0] * found.model.tables.size[m.SHARED])
        by = found.runner
        self.programs = [
            (by.rows(p.code), p.entry, by.row(p.registers), by.row(p.registers))
            for p in found.model.invariants
        ]

    def broken(self) -> int | None:
        """The first state in which an invariant does not hold, of those that are new; or None."""
        found, space = self.found, self.found.space
        begin, end = self.done, int(space.shared_count[0])
        self.done, first, note = end, end, found.runner.row([0] * NOTES)
        for program in self.programs:
            rows = space.shared, space.shared_start, begin, first
            row = found.runner.broken(found.tables, *program, *rows, self.row, note)
            if row == ENDLESS:
                raise CheckError("an invariant does not end\nhelp: bound its loop")
            first = min(first, int(row))
        if first == end:
            return None
        width, n = found.model.n_threads + 1, found.states
        return next(s for s in range(n) if space.states[s * width + width - 1] == first)


def _empty(model: Model, by: Runner) -> Space:
    """Arrays with room for a small exploration."""
    size, many = model.tables.size, 1 << 13
    few = many >> 1 if size[m.GROUPS] else many >> 3
    counted = size[m.STATIC] if size[m.COUNTS] else 1
    room = Space(
        states=many * (model.n_threads + 1),
        state_slots=2 * many,
        state_count=1,
        threads=few * size[m.ROW],
        thread_slots=2 * few,
        thread_count=1,
        shared=2 * WORST * size[m.SHARED] * loop.spare(model.tables),
        shared_start=few + 1,
        shared_slots=2 * few,
        shared_count=1,
        memo=2 * 2 * many,
        parent=many,
        via=many,
        depth=many,
        final=many,
        alone=many,
        edge_start=many + 1,
        calm=many,
        edges=4 * many,
        edge_via=4 * many,
        shifts=2 * loop.MOST_SHIFTS,
        values=counted * loop.MOST_VALUES,
        distinct=counted,
        control=loop.N_CONTROL,
    )
    return Space(*map(by.zeros, TYPES, room))


def _enter(found: Exploration) -> bool:
    """Enter the first state: every thread at its first operation. False if one fails before."""
    space = found.space
    rows, shared, status = _started(found.model)
    if status != DONE:
        found.status, found.state, found.action = status, 0, 64 * (len(rows) - 1)
        return False
    state = [intern(space.threads, space.thread_slots, space.thread_count, row) for row in rows]
    if found.model.tables.size[m.SYMMETRIC]:
        state.sort()
    rows_of = space.shared, space.shared_start, space.shared_slots, space.shared_count
    state.append(intern_packed(*rows_of, shared, [0] * (WORST * len(shared))))
    intern(space.states, space.state_slots, space.state_count, state)
    return True


def _started(model: Model) -> tuple[list[list[int]], list[int], int]:
    """Each thread's row at its first operation, the shared row, and what came of the last start."""
    shared, regs, note = model.shared.copy(), list(model.program.registers), [0] * NOTES
    rows: list[list[int]] = []
    size = model.tables.size
    nodes = size[m.NODES : m.N_SIZES]
    for first in model.threads:
        rows.append(first.copy())
        status = start(model.tables, rows[-1], shared, regs, note)
        if status != DONE:
            return rows, shared, status
        if size[m.SYMMETRIC]:  # those of one node are alike
            rows[-1][m.THREAD] = nodes.index(nodes[first[m.THREAD]])
    return rows, shared, DONE


def _learn(found: Exploration, tables: Tables, units: int) -> int:
    """Let random schedules refute most of the claims about words that do not hold.

    Returns how much work that was, counted in states; it stops at ``units``.
    """
    used = 0
    model, by = found.model, found.runner
    tables.size[m.REDUCTION] = reduction.LEARN
    *numbers, shared = found.row_numbers(0)
    threads, first = [found.thread_row(k) for k in numbers], found.shared_row(shared)
    regs, chance = by.row(model.program.registers), by.row([-1])
    anything, trail, note = by.pairs([]), by.row([0] * _LONGEST), by.row([0] * NOTES)
    for seed in range(1, _SCHEDULES + 1):
        rows = by.rows(threads)
        shared_row = by.row(first)
        _, steps = by.wander(tables, rows, shared_row, regs, anything, seed, chance, trail, note)
        used += int(steps) // STEPS_OF_A_STATE
        if used >= units:
            break
    _claim_anew(tables)
    tables.size[m.REDUCTION] = reduction.RELY
    return used


def _claim_anew(tables: Tables) -> None:
    """Rely upon no claim yet."""
    for claim in tables.claims:
        claim[reduction.RELIED] = 0
    tables.claims[0][reduction.OWNER] = 0  # a claim was refuted that something relied upon


def _lengths(found: Exploration, *, tight: bool) -> dict[str, int]:
    """How long the arrays are to be that get more room: those that are nearly full, twice as much.

    Arguments:
        tight: a quarter more is enough, and the memo gets none.
    """
    space, size, control = found.space, found.model.tables.size, found.space.control
    spare = loop.spare(found.model.tables)
    lengths: dict[str, int] = {}

    def fills(used: int, room: int, spare: int) -> bool:
        return 8 * (used + spare) >= (7 if tight else 6) * room

    def more(room: int, spare: int) -> int:
        return room + room // 4 + spare if tight else 2 * room

    def slots(name: str, rows: int) -> None:
        """Slots for some rows; every second time, as to enter all rows again takes long."""
        n = len(getattr(space, name))
        if n < (rows + rows // 4 if tight else 2 * rows):
            while n < (rows + rows // 4 if tight else 4 * rows):
                n *= 2
            lengths[name] = n

    width, columns = found.model.n_threads + 1, size[m.ROW]
    room = len(space.parent)
    if fills(found.states, room, spare):
        room = more(room, spare)
        lengths |= dict.fromkeys(("parent", "via", "depth", "final", "alone", "calm"), room)
        lengths |= {"states": room * width, "edge_start": room + 1}
        slots("state_slots", room)
    room = len(space.threads) // columns
    if fills(int(space.thread_count[0]), room, spare):
        lengths["threads"] = more(room, spare) * columns
        slots("thread_slots", more(room, spare))
    count, room = int(space.shared_count[0]), len(space.shared_start) - 1
    if fills(count, room, spare):
        lengths["shared_start"] = more(room, spare) + 1
        slots("shared_slots", more(room, spare))
    spare_bytes = spare * size[m.SHARED] * WORST
    if fills(int(space.shared_start[count]), len(space.shared), spare_bytes):
        lengths["shared"] = more(len(space.shared), spare_bytes)
    if fills(int(control[loop.EDGES]), len(space.edges), spare):
        lengths |= dict.fromkeys(("edges", "edge_via"), more(len(space.edges), spare))
    if tight or len(space.memo) >= _MOST_MEMO:
        control[loop.CRAMPED] = 1
    elif fills(4 * int(control[loop.MEMOS]), len(space.memo), spare):
        lengths["memo"] = 2 * len(space.memo)
    return lengths


_ANEW = ("state_slots", "thread_slots", "shared_slots", "memo")
"""The arrays that are filled anew when they get another length."""


def _peak(space: Space, lengths: dict[str, int]) -> int:
    """The bytes of a space while arrays get other lengths, with the old ones that are read."""
    found = 0
    for name, array in space._asdict().items():
        there, then = len(array), lengths.get(name, len(array))
        both = there + then if name in _ANEW and name in lengths else max(there, then)
        found += both * int(array.itemsize)
    return found


def _larger(found: Exploration, lengths: dict[str, int]) -> Space:
    """The same space with arrays of other lengths, as :func:`_lengths` gives them."""
    by, old = found.runner, found.space
    space = old._replace(
        **{
            name: by.zeros(getattr(TYPES, name), n)
            if name in _ANEW
            else by.lengthen(getattr(old, name), n)
            for name, n in lengths.items()
        }
    )
    if "memo" in lengths:
        by.move_memo(old.memo, space.memo)
    if "state_slots" in lengths:
        by.refill(space.states, found.model.n_threads + 1, space.state_slots, found.states)
    if "thread_slots" in lengths:
        columns = found.model.tables.size[m.ROW]
        by.refill(space.threads, columns, space.thread_slots, int(space.thread_count[0]))
    if "shared_slots" in lengths:
        rows = space.shared, space.shared_start, space.shared_slots
        by.refill_packed(*rows, int(space.shared_count[0]))
    return space
