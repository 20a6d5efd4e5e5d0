"""The listing of a method, and the JSON form of bytecode."""

import json

import pytest
from idioms import CountingByTwo, CountingTicket

from locksim.compiler import compile_class, compile_source
from locksim.compiler.disassemble import disassemble, source_lines
from locksim.compiler.portable import FormatError, code_from_json, code_to_json, codes_from_json
from locksim.lang.layout import Space
from locksim.library.locks.ttas import TTASLock
from locksim.library.registry import entries

TEXT = """from locksim.lang import *
class Node(Struct):
    next = pointer("Node", padded=True)
    lock = part(Lock)
class Mine(Lock):
    tail = pointer(Node)
    nodes = percpu(Node)
    many = array("n", Node)
    n = param(4)
    def acquire(self):
        node = self.nodes[cpu()]
        while (yield self.tail.compare_swap(NULL, node, ACQUIRE)) != NULL:
            yield compute(-node.lock.twice(self.n) + 1)
        yield done()
        new = yield alloc(Node)
        yield fence()
        yield from new.lock.acquire()
"""
LISTING = """\
Mine.acquire()  [program, metered as acquire; 16 instructions, 7 registers]
        0  MARK ACQUIRE_START self
   11 |         node = self.nodes[cpu()]
        1  t3 = cpu()
        2  node = INDEX self.nodes[t3]
   12 |         while (yield self.tail.compare_swap(NULL, node, ACQUIRE)) != NULL:
  L1:
        3  t3 = COMPARE_SWAP self.tail, 0, node  (ACQUIRE)
        4  if t3 == 0 goto L2
   13 |             yield compute(-node.lock.twice(self.n) + 1)
        5  t4 = CALL node.lock.twice($n)
        6  t5 = -t4
        7  t6 = t5 + 1
        8  COMPUTE t6
   12 |         while (yield self.tail.compare_swap(NULL, node, ACQUIRE)) != NULL:
        9  goto L1
   14 |         yield done()
  L2:
       10  MARK DONE
   15 |         new = yield alloc(Node)
       11  new = ALLOC Node
   16 |         yield fence()
       12  FENCE  (SEQ_CST)
   17 |         yield from new.lock.acquire()
       13  t3 = CALL new.lock.acquire()
       14  MARK ACQUIRED self
       15  RET 0"""


def test_listing_of_a_method() -> None:
    """Source lines, labels, names of variables and fields, orders."""
    code = compile_source(TEXT, "mine.py")["Mine"]
    assert LISTING == disassemble(code, "acquire")


def test_listing_shows_inherited_lines_from_their_own_file() -> None:
    """A method of a base class is listed with the base's source."""
    text = "from locksim.library.locks.ttas import TTASLock\nclass Heir(TTASLock):\n    pass\n"
    heir = compile_source(text, "heir.py")["Heir"]
    base = compile_class(TTASLock)
    assert base.source.splitlines() == source_lines(heir, "acquire")
    expected = disassemble(base, "acquire").replace("TTASLock", "Heir")
    assert expected == disassemble(heir, "acquire").replace(", from ttas.py", "")
    assert ", from ttas.py; " in disassemble(heir, "acquire").splitlines()[0]
    assert ("heir.py", base.file) == (heir.file, heir.methods["acquire"].file)


def test_lines_of_a_file_that_did_not_travel_are_not_shown() -> None:
    """A document carries the text of the class's own file: a base's lines are left out."""
    text = (
        "from locksim.library.locks.ttas import TTASLock\n\nclass Heir(TTASLock):\n    pass\n"
        + "#\n" * 90
    )
    heir = code_from_json(code_to_json(compile_source(text, "heir.py")["Heir"]))
    assert [] == source_lines(heir, "acquire")
    assert " | " not in disassemble(heir, "acquire")


def test_listing_of_an_unknown_method_fails() -> None:
    """A KeyError with the name."""
    with pytest.raises(KeyError, match="aquire"):
        disassemble(compile_class(TTASLock), "aquire")


def test_a_method_of_a_base_class_is_shown_from_its_file() -> None:
    """It is listed under both classes' names, beside the lines that it was written in."""
    listing = disassemble(compile_class(CountingTicket), "TicketLock.acquire")
    first, second = listing.splitlines()[:2]
    assert first.startswith("CountingTicket.TicketLock.acquire()  [program, metered as acquire")
    assert ", from ticket.py;" in first
    assert "0  MARK ACQUIRE_START self" == second.strip()
    assert "ticket = yield self.next_ticket.fetch_add(1, RELAXED)" in listing


def test_methods_of_a_base_class_survive_json() -> None:
    """They keep their names, and the class that is made anew has them all."""
    code = compile_class(CountingByTwo)
    found = code_from_json(json.loads(json.dumps(code_to_json(code))))
    assert code.methods == found.methods
    assert {"CountingTicket.acquire", "TicketLock.acquire"} <= set(vars(found.struct))


@pytest.mark.parametrize("name", [entry.name for entry in entries()])
def test_library_survives_json(name: str) -> None:
    """Writing and reading gives the same methods, class and types."""
    code = next(e for e in entries() if e.name == name).compiled()
    found = code_from_json(json.loads(json.dumps(code_to_json(code))))
    assert code.methods == found.methods
    assert (code.struct, code.types) == (found.struct, found.types)
    assert disassemble(code) == disassemble(found)


def test_own_structs_survive_json() -> None:
    """A class that is not the library's travels as its fields, and has the same layout."""
    code = compile_source(TEXT, "mine.py")["Mine"]
    document = json.loads(json.dumps(code_to_json(code)))
    found = code_from_json(document)
    assert code.methods == found.methods
    assert document == code_to_json(found)
    one, other = (Space(8, 4).layout(c.struct(n=3)) for c in (code, found))
    assert (one.slots, one.size) == (other.slots, other.size)
    assert found.types["Node"] is found.struct.FIELDS["tail"].target()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 0}, "this is not bytecode of format 1: write it again with this version"),
        ({"classes": {}}, "the document has 0 classes, and must have one: use codes_from_json"),
        ({"structs": {}}, "the bytecode is damaged: KeyError: 'Mine'"),
        (
            {"structs": {"Mine": {"library": "os:system"}}},
            "the bytecode is damaged: ValueError: os is not a module of the library",
        ),
    ],
)
def test_damaged_documents_are_refused(change: dict[str, object], says: str) -> None:
    """One message, exit code 2; nothing outside the library is imported."""
    document = code_to_json(compile_source(TEXT, "mine.py")["Mine"]) | change
    with pytest.raises(FormatError) as caught:
        code_from_json(document)
    assert says == str(caught.value)
    assert 2 == caught.value.exit_code


def test_what_is_no_document_is_refused() -> None:
    """A list is no document."""
    with pytest.raises(FormatError):
        codes_from_json([])  # type: ignore[arg-type]
