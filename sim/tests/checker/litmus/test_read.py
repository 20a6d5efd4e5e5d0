"""Texts of litmus tests, and what is refused."""

import pytest

from locksim.checker.litmus.program import LitmusError, Number
from locksim.checker.litmus.read import read

HEAD = "C t\n{}\nP0 (atomic_int* x, int* y) {\n  int r0 = 0;\n"


def refusal(statement, end="}\nexists (0:r0=0)\n"):
    """The message about a test with a statement in line 5."""
    with pytest.raises(LitmusError) as error:
        read(f"{HEAD}  {statement}\n{end}", "t.litmus")
    return str(error.value)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("z = x;", "t.litmus:5: 'x' is the address of a word"),
        ("for (;;) {}", "t.litmus:5: 'for'"),
        ("*z = 1;", "t.litmus:5: 'z' is not a parameter of this thread"),
        ("r0 = z;", "t.litmus:5: 'z' is no register of this thread"),
        ("x = 1;", "t.litmus:5: 'x' is the address of a word"),
        ("r0 = r0 / 2;", "t.litmus:5: '/'"),
        ("spin_lock(x);", "t.litmus:5: spin_lock()"),
        ("atomic_load_explicit(x);", "t.litmus:5: the arguments of atomic_load_explicit()"),
        ("lfence();", "t.litmus:5: unknown function lfence()"),
        ("atomic_store_explicit(x, 1, memory_order_acquire);", "t.litmus:5: a store that is ACQ"),
        ("r0 = READ_ONCE(*y); r0 = atomic_load(x);", "t.litmus:5: operations of C11 and of the"),
        (
            "atomic_compare_exchange_strong_explicit(x, y, 1, memory_order_acquire,"
            " memory_order_relaxed);",
            "t.litmus:5: a compare-and-swap that is ACQUIRE, and RELAXED where it fails",
        ),
        ("r0 = 123456789012345678901;", "t.litmus:5: a number of more than 64 bits"),
        ("r0 = 08 ! 1;", "t.litmus:5: '!' instead of ';'"),
        (f"r0 = {'(' * 3000}1{')' * 3000};", "t.litmus: it is nested too deeply"),
        ("int *r1 = x;", "t.litmus:5: a register that holds a pointer"),
    ],
)
def test_what_is_not_read_is_refused_with_its_line(statement, message):
    """And with what to write instead."""
    found = refusal(statement)
    assert found.startswith(message)
    assert "\nhelp: " in found


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("}\nexists (1:r0=0)\n", "t.litmus:7: P1 has no register 'r0'"),
        ("}\nexists (z=0)\n", "t.litmus:7: no thread has a word 'z'"),
        ("}\nfilter (x=0)\n", "t.litmus:7: 'filter' where the condition begins"),
        ("}\nexists (x=y)\n", "t.litmus:7: 'y' is no number"),
        ("", "t.litmus:4: the text ends too early"),
    ],
)
def test_ends_that_are_not_read_are_refused(end, message):
    """The condition names words and registers that there are."""
    assert refusal("", end).startswith(message)


def test_a_test_of_another_architecture_is_refused():
    """The first word says of which it is."""
    with pytest.raises(LitmusError, match=r"t.litmus:1: a litmus test in C begins with 'C NAME'"):
        read("AArch64 MP\n{}\n", "t.litmus")


def test_comments_titles_and_types_are_passed_over():
    """As herd7's own tests have them."""
    text = (
        'C a+b\n"a title"\n(* a comment { *)\nVariant=x\n{ int x = 2; [y]=0x10; /* y */ }\n'
        "void P0 (volatile int* x, int* y) { // *)\n  int r0 = (*x); }\n"
        "locations [0:r0; x]\n(* end *)\nforall (0:r0=2 \\/ ~([y]=0))\n"
    )
    found = read(text, "t.litmus")
    assert (found.name, found.initial) == ("a+b", {"x": 2, "y": 16})
    assert found.threads[0].parameters == {"x": "volatile int", "y": "int"}


def test_a_test_without_a_condition_asks_nothing():
    """Its final states are all that it shows."""
    found = read("C t\n{}\nP0 (int* x) { *x = 1; }\n", "t.litmus")
    assert (found.quantifier, found.condition) == ("forall", Number(1))
