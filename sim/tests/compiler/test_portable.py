"""Classes read from documents: their bytecode is found by the class, and freed with it."""

import gc
import json
import weakref
from collections.abc import Callable

import pytest

from locksim.compiler import compile_class, compile_source
from locksim.compiler.ir import ClassCode
from locksim.compiler.portable import code_from_json, code_to_json
from locksim.lang import Struct
from locksim.library.locks.ticket import TicketLock

TEXT = """from locksim.lang import *

class Node(Struct):
    next = pointer("Node")

class Taken(Lock):
    word = word()
    node = part(Node)

    def acquire(self):
        yield self.word.store(1)

    def release(self):
        yield self.word.store(0)
"""


def parsed() -> ClassCode:
    """The bytecode of a class that was made from text."""
    return compile_source(TEXT, "taken.py")["Taken"]


def read() -> ClassCode:
    """The same class, read from a document."""
    return code_from_json(json.loads(json.dumps(code_to_json(parsed()))))


@pytest.mark.parametrize("made", [parsed, read])
def test_bytecode_is_found_by_the_class(made: Callable[[], ClassCode]) -> None:
    """No one has to carry the bytecode beside the class."""
    code = made()
    assert code is compile_class(code.struct)


@pytest.mark.parametrize("made", [parsed, read])
def test_a_class_that_nothing_uses_is_freed(made: Callable[[], ClassCode]) -> None:
    """A grader makes classes for every submission: the compiler keeps none alive."""

    def forget() -> weakref.ref[type[Struct]]:
        return weakref.ref(made().struct)

    left = forget()
    gc.collect()
    assert left() is None


def test_a_document_does_not_replace_the_library() -> None:
    """What a document says of a library's lock is the document's alone."""
    ours = compile_class(TicketLock)
    document = json.loads(json.dumps(code_to_json(ours)))
    document["classes"]["TicketLock"]["methods"]["acquire"]["instrs"] = [["RET", [0], 1, 0, 1]]
    theirs = code_from_json(document)
    assert 1 == len(theirs.methods["acquire"].instrs)
    assert ours is compile_class(TicketLock)
