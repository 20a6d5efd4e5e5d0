"""Expectations: what they mean, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.checker.errors import CheckError
from locksim.checker.expectation import expectation

NUMBERS = st.integers(-3, 3)


@given(NUMBERS, NUMBERS)
def test_an_expectation_means_what_python_means(x, y):
    """Operators and their precedence are Python's."""
    for text in (
        "x == 1 or y == 2 and not x != y",
        "-1 <= x < y + 2 * x",
        "(x != 1 or y - x == 2) and x > -2",
    ):
        holds = expectation(text).holds({"x": x, "y": y})
        assert eval(text, {"x": x, "y": y}) == bool(holds)


def test_words_have_the_names_of_the_checker():
    """Arrays, parts and arrays of parts."""
    found = expectation("seen[0] == 1 and lock.next == 0 and nodes[1].next == 3")
    assert ("seen[0]", "lock.next", "nodes[1].next") == found.words


def test_what_is_wrong_names_the_values():
    """And what was expected instead; nothing where it fits."""
    one = expectation("x == 1")
    assert "" == one.wrong((1,))
    assert "all threads have finished, and x is 2; expected: x == 1" == one.wrong((2,))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1", "cannot read"),
        ("x ==", "cannot read"),
        ("x", "is not a comparison"),
        ("x in (1, 2)", "is not a comparison"),
        ("1 == 1", "contains no word"),
        ("x == 'a'", "not a word of the program and not a whole"),
        ("x == 1.5", "not a word of the program and not a whole"),
        ("x == True", "not a word of the program and not a whole"),
        ("x[y] == 1", "not a word of the program and not a whole"),
        ("f(x) == 1", "not a word of the program and not a whole"),
        ("x == " + "-" * 5000 + "1", "nested too deeply|cannot read"),
        ("(" * 500 + "x == 1" + ")" * 500, "cannot read"),
    ],
)
def test_what_is_no_condition_is_refused(text, why):
    """The message says what is wrong and gives an example."""
    with pytest.raises(CheckError, match=rf"(?s)({why}).*help: compare words"):
        expectation(text)
