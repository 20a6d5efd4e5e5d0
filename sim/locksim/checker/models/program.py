"""A linked program as the checker runs it: no calls, and only the registers that matter.

Two rewritings make states collapse that differ in nothing but history.

*Calls are unfolded.* Linking gives every method registers of its own, above those of all its
callers, and forbids recursion. So a call can be replaced by a jump into a private copy of the
callee, and a return by a jump back. The program counter then gives the whole chain of callers, no
register holds a return address, and what is live in a lock's method does not depend on who else
calls it.

*Dead registers are dropped.* A register is kept in a state only if some path from there may read
it before it is written, and if that reading matters: the operands of an instruction whose own
result is dead are dead too (strong liveness). The duration of a ``compute`` never matters, since
the checker knows no time; hence a random back-off is dead, and costs no states.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from locksim.checker.errors import CheckError
from locksim.checker.models.placement import Placement, number_threads
from locksim.checker.models.tasks import Switching, rewritten
from locksim.compiler import bytecode as b
from locksim.compiler.bytecode import Image, Place
from locksim.core.faults import place as shown

MAX_ROWS = 200_000
"""Instructions after unfolding; a program that needs more is refused."""

_JUMPS = range(b.JMP, b.JGE + 1)
_CONDITIONS = (*range(b.JZ, b.JNZ + 1), *range(b.JEQ, b.JGE + 1))
_MOVES = (b.MOV, b.NEG, b.INV, b.NOT)
_FAULTY = (b.FLOORDIV, b.MOD, b.SHL, b.SHR, b.INDEX, b.RANDOM, b.EXPONENTIAL)
_ATOMICS = range(b.SWAP, b.FETCH_XOR + 1)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a method: the rows that are its private copy.

    Arguments:
        method: ``Class.method``. caller: the call that makes it, -1 for that of ``thread()``.
        given: the registers that hold ``self`` and the arguments when it begins.
        result: the register that holds what it has returned, -1 if it always returns nothing.
    """

    method: str
    caller: int
    given: range
    result: int


@dataclass(frozen=True, slots=True)
class Program:
    """An unfolded program.

    Arguments:
        code: rows of :mod:`locksim.compiler.bytecode` without CALL and RET. A
            RANDOM whose result matters has a 1 in its last column.
        entry: index of the first row. task_entry: of a task's first row, -1 if there are none.
        entries: of each thread's first row, where they differ.
        registers: the values at the start; those that no row writes are
            constants.
        keep: the registers to keep where a thread rests at row k are
            ``keep[keep_start[k] : keep_start[k + 1]]``.
        keep_start: one more than there are rows.
        width: the longest of these lists.
        places: source of each row.
        calls: the calls, unfolded; the first is that of ``thread()``.
        call_of: the call that each row belongs to, -1 for the rows around the first call.
    """

    code: list[list[int]]
    entry: int
    registers: list[int]
    keep: list[int]
    keep_start: list[int]
    width: int
    places: tuple[Place, ...]
    calls: tuple[Call, ...]
    call_of: tuple[int, ...]
    task_entry: int = -1
    entries: tuple[int, ...] = ()


def unfold(
    image: Image, by: Switching | None = None, placement: Placement | None = None
) -> Program:
    """The program of a linked image.

    Arguments:
        image: the linked program. by: how tasks are switched, if there are any.
        placement: the CPUs that the threads run on, if they are not those from 0 on.

    Raises:
        CheckError: it is too long, draws an exponential random number that matters, or schedules
            threads without tasks.
    """
    code, origin, calls, call_of = _unfolded(image)
    registers, entry, task_entry = list(image.registers), image.entry, -1
    entries: tuple[int, ...] = ()
    if by is None:
        _refuse_scheduling(image)
        if placement is not None:
            whose = [image.places[k].file for k in origin]
            entries = number_threads(code, registers, entry, placement, whose)
            new = len(code) - len(origin)
            origin, call_of = [*origin, *[image.entry] * new], [*call_of, *[-1] * new]
    else:
        made = rewritten(code, image.registers, (entry, image.task_entry), by)
        code, registers = made.code, made.registers
        origin, call_of = ([which[k] for k in made.source] for which in (origin, call_of))
        entry, task_entry = made.entry, made.task_entry
    alive = live(code)
    written = 0
    for row in code:
        written |= defines(row)
    for k, row in enumerate(code):
        if row[0] in (b.RANDOM, b.EXPONENTIAL) and alive[k + 1] & defines(row):
            if row[0] == b.EXPONENTIAL:
                at = image.places[origin[k]]
                raise CheckError(
                    f"{shown(at.file, at.line)}: the result of random_exponential() decides what "
                    "the program does, and it has too many values to try\n"
                    "help: use it for compute() only, or take random_below() with a small bound"
                )
            row[b.WIDTH - 1] = 1
    kept = [_members(mask & written) for mask in alive[: len(code)]]
    return Program(
        code=code,
        entry=entry,
        registers=registers,
        keep=[r for registers in kept for r in registers] or [0],
        keep_start=list(accumulate(map(len, kept), initial=0)),
        width=max(map(len, kept)),
        places=tuple(image.places[i] for i in origin),
        calls=tuple(calls),
        call_of=tuple(call_of),
        task_entry=task_entry,
        entries=entries,
    )


_SCHEDULING = {b.SWITCH: "switch()", b.TIMER: "timer()", b.NOW: "now()"}


def _refuse_scheduling(image: Image) -> None:
    """Without tasks every thread has a CPU of its own for ever, and there is no clock."""
    for row, at in zip(image.code, image.places, strict=True):
        if row[0] in _SCHEDULING:
            what = _SCHEDULING[row[0]]
            raise CheckError(
                f"{shown(at.file, at.line)}: the checker knows {what} only in a workload with "
                "tasks: without, its threads run on a CPU each, in every order, without a clock\n"
                "help: check the lock by itself, and simulate the program that schedules threads"
            )


def _unfolded(image: Image) -> tuple[list[list[int]], list[int], list[Call], list[int]]:
    """The rows with every call replaced by a copy of the callee.

    Beside them: which row of the image each one was, the calls, and the call of each row.
    """
    rows = [list(row) for row in image.code]
    entries = sorted({row[2] for row in rows if row[0] == b.CALL})
    ends = dict(zip(entries, [*entries[1:], len(rows)], strict=True))
    start = entries[0] if entries else len(rows)
    code: list[list[int]] = []
    origin: list[int] = []
    calls: list[Call] = []
    call_of: list[int] = []
    written = {row[1] for row in rows if defines(row)}
    speaks = {entry: _speaks(image, range(entry, ends[entry]), written) for entry in entries}

    def copy(first: int, end: int, back: int, call: int) -> int:
        """Append a call's copy of rows first … end - 1 whose returns go to row ``back``."""
        moved = len(code) - first
        if len(code) + end - first > MAX_ROWS:
            raise CheckError(
                f"the program has more than {MAX_ROWS} instructions when its calls are unfolded\n"
                "help: check a smaller workload"
            )
        code.extend([list(row) for row in rows[first:end]])
        origin.extend(range(first, end))
        call_of.extend([call] * (end - first))
        for k in range(first, end):
            row = code[k + moved]
            if row[0] in _JUMPS:
                row[1] += moved
            elif row[0] == b.RET:
                code[k + moved] = [b.JMP, back, *[0] * (b.WIDTH - 2)]
            elif row[0] == b.CALL:
                calls.append(_call(image, k, call, speaks[row[2]]))
                into = copy(row[2], ends[row[2]], k + moved + 1, len(calls) - 1)
                code[k + moved] = [b.JMP, into, *[0] * (b.WIDTH - 2)]
        return first + moved

    copy(0, start, -1, -1)
    return code, origin, calls, call_of


def _call(image: Image, k: int, caller: int, speaks: bool) -> Call:
    """The call that row ``k`` of an image makes.

    Linking passes ``self`` by an ADDI (a MOV for ``thread()``) and each argument by a MOV, and
    takes the result by a MOV.
    """
    first = k - 1
    while caller >= 0 and image.code[first][0] == b.MOV:
        first -= 1
    given = image.code[first][1]
    return Call(
        method=image.places[image.code[k][2]].method,
        caller=caller,
        given=range(given, given + k - first),
        result=image.code[k + 1][2] if caller >= 0 and speaks else -1,
    )


def _speaks(image: Image, rows: range, written: set[int]) -> bool:
    """Whether a method, which has some rows of an image, returns anything but 0."""
    code = image.code
    returned = [code[k - 1][2] for k in rows if code[k][0] == b.RET]
    return any(register in written or image.registers[register] for register in returned)


def live(code: list[list[int]]) -> list[int]:
    """For each row the registers that matter before it, as a bit set; and 0 for the end."""
    n = len(code)
    live = [0] * (n + 1)
    before: list[list[int]] = [[] for _ in range(n + 1)]
    for k in range(n):
        for after in successors(code[k], k):
            before[after].append(k)
    todo = list(range(n))
    waiting = set(todo)
    while todo:
        k = todo.pop()
        waiting.discard(k)
        row = code[k]
        out = 0
        for after in successors(row, k):
            out |= live[after]
        defined = defines(row)
        matters = has_effect(row) or out & defined
        new = (out & ~defined) | (uses(row) if matters else 0)
        if new != live[k]:
            live[k] = new
            for j in before[k]:
                if j not in waiting:
                    waiting.add(j)
                    todo.append(j)
    return live


def reaching(
    program: Program, alive: list[int], *, tasks: bool = False
) -> dict[int, dict[int, frozenset[int]]]:
    """For each row that can run and each register that matters there, the rows that may set it.

    Arguments:
        program: which. alive: what :func:`live` says of its code.
        tasks: whether also for the rows that only tasks run.
    """
    todo = [program.entry, *([program.task_entry] if tasks and program.task_entry >= 0 else [])]
    found: dict[int, dict[int, frozenset[int]]] = {k: {} for k in todo}
    while todo:
        k = todo.pop()
        row, after = program.code[k], dict(found[k])
        if written := defines(row):
            after[written.bit_length() - 1] = frozenset([k])
        for j in successors(row, k):
            new = {r: d for r, d in after.items() if alive[j] >> r & 1}
            known = found.get(j)
            joined = new if known is None else dict(known)
            for r, d in new.items():
                joined[r] = joined.get(r, frozenset()) | d
            if joined != known:
                found[j] = joined
                todo.append(j)
    return found


def successors(row: list[int], k: int) -> list[int]:
    """The rows that may run after row ``k``."""
    if row[0] == b.JMP:
        return [row[1]]
    if row[0] == b.EXIT:
        return []
    return [row[1], k + 1] if row[0] in _JUMPS else [k + 1]


def has_effect(row: list[int]) -> bool:
    """Whether a row does anything beside writing its register."""
    op = row[0]
    return op in _CONDITIONS or op in _FAULTY or op in (b.ASSERT, b.MARK) or op >= b.FIRST_OPERATION


def defines(row: list[int]) -> int:
    """The register that a row writes, as a bit set; 0 for none."""
    op = row[0]
    writes = op <= b.SHR or b.EQ <= op <= b.GE or b.CPU <= op <= b.EXPONENTIAL
    writes = writes or op in (b.INDEX, b.NTHREADS, b.NODE)
    return 1 << row[1] if writes or op in (b.LOAD, b.ALLOC) or op in _ATOMICS else 0


def uses(row: list[int]) -> int:
    """The registers that a row reads, as a bit set."""
    op = row[0]
    if op in _MOVES or op in (b.ADDI, b.JZ, b.JNZ, b.RANDOM, b.EXPONENTIAL, b.ASSERT, b.MARK):
        return 1 << row[2]
    if b.ADD <= op <= b.GE or b.JEQ <= op <= b.JGE:
        return 1 << row[2] | 1 << row[3]
    if op in (b.INDEX, b.STORE) or b.SWAP <= op <= b.FETCH_XOR:
        both = 1 << row[2] | 1 << row[4]
        return both | 1 << row[5] if op == b.COMPARE_SWAP else both
    if op == b.LOAD:
        return 1 << row[2]
    return 1 << row[4] if op in (b.WAKE, b.FREE) else 0


def _members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
