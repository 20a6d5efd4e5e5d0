"""Spellings: the same program in another form, and definitions that replace others."""

import ast

import pytest
from tiny_lab import TAS

import locklabs
from lockgrader.author.mutants import files_of
from lockgrader.author.spellings import SPELLINGS, redefined, renamed, spelled
from lockgrader.lab import load

HELPERS = '''"""A meter."""

from collections import deque as queue

LONGEST = 3


def mean(rows, of="ns"):
    """The mean."""
    total = sum(row[of] for row in rows)
    count = len(rows)
    return total / count


class Meter:
    rows: int

    def add(self, row, *, count=1):
        total = self.rows = count
        print(f"{total}")
'''


def test_every_spelling_of_every_lab_is_the_same_program() -> None:
    """It parses, and without types, comments and spelling it is what it was."""
    for name in locklabs.names():
        files = files_of(load(locklabs.find(name)), "solution")
        for spelling in SPELLINGS:
            made = spelled(spelling, files)
            assert [] == [n for n, text in made.items() if text == files[n]]
            for file, text in made.items():
                if file.endswith(".py"):
                    plain = text.removeprefix("\ufeff").replace("値_", "")
                    assert _bare(files[file]) == _bare(plain)


def _bare(text: str) -> str:
    """Without types, comments and layout."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(tree).expandtabs(4)


@pytest.mark.parametrize(
    ("spelling", "begins", "holds"),
    [
        ("line ends of Windows", '"""A meter."""\r\n', ["\r\n\r\nLONGEST = 3\r\n"]),
        ("a byte order mark", '\ufeff"""A meter."""\n', []),
        ("tabs", '"""A meter."""\n', ["\n\ttotal = sum", "\n\t\tprint("]),
        ("another layout", '"""A meter."""\n', ["of='ns'"]),
        (
            "type hints",
            '"""A meter."""\n',
            ['mean(rows: int, of: int="ns") -> int:', "self, row: int, *, count: int=1) -> None:"],
        ),
        (
            "local names beyond ASCII",
            '"""A meter."""\n',
            ["count = len(rows)", "for 値_row", "total = self.rows"],
        ),
    ],
)
def test_a_spelling(spelling: str, begins: str, holds: list[str]) -> None:
    """What it changes, and what others can name stays."""
    if spelling == "local names beyond ASCII":
        text = HELPERS.replace("def add(self, row", "def add(self, line")
    else:
        text = HELPERS
    (made,) = spelled(spelling, {"meter.py": text, "notes.txt": text}).values()
    assert begins == made[: len(begins)]
    assert [] == [text for text in holds if text not in made]


def test_names_are_replaced_wherever_they_are_names() -> None:
    """Fields, methods, arguments and variables; not in texts or comments, nor parts of a name."""
    text = (
        "class A:\n    b = 1  # b\n\n    def b2(self, b, bb):\n        return self.b(b=b, c='b')\n"
    )
    wanted = text.replace("    b =", "    ø =").replace("self, b,", "self, ø,")
    wanted = wanted.replace("self.b(b=b", "self.ø(ø=ø")
    assert wanted == renamed(text, {"b": "ø"})
    assert text.replace("b2", "é") == renamed(text, {"b2": "é"})


def test_definitions_replace_those_of_the_same_name() -> None:
    """Whole classes; what is new comes before the first of them."""
    new = "from math import pi\n\nONE = 1\n\n\nclass TAS(Lock):\n    held = word()\n"
    made = redefined(TAS, new)
    head, tail = TAS.partition("class TAS")[0], "ONE = 1\n\n\nclass TAS(Lock):\n    held = word()\n"
    assert f"from math import pi\n{head}{tail}" == made
    documented = redefined(f'"""A lock."""\n{TAS}', new)
    assert f'"""A lock."""\nfrom math import pi\n{head}{tail}' == documented
    with pytest.raises(ValueError, match="none of these definitions"):
        redefined(TAS, "class Other(Lock):\n    held = word()\n")
