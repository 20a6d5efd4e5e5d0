"""Hostile JSON: everything that it can do to a reader is bounded."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.read.artefact import MAX_DEPTH, MalformedError, numbers, parse

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.text(max_size=20)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_documents_come_through(document: object) -> None:
    """What JSON can say plainly is read as it is."""
    assert document == parse(json.dumps(document, ensure_ascii=False).encode("utf-8"))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """No other exception comes out, whatever comes in."""
    try:
        read = parse(data)
    except MalformedError:
        return
    assert read == json.loads(data)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "finite"),
        ("[" * (MAX_DEPTH + 1), "levels"),
        ("1" * 26, "digits"),
        ("1." + "1" * 80, "characters"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[" + "0," * 200_001 + "0]", "values"),
        ('"' + "x" * 100_001 + '"', "string"),
        ('"\\ud800"', "surrogate"),
        ("{'a': 1}", "not valid JSON"),
        ("PASSED 10/10", "not valid JSON"),
        ("", "not valid JSON"),
    ],
)
def test_hostile_documents_are_refused(text: str, says: str) -> None:
    """Each with a message that says what is wrong."""
    with pytest.raises(MalformedError, match=says):
        parse(text.encode())


def test_size_is_looked_at_first() -> None:
    """A document that is too long is not decoded."""
    with pytest.raises(MalformedError, match="11 bytes"):
        parse(b"\xff" * 11, max_bytes=10)


def test_brackets_in_strings_are_no_depth() -> None:
    """Depth counts structure only."""
    assert ["[[[[" * 40 + '"'] == parse(json.dumps(["[[[[" * 40 + '"']).encode())


def test_answers_are_numbers() -> None:
    """One number is a list of one."""
    assert ({"a": [1.0], "b": [2.0, 3.5]}, {}) == numbers({"a": 1, "b": [2, 3.5]}, ("a", "b"))


@pytest.mark.parametrize(
    "document",
    [
        {"a": True},
        {"a": False},
        {"a": "one"},
        {"a": "١"},
        {"a": [[1]]},
        {"a": [1, None]},
        {"a": None},
        {"a": [0] * 10_001},
    ],
)
def test_one_wrong_answer_leaves_the_others(document: dict[str, object]) -> None:
    """Booleans, words, digits of another script and lists of lists are not numbers."""
    found, wrong = numbers({**document, "b": 2, "c": 3}, ("a", "b"))
    assert ({"b": [2.0]}, ["a"]) == (found, list(wrong))


def test_a_misspelt_answer_is_named() -> None:
    """A missing answer says which name in the file is close to it; strange names do no harm."""
    found, wrong = numbers({"thread": 2, "x": 1}, ("threads", "count"))
    assert {} == found
    assert {"threads": "there is no answer 'threads', but 'thread': rename it"} == wrong
