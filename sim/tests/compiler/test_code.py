"""What the compiler makes of a program: the instructions, one by one, where their shape matters."""

import pytest

from locksim.compiler import CompileError, compile_class, compile_source
from locksim.compiler.ir import SIGNATURES, ClassCode, Instr, MethodCode
from locksim.compiler.spin import spin_loops
from locksim.lang import Lock, Struct, Workload, alloc
from locksim.library.locks.mcs import MCSLock, QNode
from locksim.library.locks.tas import TASLock
from locksim.library.registry import Entry, entries

HEAD = """from locksim.lang import *


class Node(Struct):
    next = pointer("Node")
    value = word()


class L(Struct):
    word = word()
    other = word()
    node = pointer(Node)
    nodes = percpu(Node)
    inner = part(Node)
    n = param(4)

"""


def method(text: str, name: str = "run") -> MethodCode:
    """The bytecode of a method of ``L``; the text is its source."""
    lines = "".join(f"    {line}\n" for line in text.strip("\n").splitlines())
    return compile_source(HEAD + lines, "l.py")["L"].methods[name]


def short(instrs: tuple[Instr, ...]) -> list[str]:
    """Instructions without places: ``LOAD r1 r0 self word 1``."""
    return [" ".join([i.op, *map(_word, i.args)]) for i in instrs]


def _word(operand: object) -> str:
    return ".".join(map(str, operand)) if isinstance(operand, list) else str(operand)


def code(text: str) -> list[str]:
    """The instructions of a program's body."""
    body = "".join(f"    {line}\n" for line in text.strip("\n").splitlines())
    return short(method(f"def run(self, a, b):\n{body}").instrs)


def test_spin_is_a_load_a_branch_a_pause_and_a_jump() -> None:
    """The loop that every lock waits in has its test at the top and one jump back."""
    made = code("while (yield self.word.load(ACQUIRE)) != a:\n    yield pause()")
    expected = ["LOAD r3 r0 self word 1", "JEQ r3 r1 4", "PAUSE", "JMP 0", "RET 0"]
    assert expected == made


def test_a_comparison_with_zero_needs_no_second_operand() -> None:
    """``!= 0``, ``== NULL`` and the plain truth are the same branch."""
    forms = ["{} != 0", "{} != NULL", "{}", "not {} == 0", "0 != {}"]
    load = "(yield self.word.load(RELAXED))"
    made = {tuple(code(f"if {f.format(load)}:\n    yield pause()")) for f in forms}
    assert {("LOAD r3 r0 self word 0", "JZ r3 3", "PAUSE", "RET 0")} == made


def test_results_go_to_the_variable_at_once() -> None:
    """No moves through temporaries."""
    made = code("x = yield self.word.fetch_add(a + 1)\nx = x + b\nreturn x")
    assert ["ADD r4 r1 1", "FETCH_ADD r3 r0 self word r4 4", "ADD r3 r3 r2", "RET r3"] == made


def test_constants_are_folded() -> None:
    """Arithmetic, comparisons and choices of constants leave no instruction."""
    made = code(
        """
yield self.word.store((3 + 4 * 2 << 1) // -5 % 7, RELAXED)
yield self.word.store(1 < 2, RELAXED)
if 2 > 1 and not 0:
    yield self.word.store(min(4, 2 ** 5), RELAXED)
yield compute(250 * NS)"""
    )
    store = "STORE r0 self word {} 0"
    assert [*(store.format(n) for n in (2, 1, 4)), "COMPUTE 250000", "RET 0"] == made


def test_swapping_two_variables_copies_one() -> None:
    """``a, b = b, a`` keeps the value that is overwritten first."""
    assert ["MOV r3 r1", "MOV r1 r2", "MOV r2 r3", "RET r1"] == code("a, b = b, a\nreturn a")


def test_counting_loop_counts_in_its_variable() -> None:
    """Where nobody changes or reads it afterwards, the variable is the counter; a param the end."""
    made = code("for i in range(self.n):\n    yield compute(i)")
    assert ["MOV r3 0", "JGE r3 $n 5", "COMPUTE r3", "ADD r3 r3 1", "JMP 1", "RET 0"] == made


def test_counting_loop_keeps_a_hidden_counter_where_it_must() -> None:
    """A variable that is read after the loop has Python's value there."""
    made = code("i = 0\nfor i in range(2):\n    yield pause()\nreturn i")
    expected = ["MOV r3 0", "MOV r4 0", "MOV r3 r4", "PAUSE", "ADD r4 r4 1", "JLT r4 2 2"]
    assert [*expected, "RET r3"] == made


def test_counting_loop_between_constants_is_tested_at_its_end() -> None:
    """One that surely goes round needs no test before; one that surely does not needs nothing."""
    made = code("for i in range(6, 0, -2):\n    yield compute(i)")
    assert ["MOV r3 6", "COMPUTE r3", "ADD r3 r3 -2", "JGT r3 0 1", "RET 0"] == made
    made = code("for i in range(3, 3):\n    yield fence()\nyield pause()")
    assert ["PAUSE", "RET 0"] == made[-2:]
    assert not any("FENCE" in line for line in made)


def test_branches_out_of_a_loop_are_one_jump() -> None:
    """``if c: break`` and ``if c: continue`` jump from the comparison itself."""
    made = code(
        """
while True:
    x = yield self.word.load()
    if x == a:
        break
    if x < b:
        continue
    yield pause()"""
    )
    expected = ["LOAD r3 r0 self word 4", "JEQ r3 r1 5", "JLT r3 r2 0", "PAUSE", "JMP 0", "RET 0"]
    assert expected == made


def test_addresses_are_a_base_and_a_path() -> None:
    """Parts are a path, elements an index, pointers a register with the class's name."""
    made = code(
        """
yield self.inner.value.store(1, RELAXED)
mine = self.nodes[cpu()]
yield mine.value.store(2, RELAXED)
there = yield self.node.load(RELAXED)
yield there.next.store(self.inner, RELAXED)"""
    )
    assert [
        "STORE r0 self inner.value 1 0",
        "CPU r5",
        "INDEX r3 r0 self nodes r5",
        "STORE r3 self.nodes value 2 0",
        "LOAD r4 r0 self node 0",
        "ADDR r5 r0 self inner",
        "STORE r4 Node next r5 0",
        "RET 0",
    ] == made


def test_types_are_those_of_arguments_and_results() -> None:
    """Annotations, pointers, words and what a method returns."""
    made = method(
        """
def run(self, a: Node, b: int, c: word, d: "L"):
    node = NULL
    while a != node:
        yield c.store(b)
        node = yield a.next.load()
    return node
"""
    )
    assert ("ptr:Node", "int", "ref:int", "ptr:L") == made.arg_types
    assert "ptr:Node" == made.returns
    assert ("self", "a", "b", "c", "d", "node") == made.registers[:6]


def test_result_of_a_callee_is_typed_in_its_caller() -> None:
    """A part that returns itself is a pointer to that part for the caller."""
    made = compile_source(
        """from locksim.lang import *
class In(Struct):
    value = word()
    def here(self):
        yield fence()
        return self
class Out(Struct):
    one = part(In)
    def run(self):
        found = yield from self.one.here()
        yield found.value.store(1)
        return found
""",
        "o.py",
    )["Out"].methods["run"]
    assert "STORE r1 self.one value 1 4" == short(made.instrs)[1]
    assert "ptr:self.one" == made.returns


def test_metered_methods_carry_their_marks() -> None:
    """Start before, success or failure after on each path, release before its body."""
    text = HEAD.replace("class L(Struct)", "class L(Lock)") + (
        "    def try_acquire(self):\n"
        "        if (yield self.word.load()):\n"
        "            return 0\n"
        "        return (yield self.word.swap(1)) == 0\n"
        "    def release(self):\n"
        "        yield self.word.store(0)\n"
    )
    made = compile_source(text, "l.py")["L"].methods
    assert [
        "MARK 1 r0",
        "LOAD r1 r0 self word 4",
        "JZ r1 5",
        "MARK 4 r0",
        "RET 0",
        "SWAP r1 r0 self word 1 4",
        "EQ r2 r1 0",
        "JNZ r2 10",
        "MARK 4 r0",
        "RET r2",
        "MARK 2 r0",
        "RET r2",
    ] == short(made["try_acquire"].instrs)
    assert ["MARK 3 r0", "STORE r0 self word 0 4", "RET 0"] == short(made["release"].instrs)
    assert "try_acquire" == made["try_acquire"].role


def test_instructions_know_their_source() -> None:
    """Each has the line and the columns of the expression that it comes from."""
    code_ = compile_class(TASLock)
    lines = code_.source.splitlines()
    for instr in code_.methods["release"].instrs[1:2]:
        text = lines[instr.line - 1][instr.column : instr.end_column]
        assert "self.locked.store(0, RELEASE)" == text


def test_every_instruction_fits_its_signature() -> None:
    """Operation, number of operands, registers in range, labels inside the method."""
    for made in (*_all(compile_class(MCSLock)), *_all(compile_class(TASLock))):
        for instr in made.instrs:
            assert len(SIGNATURES[instr.op]) == len(instr.args)
            for role, operand in zip(SIGNATURES[instr.op], instr.args, strict=True):
                if role == "label":
                    assert 0 <= operand < len(made.instrs)
                if role in ("d", "a", "base") and isinstance(operand, str) and operand[0] == "r":
                    assert int(operand[1:]) < made.n_registers == len(made.registers)
        assert "RET" == made.instrs[-1].op


def _all(code_: ClassCode) -> list[MethodCode]:
    return list(code_.methods.values())


def test_waiting_loops_of_the_library_can_be_skipped_over() -> None:
    """The spin detection finds the loops of MCS: temporaries are not shared inside a loop."""
    made = compile_class(MCSLock).methods
    assert 1 == len(spin_loops(made["acquire"]))


def test_a_class_is_compiled_once() -> None:
    """The same object comes back; its types are the classes that it names."""
    assert compile_class(MCSLock) is compile_class(MCSLock)
    assert QNode is compile_class(MCSLock).types["QNode"]


def test_parsed_class_has_the_fields_of_the_live_one() -> None:
    """Names, order, kinds and constants of a parsed declaration."""
    made = compile_source(
        """\"\"\"Essay.\"\"\"
from __future__ import annotations
from typing import ClassVar
import locksim.lang as ll
from locksim.lang import Lock, word as cell, param, array
from locksim.library.locks.tas import TASLock
SIZE = 1 << 3
class Two(Lock):
    \"\"\"Two locks.\"\"\"
    METERED: ClassVar[dict[str, str]] = {**Lock.METERED, "enter": "acquire"}
    TURNS = SIZE // 2
    first = ll.part(TASLock, padded=True)
    flags = array(SIZE, cell(-1))
    limit = param(250 * ll.NS)
    last = array("limit", TASLock())
    def enter(self):
        for _ in range(self.TURNS):
            yield from self.first.acquire()
            yield from self.first.release()
""",
        "two.py",
    )["Two"]
    fields = made.struct.FIELDS
    assert ["first", "flags", "limit", "last"] == list(fields)
    assert (TASLock, True) == (fields["first"].of, fields["first"].padded)  # type: ignore[attr-defined]
    assert (8, -1) == (fields["flags"].n, fields["flags"].of.init)  # type: ignore[attr-defined]
    assert 250_000 == made.struct()._params["limit"]
    assert "acquire" == made.methods["enter"].role
    assert ("Two locks.", "two.py") == (made.doc, made.file)
    assert issubclass(made.struct, Lock)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_parsed_file_gives_the_bytecode_of_the_live_class(entry: Entry) -> None:
    """One path: reading a library file as text or importing it makes no difference."""
    live = entry.compiled()
    parsed = compile_source(live.source, live.file)[live.name]
    assert live.methods == parsed.methods
    assert list(live.struct.FIELDS) == list(parsed.struct.FIELDS)


def test_constants_may_share_a_line() -> None:
    """At the top of a file and in a class; as many names as numbers, and upper case in a class."""
    head = "from locksim.lang import *\n"
    body = "    def acquire(self):\n        yield self.items[HIGH + self.TWO].load()\n"
    text = f"{{}}class L(Lock):\n    items = array(9)\n{{}}{body}"
    apart = text.format("LOW = 0\nHIGH = 1\n", "    ONE = 1\n    TWO = ONE + 1\n")
    one_line = text.format("LOW, HIGH = 0, 1\n", "    ONE, TWO = 1, 2\n")
    expected, found = (compile_source(head + t, "l.py")["L"].methods for t in (apart, one_line))
    plain = [[(i.op, i.args) for i in m["acquire"].instrs] for m in (expected, found)]
    assert plain[0] == plain[1]
    for top, member in (("A, B = 0, 1, 2\n", ""), ("", "    one, two = 1, 2\n")):
        with pytest.raises(CompileError, match="this is something else"):
            compile_source(head + text.format(top, member), "l.py")


def test_a_cast_of_0_keeps_its_class() -> None:
    """A helper may give a pointer that points nowhere; a plain 0 is no pointer to one class."""
    text = """from locksim.lang import *
class Node(Struct):
    next = pointer("Node")
class L(Lock):
    head = pointer(Node)
    def none(self):
        return cast(Node, 0)
    def acquire(self):
        found = self.none()
        found = yield self.head.load()
        yield found.next.store(NULL)
"""
    assert "ptr:Node" == compile_source(text, "l.py")["L"].methods["none"].returns
    with pytest.raises(CompileError, match="'found' is a pointer to Node here and a number"):
        compile_source(text.replace("cast(Node, 0)", "0"), "l.py")


def test_constants_may_be_large_on_the_way() -> None:
    """Only what reaches a register has to fit into 64 bits."""
    made = code("yield self.word.store(-(1 << 63), RELAXED)\nreturn 2 ** 64 >> 60")
    assert [f"STORE r0 self word {-(2**63)} 0", "RET 16"] == made


def test_names_are_known_by_what_they_are() -> None:
    """An operation under another name, or behind a module, is that operation."""
    text = """import locksim.lang as ll
from locksim.lang import pause as rest
class L(ll.Struct):
    def run(self):
        yield rest()
        yield ll.pause()
        yield ll.compute(ll.cpu() * ll.NS)
"""
    made = compile_source(text, "l.py")["L"].methods["run"]
    assert ["PAUSE", "PAUSE", "CPU r1", "MUL r2 r1 1000", "COMPUTE r2", "RET 0"] == short(
        made.instrs
    )


def test_abstract_parts_are_left_to_the_linker() -> None:
    """A part declared as Lock has programs that only the description knows."""
    text = """from locksim.lang import *
class W(Workload):
    lock = part(Lock)
    def thread(self):
        yield from self.lock.acquire()
        yield from self.lock.release()
"""
    made = compile_source(text, "w.py")["W"]
    assert issubclass(made.struct, Workload)
    assert ["CALL", "CALL", "RET"] == [i.op for i in made.methods["thread"].instrs]


def test_two_classes_of_one_name_keep_apart() -> None:
    """The second gets a number in the bytecode."""

    def make(lines: int) -> type[Struct]:
        text = f"from locksim.lang import *\nclass Node(Struct):\n    items = array({lines})\n"
        return compile_source(text, "n.py")["Node"].struct

    first, second = make(1), make(2)

    class Both(Struct):
        def run(self):
            a = yield alloc(first)
            b = yield alloc(second)
            return a == b

    assert {"Node": first, "Node_2": second} == compile_class(Both).types
