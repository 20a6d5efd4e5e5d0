"""Litmus tests as text: what is written is read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.checker.litmus.dialects import C11, KERNEL
from locksim.checker.litmus.program import (
    Access,
    Assign,
    Binary,
    If,
    Litmus,
    LitmusError,
    Location,
    Negation,
    Number,
    Register,
    Thread,
    While,
)
from locksim.checker.litmus.read import read
from locksim.checker.litmus.write import write
from locksim.lang.ops import Kind, Order

C11_WORDS = {"x": "atomic_int", "y": "int"}
KERNEL_WORDS = {"x": "atomic_t", "y": "int"}
ORDERS = {
    Kind.LOAD: (Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST),
    Kind.STORE: (Order.RELAXED, Order.RELEASE, Order.SEQ_CST),
}


def values(kernel):
    """Numbers, registers, sums and loads."""
    order = st.just(Order.RELAXED) if kernel else st.sampled_from(ORDERS[Kind.LOAD])
    leaf = st.one_of(
        st.integers(-3, 3).map(Number),
        st.sampled_from(["r0", "r1"]).map(Register),
        st.just(Access(Kind.LOAD, "y", plain=True)),
        order.map(lambda one: Access(Kind.LOAD, "x", order=one)),
    )
    operators = st.sampled_from(["+", "-", "*", "&", "|", "^", "==", "<="])
    return st.recursive(
        leaf, lambda inner: st.builds(Binary, operators, inner, inner), max_leaves=4
    )


@st.composite
def accesses(draw, kernel):
    """An operation that its dialect can spell, on x."""
    known = draw(
        st.sampled_from(
            [s for s in KERNEL if s.name.startswith("atomic_") or not s.arguments]
            if kernel
            else C11
        )
    )
    order = known.order
    if order is None:
        order = draw(st.sampled_from(ORDERS.get(known.kind, tuple(Order))))
    given = []
    for letter in known.arguments:
        if letter == "e" and not kernel:
            given.append(Location("y"))
        elif letter in "ve":
            given.append(draw(values(kernel)))
    word = "" if known.kind == Kind.FENCE else "x"
    return Access(known.kind, word, tuple(given), order)


@st.composite
def statements(draw, kernel, depth=2):
    """A statement, with others inside."""
    which = draw(st.integers(0, 5 if depth else 2))
    if which <= 1:
        access = draw(accesses(kernel))
        return Assign("r1" if access.kind not in (Kind.STORE, Kind.FENCE) else "", access)
    if which == 2:
        return Assign("", Access(Kind.STORE, "y", (draw(values(kernel)),), plain=True))
    if which == 3:
        return Assign("r0", draw(values(kernel)))
    inner = st.lists(statements(kernel, depth - 1), max_size=2).map(tuple)
    if which == 4:
        return If(draw(values(kernel)), draw(inner), draw(inner))
    return While(draw(values(kernel)), draw(inner))


def conditions():
    """Conditions on a register and a word."""
    leaf = st.builds(
        Binary,
        st.sampled_from(["==", "!="]),
        st.sampled_from([Register("r0", 0), Location("x")]),
        st.integers(-2, 2).map(Number),
    )
    joins = st.sampled_from(["/\\", "\\/"])
    return st.recursive(
        leaf,
        lambda inner: st.one_of(st.builds(Binary, joins, inner, inner), st.builds(Negation, inner)),
        max_leaves=4,
    )


@st.composite
def litmus_tests(draw):
    """A test of either dialect."""
    kernel = draw(st.booleans())
    words = KERNEL_WORDS if kernel else C11_WORDS
    declared = (Assign("r0", Number(0), "int"), Assign("r1", None, "int"))
    bodies = draw(st.lists(st.lists(statements(kernel), max_size=4), min_size=1, max_size=3))
    return Litmus(
        "t",
        tuple(Thread(dict(words), (*declared, *body)) for body in bodies),
        draw(st.sampled_from(["exists", "~exists", "forall"])),
        draw(conditions()),
        draw(st.dictionaries(st.sampled_from("xy"), st.integers(1, 3))),
    )


@given(litmus_tests())
def test_what_is_written_is_read_back(test):
    """Write, read, write: the same text."""
    text = write_as_given(test)
    assert write(read(text, "t.litmus")) == text


def write_as_given(test):
    """The text of a test, in the dialect that its words are of."""
    kernel = "atomic_t" in test.threads[0].parameters.values()
    return write(Litmus(**{**vars(test), "kernel": kernel}))


@given(litmus_tests())
def test_reading_gives_the_test_that_was_written(test):
    """Where no two operators of a condition say the same."""
    again = read(write_as_given(test), "t.litmus")
    assert (again.threads, again.quantifier, again.initial) == (
        test.threads,
        test.quantifier,
        test.initial,
    )


def test_an_operation_that_a_dialect_lacks_is_refused():
    """The kernel has no SEQ_CST load."""
    body = (Assign("r0", Access(Kind.LOAD, "x", order=Order.SEQ_CST), "int"),)
    test = Litmus("t", (Thread({"x": "int"}, body),), "exists", Number(1), kernel=True)
    with pytest.raises(LitmusError, match="the kernel has no load SEQ_CST"):
        write(test)


def test_a_comment_cannot_end_early():
    """Whatever the program's text is."""
    test = Litmus("t", (Thread({"x": "int"}, ()),), "exists", Number(1), comment="a *) b (* c")
    assert "(*\na * ) b ( * c\n*)\n" in write(test)
    assert read(write(test), "t.litmus").name == "t"
