"""Given methods: another text is free, another program is named."""

import pytest

from lockgrader.compile.given import altered, other_kinds
from locksim.compiler import compile_source

STARTER = """
from locksim.lang import *

class Count(Struct):
    value = word()
    other = word()

    def get(self):
        yield self.value.fetch_add(1)

    def put(self):
        before = yield self.value.fetch_add(-1)
        return before - 1

    def own(self):
        yield pause()
"""
GIVEN = {"Count": ("get", "put")}
ALIKE = {
    "the starter": ("", ""),
    "another name of a variable": ("before", "earlier"),
    "another name of a field": ("value", "count"),
    "another method of one's own": ("        yield pause()", "        yield self.other.load()"),
    "a comment": ("class Count", "# a count\nclass Count"),
}
OTHER = {
    "another operation": (("fetch_add(1)", "load()"), "get()"),
    "another field in one of them": (("self.value.fetch_add(-1)", "self.other.swap(1)"), "put()"),
    "a method that is missing": (("def put", "def drop"), "put()"),
    "an operation more": (("def get(self):", "def get(self):\n        yield pause()"), "get()"),
}


def said(old: str, new: str) -> dict[str, str]:
    """What is said of the starter with a change."""
    return altered(compile_source(STARTER.replace(old, new), "<c.py>"), GIVEN, STARTER)


@pytest.mark.parametrize("change", ALIKE)
def test_another_text_is_free(change: str) -> None:
    """Names, comments, and what is not given."""
    assert {} == said(*ALIKE[change])


@pytest.mark.parametrize("change", OTHER)
def test_another_program_is_named(change: str) -> None:
    """With the method, and what to do."""
    (old, new), method = OTHER[change]
    found = said(old, new)["Count"]
    assert f"its {method} must stay as in the starter\nhelp: copy the class" in found


def test_missing_class_is_another_matter() -> None:
    """It is not compared."""
    assert {} == altered({}, GIVEN, STARTER)


KINDS = """
from locksim.lang import *

class Helper(Struct):
    value = word()

class Own(RWLock):
    value = word()

    def read_acquire(self):
        yield pause()
"""


@pytest.mark.parametrize("base", ["Lock", "SeqLock", "Struct"])
def test_another_kind_is_refused(base: str) -> None:
    """A proof asks what the lab's kind promises, not what the student's does."""
    codes = compile_source(KINDS.replace("Own(RWLock)", f"Own({base})"), "<o.py>")
    found = other_kinds(codes, KINDS)
    assert ["Own"] == [*found]
    assert "Own must be a RWLock, as in the starter" in found["Own"]


def test_the_kind_of_the_starter_is_kept() -> None:
    """By a base class of one's own, too; a class that is no kind of lock is free."""
    text = KINDS.replace(
        "class Own(RWLock)", "class Mine(RWLock):\n    more = word()\n\nclass Own(Mine)"
    )
    codes = compile_source(text.replace("class Helper(Struct)", "class Helper(Lock)"), "<o.py>")
    assert {} == other_kinds(codes, KINDS)
    assert {} == other_kinds(codes, "")
