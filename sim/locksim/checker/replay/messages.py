"""What is wrong at the end of a path, as an engineer would say it."""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models import outcome as oc
from locksim.checker.models import registers as rg
from locksim.checker.replay import races
from locksim.checker.replay.asserted import asserted
from locksim.checker.replay.names import numeral
from locksim.checker.replay.path import Replay, operation_name, where
from locksim.checker.search.invariants import HOLDS, INVARIANT, holds
from locksim.checker.search.leak import leaked
from locksim.checker.search.loop import LEAK, NO_PROGRESS, STUCK, WRONG_END
from locksim.compiler import bytecode as b
from locksim.core import faults
from locksim.core.faults import Fault
from locksim.lang.ops import Mark
from locksim.lang.words import plus


def verdict(path: Replay, status: int, expect: dict[str, int]) -> tuple[str, str]:
    """The kind of what is wrong, and the message.

    Arguments:
        path: the path; its last step shows the fault, or reaches the state that is wrong.
        status: what is wrong. expect: word's name → its value at the end.
    """
    if status == oc.FAULT:
        return _fault(path)
    if status == oc.EXCLUSION:
        return "exclusion", _exclusion(path)
    if status == oc.RACE:
        return "race", races.message(path)
    if status == INVARIANT:
        return "invariant", _invariant(path)
    if status == WRONG_END:
        return "assertion", f"all threads have finished: {_wrong_words(path, expect)}"
    if status == LEAK:
        lost = ", ".join(path.names.object(at) for at in leaked(path.model, path.shared))
        return "leak", f"all threads have finished, and nothing points to {lost} any more"
    stuck = "no thread can take a step" if status == STUCK else "these threads never finish"
    assert status in (STUCK, NO_PROGRESS)
    return "deadlock", "\n".join([f"{stuck}:", *waits(path)])


def _wrong_words(path: Replay, expect: dict[str, int]) -> str:
    addresses = {name: address for address, name in path.model.memory.names}
    found = {name: int(path.shared[addresses[name]]) for name in expect}
    wrong = [
        f"{n} is {numeral(found[n])}, expected {numeral(v)}"
        for n, v in expect.items()
        if found[n] != v
    ]
    # The clients count up: a number that is too small is an update that another one overwrote.
    lost = all(found[n] <= value for n, value in expect.items())
    return "; ".join(wrong) + (" (an update was lost)" if lost else "")


def _fault(path: Replay) -> tuple[str, str]:
    kind, at, pc = Fault(path.note[rg.N_FAULT]), path.note[rg.N_FAULT_AT], path.note[rg.N_FAULT_PC]
    flushed = bool(path.steps) and path.steps[-1].action == "flush"
    if flushed:
        pc = path.pcs[-1]  # where the store was issued; the thread has gone on since
    names = path.names
    found = {Fault.ASSERTION: "assertion", Fault.MEMORY: "memory", Fault.FREE: "memory"}
    if kind == Fault.ASSERTION:
        last = [call for call in path.invocations.client if call.thread == path.thread][-1:]
        cause = asserted(path.model.program, pc, path.regs, *last)
    else:
        detail = str(at)
        if kind == Fault.MEMORY:
            op = "flush" if flushed else operation_name(path.model.program.code[pc][0])
            wpl = path.model.memory.space.words_per_line
            detail = faults.memory_detail(op, at, wpl, names.word(at))
        elif kind == Fault.FREE:
            detail = names.object(at).lstrip("&")
        elif kind == Fault.DIVISION:
            detail = ""
        cause = faults.text(kind, detail)
    place = where(path.model.program.places[pc])
    return found.get(kind, "fault"), f"thread {path.thread}, {place}: {cause}"


def _invariant(path: Replay) -> str:
    """Which assertion fails, or what else goes wrong in asking."""
    for program in path.model.invariants:
        code, start, regs = program.code, program.registers, list(program.registers)
        asked = path.model.tables, code, program.entry, start, regs, path.shared
        if holds(*asked, path.note) != HOLDS:
            break
    pc = path.note[rg.N_FAULT_PC]
    place = program.places[pc]
    kind, at = Fault(path.note[rg.N_FAULT]), path.note[rg.N_FAULT_AT]
    if kind == Fault.ASSERTION:
        return f"this does not hold in every state, {where(place)}: {asserted(program, pc, regs)}"
    detail = path.names.word(at) if kind == Fault.MEMORY else str(at)
    return f"the invariant cannot be asked here: {faults.text(kind, detail)} ({where(place)})"


def _exclusion(path: Replay) -> str:
    last = path.note[rg.N_MARKS]
    what, lock = path.note[rg.N_MARKS + 2 * last - 1 :][:2]
    at, locks = int(path.model.tables.size[m.INSIDE]) + 2 * lock, path.model.memory.locks
    writing = [i for i, row in enumerate(path.rows) if row[at]]
    reading = [i for i, row in enumerate(path.rows) if row[at + 1]]
    reads = what in (Mark.READ_ACQUIRED, Mark.READ_RELEASED)
    shared = reads or bool(reading)
    inside = [f"thread {i} holds it{' for writing' * shared}" for i in writing]
    inside += [f"thread {i} holds it for reading" for i in reading]
    holders = " and ".join(inside) or "no thread holds it"
    name, me = "the lock" if len(locks) == 1 else locks[lock], f"thread {path.thread}"
    if what in (Mark.RELEASED, Mark.READ_RELEASED):
        return f"{me} releases {name}, which it does not hold ({holders})"
    if path.thread in (*writing, *reading):
        return f"{me} acquires {name}, which it holds already ({holders})"
    if not shared:
        return f"two threads hold {name}: {me} acquires it while {holders}"
    who = "two writers" if writing and not reads else "a writer and a reader"
    how = "for reading" if reads else "for writing"
    return f"{who} hold {name}: {me} acquires it {how} while {holders}"


def waits(path: Replay) -> list[str]:
    """Where each thread is that has not finished, and what it waits for."""
    found = []
    for i, row in enumerate(path.rows):
        pc = row[m.PC]
        if path.model.program.code[pc][0] != b.EXIT:
            place = where(path.model.program.places[pc])
            found.append(f"  thread {i}, {place}: {_next(path, row)}")
    return found


def _next(path: Replay, row: list[int]) -> str:
    """The next operation of a thread, and what it would find now."""
    t, pc = path.model.tables, row[m.PC]
    code = t.code[pc]
    if code[0] == b.BLOCK and path.shared[t.size[m.SLEEP] + row[m.THREAD]] == 1:
        return "sleeps in block()"
    if not b.LOAD <= code[0] <= b.FETCH_XOR:
        return operation_name(code[0])
    kept = t.keep[t.keep_start[pc] : t.keep_start[pc + 1]]
    registers = dict(zip(kept, row[m.REGISTERS :], strict=False))
    address = plus(registers.get(code[2], path.model.program.registers[code[2]]), code[3])
    found = f"{operation_name(code[0])} of {path.names.word(address)}"
    if 0 <= address < t.size[m.N_WORDS]:
        found += f", which is {path.names.value(address, int(path.shared[address]))}"
    return found
