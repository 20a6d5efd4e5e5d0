"""Classes that exist only as bytecode run wherever live ones do, and do the same."""

from __future__ import annotations

import importlib
import inspect
import json
import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arrays import reference_run
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from locksim.cli.run import app
from locksim.compiler import compile_class, compile_source
from locksim.compiler.portable import FormatError, code_from_json, code_to_json
from locksim.core.result import RunResult, SimulationError
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.trace import MARK
from locksim.kinds import kind_of
from locksim.lang import (
    Struct,
    Workload,
)
from locksim.lang.layout import Space
from locksim.lang.ops import Mark
from locksim.library.locks import clh
from locksim.library.registry import Entry, entries, resolve
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.token_ring import TokenRing
from locksim.machine import load

UNTIL_PS = 4_000_000
THINK_PS = 50_000
SEED = 5


def run(engine: str, workload: Workload, machine: str = "desktop-4", cpus: int = 2) -> RunResult:
    """A short traced run; longer where threads are switched, which takes microseconds."""
    tables = load(machine).tables(cpus, "scatter")
    until_ps = UNTIL_PS + 10 * tables.context_switch_ps * isinstance(workload, TokenRing)
    image, memory = prepare(workload, tables)
    if engine == "fast":
        return fast.run(image, memory, tables, seed=SEED, until_ps=until_ps, trace=True, jump=False)
    return reference_run(memory, tables, seed=SEED, until_ps=until_ps, trace=True)


def error_of(engine: str, workload: Workload) -> str:
    """What an engine says of a workload that fails."""
    with pytest.raises(SimulationError) as caught:
        run(engine, workload)
    return str(caught.value)


def parsed(text: str, name: str, file: str = "mine.py") -> type[Any]:
    """A class of a text that is not run."""
    return compile_source("from locksim.lang import *\n" + text, file)[name].struct


def both(text: str, name: str) -> tuple[type[Any], type[Any]]:
    """A class of a text: live, and parsed only."""
    text = "from locksim.lang import *\n" + text
    linecache.cache["mine.py"] = (len(text), None, text.splitlines(keepends=True), "mine.py")
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, "mine.py", "exec"), names)
    return names[name], compile_source(text, "mine.py")[name].struct


def equal(one: RunResult, other: RunResult) -> bool:
    """Whether two runs are the same, event for event."""
    assert one.trace is not None
    assert other.trace is not None
    pairs = ((one.trace, other.trace), (one.memory, other.memory), (one.locks, other.locks))
    return all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.covering("entry", "machine", every=4, first=1)
@pytest.mark.parametrize(
    ("machine", "cpus"), [("desktop-4", 3), ("pentium3-8way", 2), ("itanium2-32", 4)]
)
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_library_runs_the_same_from_its_text(entry: Entry, machine: str, cpus: int) -> None:
    """A library class that is parsed from its file does what the live one does."""
    file = inspect.getfile(importlib.import_module(entry.struct.__module__))
    data = resolve(f"{file}:{entry.struct.__name__}").struct
    assert data is not entry.struct
    live, again = (kind_of(cls).test_loads(cls, THINK_PS)[0] for cls in (entry.struct, data))
    expected = run("reference", live, machine, cpus)
    assert expected.trace is not None
    assert len(expected.trace) > 20
    assert equal(expected, run("reference", again, machine, cpus))
    assert equal(expected, run("fast", again, machine, cpus))


def test_a_users_file_with_a_setup_runs(tmp_path: Path) -> None:
    """``locklab run my.py:CLHLock`` sets the lock up, and the lock excludes."""
    file = tmp_path / "my.py"
    file.write_text(inspect.getsource(clh), encoding="utf-8")
    arguments = [f"{file}:CLHLock", "--cpus", "3", "--operations", "20", "--json"]
    found = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert 0 == found.exit_code
    row = json.loads(found.stdout)["locks"][0]
    assert row["total"] > 100
    assert 0 == row["violations"]


MIXED = """
class Cell(Struct):
    value = word()
    next = pointer("Cell")

    def add(self, n):
        old = yield self.value.fetch_add(n)
        return old


class Base(Struct):
    cells = array(4, Cell)
    head = pointer(Cell)

    def index(self, n):
        return n % 4

    def cell(self, n):
        return self.cells[self.index(n)]

    def first(self):
        found = yield self.head.load()
        return found

    def value(self, cell: Cell):
        at = cell.value
        found = yield at.load()
        return found

    def spot(self, cell: Cell):
        return cell.value

    def bump(self, at: word, n):
        old = yield at.fetch_add(n)
        return old

    def push(self, new: Cell):
        old = yield self.head.load()
        yield new.next.store(old)
        yield self.head.store(new)
"""
USE = """
        for i in range(6):
            cell = {s}.cell(i)
            yield from cell.add(i + 1)
            yield from {s}.push(cell)
            found = yield from {s}.first()
            number = yield from {s}.value(found)
            yield note(number)
            yield note((yield from {s}.bump({s}.spot(cell), 3)))
            yield note((yield from {s}.bump(cell.value, i)))
            fresh = yield alloc(Cell)
            yield from {s}.push(fresh)
            yield from fresh.add(5)
            found = yield from {s}.first()
            yield note((yield found.value.load()))
            old = yield found.next.load()
            yield note(old == cell)
            yield {s}.head.store(old)
            yield free(fresh)
"""


def test_live_and_parsed_programs_call_one_another() -> None:
    """Pointers and results cross the border in either direction, as between live ones."""
    base, parsed_base = both(MIXED, "Base")
    program = "\n\nclass W(Workload):\n    base = part(Base)\n\n    def thread(self):"
    live_w, parsed_w = both(MIXED + program + USE.format(s="self.base"), "W")
    expected = run("reference", live_w(), cpus=1)
    assert expected.trace is not None
    assert expected.finished
    for workload in (parsed_w(), live_w(base=parsed_base), parsed_w(base=base)):
        assert equal(expected, run("reference", workload, cpus=1))


def test_a_parsed_class_inherits_a_live_one() -> None:
    """Its own programs are interpreted, the base's are the base's, and each finds the other."""
    text = "from locksim.library.locks.ticket import TicketLock\n"
    text += "class Counted(TicketLock):\n    n = word()\n\n    def release(self):\n"
    text += "        yield self.n.fetch_add(1)\n        served = yield self.now_serving.load()\n"
    text += "        yield self.now_serving.store(served + 1, RELEASE)\n"
    live, data = both(text, "Counted")
    live_load, data_load = CriticalSection(lock=live), CriticalSection(lock=data)
    result = run("reference", data_load)
    assert equal(run("reference", live_load), result)
    assert equal(result, run("fast", data_load))
    assert not hasattr(data.acquire, "bytecode")


FAULTS = {
    "store": "yield NULL_NODE.value.store(1)",
    "relaxed store": "yield NULL_NODE.value.store(1, RELAXED)",
    "swap": "yield NULL_NODE.value.swap(1)",
    "load": "yield NULL_NODE.value.load()",
    "free": "yield free(NULL_NODE)",
    "index": "yield self.numbers[x + 3].load()",
    "division": "yield note(x // (x - 7))",
    "modulo": "yield note(x % (x - 7))",
    "shift": "yield note(x << (x - 9))",
    "random": "yield note(random_below(x - 7))",
    "exponential": "yield note(random_exponential(x - 8))",
    "assert": "assert x == 8",
    "compute": "yield compute(x - 9)",
    "wake": "yield wake(x)",
    "helper": "yield note(self.bad(x))",
    "deadlock": "yield block()",
}


def faulty(statement: str) -> str:
    """A workload that fails in a program that it calls."""
    statement = statement.replace("NULL_NODE", "(yield self.head.load())")
    return f"""
class Node(Struct):
    value = word()
    next = pointer("Node")


class Bad(Workload):
    head = pointer(Node)
    numbers = array(8)

    def bad(self, x):
        return 1 // (x - 7)

    def inner(self, x):
        yield pause()
        {statement}

    def thread(self):
        yield from self.inner(7)
"""


@pytest.mark.parametrize("name", FAULTS)
def test_faults_read_the_same(name: str) -> None:
    """A parsed program's fault has the file, line, method and words of the live program's."""
    live, data = both(faulty(FAULTS[name]), "Bad")
    expected = error_of("reference", live())
    assert expected == error_of("reference", data())
    assert expected == error_of("fast", data())
    method, line = ("bad", 13) if name == "helper" else ("inner", 17)
    assert f"mine.py:{line}" in expected
    assert f"Bad.{method}" in expected


def test_a_store_is_called_a_store() -> None:
    """Though a SEQ_CST one is an exchange to the machine."""
    _, data = both(faulty(FAULTS["store"]), "Bad")
    for engine in ("reference", "fast"):
        assert ": store through a NULL pointer" in error_of(engine, data())


def test_a_shift_by_too_many_bits_is_a_fault() -> None:
    """Python would make a longer number; a register cannot."""
    data = parsed(faulty("yield note(1 << x * 10)"), "Bad")
    message = error_of("reference", data())
    assert message.endswith("a shift by a number of bits outside 0..63: 70")
    assert message == error_of("fast", data())


EDGES = st.sampled_from([0, 1, -1, 2, -3, 63, 64, (1 << 63) - 1, -(1 << 63), 1 << 40])


@given(a=EDGES, b=EDGES)
def test_arithmetic_is_that_of_registers(a: int, b: int) -> None:
    """Sums, products and quotients of any two numbers wrap at 64 bits, as in the fast engine."""
    forms = ["x + y", "x - y", "x * y", "-x", "~y", "x & y", "x | y", "x ^ y", "x < y", "not x"]
    forms += ["x // y", "x % y"] if b else []
    forms += ["x << y", "x >> y"] if 0 <= b < 64 else []
    notes = "".join(f"        yield note({form})\n" for form in forms)
    program = "class W(Workload):\n    a = word({})\n    b = word({})\n\n    def thread(self):\n"
    program = program.format(a, b) + "        x = yield self.a.load()\n"
    program += "        y = yield self.b.load()\n" + notes
    data = parsed(program, "W")
    expected = run("fast", data(), cpus=1)
    assert expected.trace is not None
    assert len(forms) + 3 == len(expected.trace)  # a miss and two loads
    assert equal(expected, run("reference", data(), cpus=1))


def test_a_failing_setup_names_its_line() -> None:
    """Of a parsed class as of a live one."""
    text = "class W(Workload):\n    n = word(3)\n\n    def setup(self):\n"
    text += "        n = yield self.n.load()\n        assert n == 4\n\n"
    text += "    def thread(self):\n        yield pause()\n"
    for cls in both(text, "W"):
        expected = "W.setup(): an assertion failed (mine.py:7 in W.setup)"
        assert expected == error_of("reference", cls())


def test_an_inherited_programs_fault_names_the_bases_file() -> None:
    """In both engines; the class that is named is the final one."""
    text = (
        "from locksim.library.locks.ticket import TicketLock\nclass Heir(TicketLock):\n    pass\n"
    )
    heir = parsed(text, "Heir")
    code = compile_class(heir)
    base = Path(compile_class(heir.__mro__[1]).file).name
    assert {"ticket.py"} == {Path(m.file).name for m in code.methods.values()} == {base}
    use = "from locksim.library.locks.ticket import TicketLock\nclass W(Workload):\n"
    use += "    head = pointer(TicketLock)\n\n    def thread(self):\n"
    use += "        lock = yield self.head.load()\n        yield from lock.acquire()\n"
    message = error_of("fast", parsed(use, "W")())
    line = compile_class(heir).methods["acquire"].line + 1
    assert f"ticket.py:{line} in TicketLock.acquire" in message
    assert message == error_of("reference", parsed(use, "W")())


def test_arguments_are_counted() -> None:
    """A call with too few says how many it takes, as Python does."""
    lock = compile_source(inspect.getsource(clh), "my.py")["CLHLock"].struct
    with pytest.raises(TypeError, match=r"acquire\(\) takes 0 arguments, not 1"):
        next(lock().placed(8, Space(8, 2)).acquire(1))  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="CLHLock has no address yet"):
        next(lock().acquire())  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["__init__", "placed", "locked", "a b"])
def test_a_document_can_not_replace_what_a_struct_is_made_of(name: str) -> None:
    """Names of Python's, of Struct's and of fields are refused as names of methods."""
    text = "class L(Lock):\n    locked = word()\n\n    def acquire(self):\n        yield pause()\n"
    text += "\n    def release(self):\n        yield pause()\n"
    document = code_to_json(compile_source("from locksim.lang import *\n" + text, "my.py")["L"])
    methods = document["classes"]["L"]["methods"]
    methods[name] = methods["acquire"]
    with pytest.raises(FormatError, match="cannot have a method"):
        code_from_json(document)


def test_the_librarys_classes_are_left_alone() -> None:
    """Reading the bytecode of a library class does not change the class."""
    entry = next(e for e in entries() if e.name == "ticket")
    before = dict(vars(entry.struct))
    document = code_to_json(entry.compiled())
    methods = document["classes"]["TicketLock"]["methods"]
    methods["extra"] = methods["acquire"]
    code = code_from_json(document)
    assert "extra" in code.methods
    assert before == dict(vars(entry.struct))
    assert not hasattr(Struct, "extra")


def test_a_type_that_only_a_setup_allocates() -> None:
    """Memory knows it, whether the class is live or parsed."""
    text = "class Node(Struct):\n    value = word(4)\n\n\nclass W(Workload):\n"
    text += "    head = pointer(Node)\n\n    def fresh(self):\n        node = yield alloc(Node)\n"
    text += "        return node\n\n    def setup(self):\n        node = yield from self.fresh()\n"
    text += "        yield node.value.store(n_cpus())\n        yield self.head.store(node)\n\n"
    text += "    def thread(self):\n        node = yield self.head.load()\n"
    text += "        yield note((yield node.value.load()))\n"
    for cls in both(text, "W"):
        result = run("reference", cls())
        assert result.trace is not None
        assert [2, 2] == [int(row[3]) for row in result.trace if row[2] == MARK + Mark.NOTE]
        assert equal(result, run("fast", cls()))
