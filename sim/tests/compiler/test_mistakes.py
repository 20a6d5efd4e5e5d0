"""What the compiler says about a mistake, word for word, and that every kind of mistake is tested.

The texts are in ``compile_errors.txt``: a kind and where it is made (a statement of a program, a
member of the class, or a whole file), the source, and what is printed.
"""

import re
from pathlib import Path

import pytest

from locksim.compiler import CompileError, compile_class, compile_source
from locksim.compiler.mistakes import mistakes
from locksim.lang import Struct, word

LANGUAGE = "from locksim.lang import *\n\n"
CLASS = (
    LANGUAGE
    + """LIMIT = 3


class Node(Struct):
    next = pointer("Node")
    value = word()


class MyLock(Lock):
    word = word()
    head = pointer(Node)
    items = array(8)
    slots = param(4)

"""
)
METHODS = """    def hash(self, n):
        return n % self.slots

    def take(self, n):
        yield self.word.store(n)

    def push(self, node: Node):
        yield self.head.store(node)

"""
WRAP = {
    "statement": lambda text: CLASS + METHODS + f"    def acquire(self):\n{indented(text, 8)}",
    "member": lambda text: CLASS + METHODS.partition("    def push")[0] + indented(text, 4),
    "file": lambda text: LANGUAGE + text,
}
HEADING = re.compile(r"^=== ([a-z-]+): a (statement|member|file)$", re.MULTILINE)


def indented(text: str, by: int) -> str:
    """Text moved to the right."""
    return "".join(" " * by + line if line.strip() else line for line in text.splitlines(True))


def cases() -> list[tuple[str, str, str, str]]:
    """The entries of the file: kind, where, source, what is printed."""
    text = (Path(__file__).parent / "compile_errors.txt").read_text(encoding="utf-8")
    pieces = HEADING.split(text)[1:]
    found = []
    for kind, where, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        source, printed = body.strip("\n").split("\n---\n")
        found.append((kind, where, source + "\n", printed))
    return found


CASES = cases()


def error(text: str) -> CompileError:
    """The error that a file's text gives."""
    with pytest.raises(CompileError) as caught:
        compile_source(text, "my_lock.py")
    return caught.value


@pytest.mark.parametrize(
    ("kind", "where", "source", "printed"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES]
)
def test_mistake_is_told_in_these_words(kind: str, where: str, source: str, printed: str) -> None:
    """File, line, caret, what was found, and what to do."""
    found = error(WRAP[where](source))
    assert kind == found.code
    assert printed == str(found)
    assert 2 == found.exit_code


def test_every_kind_of_mistake_is_tested() -> None:
    """The catalogue and the texts name the same kinds (one needs a live class: see below)."""
    assert set(mistakes()) == {case[0] for case in CASES} | {"no-source"}


def test_every_kind_has_words_and_an_example() -> None:
    """Nothing in the catalogue is empty."""
    assert [] == [k for k, m in mistakes().items() if not (m.message and m.help and m.example)]


def test_a_class_without_source_is_refused() -> None:
    """A class that was made by exec has no text to read."""
    names: dict[str, type[Struct]] = {}
    exec(LANGUAGE + "class L(Lock):\n    def take(self):\n        yield pause()\n", names)
    with pytest.raises(CompileError) as caught:
        compile_class(names["L"])
    assert (
        "<string>:1:1: the source of L.take cannot be found\n"
        "help: define the class in a file or a notebook cell" == str(caught.value)
    )


def test_places_count_from_one_in_characters() -> None:
    """Line and columns are those that an editor shows, umlauts before them or not."""
    found = error(CLASS + '    def acquire(self):\n        "äöü"; x = 0.5\n')
    assert (18, 20, 23) == (found.line, found.column, found.end_column)
    assert "0.5" == found.text[found.column - 1 : found.end_column - 1]


def test_live_classes_are_refused_in_the_same_words() -> None:
    """A class of this file: the message names this file and the line in it."""

    class Live(Struct):
        word = word()

        def take(self):
            self.word.load()

    with pytest.raises(CompileError) as caught:
        compile_class(Live)
    found = caught.value
    assert "missing-yield" == found.code
    assert Path(__file__).name == Path(found.file).name
    assert "            self.word.load()" == found.text


def test_text_is_never_run() -> None:
    """What would do harm when run is refused when read."""
    for text in (
        "import os\nos._exit(1)\n",
        LANGUAGE + "class L(Lock):\n    print('run')\n",
        LANGUAGE + "class L(Lock):\n    word = word(__import__('os')._exit(1))\n",
        LANGUAGE + "class L(type('X', (), {})):\n    pass\n",
        LANGUAGE + "N = [].__class__\n",
        "from locksim.library.locks import registry\n",
        "from locksim.library.locks.tas import __builtins__\n",
    ):
        assert error(text).code in mistakes()
