"""What litmus tests show, against the literature."""

import pytest
from checker.litmus.shapes import ACQ, REL, RLX, SHAPES, litmus, load, store

from locksim.checker import Budget
from locksim.checker.errors import UnfinishedError
from locksim.checker.litmus.observe import observe
from locksim.checker.litmus.program import LitmusError
from locksim.checker.litmus.read import read


def observed(text, memory="c11", **keywords):
    """What a text shows."""
    return observe(read(text, "t.litmus"), memory, file="t.litmus", **keywords)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_show_what_the_literature_says(name):
    """Always, Sometimes or Never, under sc, tso and c11."""
    threads, condition, expected = SHAPES[name]
    text = litmus(name, threads, condition)
    assert " ".join(observed(text, memory).word for memory in ("sc", "tso", "c11")) == expected


@pytest.mark.parametrize(
    ("quantifier", "word", "holds"),
    [
        ("exists", "Sometimes", True),
        ("~exists", "Sometimes", False),
        ("forall", "Sometimes", False),
    ],
)
def test_holds_is_what_the_quantifier_asks(quantifier, word, holds):
    """Never and Always answer the other ways."""
    found = observed(litmus("one", [[store("x")], [load("r0", "x")]], f"{quantifier} (1:r0=1)"))
    assert (found.word, found.holds) == (word, holds)


def test_a_run_is_in_the_lines_of_the_test():
    """The stores that keep the registers are no steps of it."""
    threads, condition, _ = SHAPES["MP"]
    run = observed(litmus("MP", threads, condition)).run
    assert [(step.word, step.line) for step in run.steps] == [
        ("x", 5),
        ("y", 6),
        ("y", 10),
        ("x", 11),
    ]


def test_a_compare_exchange_leaves_what_it_found():
    """Its result is 1 or 0, and the word that it expected gets the old value."""
    swap = f"int r0 = atomic_compare_exchange_strong_explicit(x, y, 2, {RLX}, {RLX});"
    found = observed(litmus("cas", [[swap], [store("x")]], r"exists (0:r0=0 /\ x=1 /\ y=1)"))
    assert [tuple(state.values()) for state in found.states] == [(0, 1, 1), (1, 1, 0)]


def test_branches_and_loops_run():
    """``if``, ``else``, ``while``, arithmetic and registers."""
    waiting = ["int r0 = 0;", f"while (atomic_load_explicit(y, {ACQ}) == 0) {{", "}"]
    choice = ["if ((r0 + 1) * 2 == 2)", "{ r0 = 5; } else { r0 = 6; }"]
    found = observed(
        litmus("loop", [[store("x"), store("y", 1, REL)], [*waiting, *choice]], "forall (1:r0=5)")
    )
    assert (found.word, len(found.states)) == ("Always", 1)


def test_what_the_language_lacks_is_refused_with_the_line_of_the_test():
    """Its own source has other lines."""
    with pytest.raises(LitmusError, match=r"t\.litmus:6: this loop can repeat forever"):
        observed(litmus("endless", [[store("x"), "while (1) { }"]], "exists (x=1)"))


def test_a_relaxed_fence_orders_nothing():
    """C11 allows one, and it does nothing."""
    fenced = [[store(a), f"atomic_thread_fence({RLX});", load("r0", b)] for a, b in ("xy", "yx")]
    assert observed(litmus("SB", fenced, SHAPES["SB"][1])).word == "Sometimes"


PLAIN = """C plain
{{ x = 3; }}
P0 (int* x, atomic_int* y) {{
  *x = 1;
  atomic_store_explicit(y, 1, {order});
}}
P1 (int* x, atomic_int* y) {{
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = 1;
  if (r0 == 1) {{
    r1 = *x;
  }}
}}
forall (1:r1=1)
"""


def test_a_race_of_plain_accesses_is_shown_in_the_lines_of_the_test():
    """It is asked for under c11 alone."""
    weak = PLAIN.format(order=RLX)
    race = observed(weak).race
    assert (race.found, race.message.splitlines()[2]) == (
        "race",
        "  load by thread 1 (step 4, t.litmus:11)",
    )
    assert observed(weak, "tso").race is None
    assert observed(PLAIN.format(order=REL)).race is None


def test_mixed_accesses_are_refused_where_they_could_be_a_false_race():
    """Two threads that access a word atomically, beside a plain store of it."""
    text = litmus("mixed", [["*x = 1;"], [store("x")], [store("x")]], "exists (x=1)")
    with pytest.raises(LitmusError, match="'x' has plain accesses, and atomic ones"):
        observed(text)


def test_the_kernels_dialect_has_a_model_of_its_own():
    """Under c11 its tests are refused; sc and tso are weaker promises of x86."""
    text = "C k\n{}\nP0(int *x)\n{\n\tint r0 = READ_ONCE(*x);\n}\nexists (0:r0=0)\n"
    assert observed(text, "tso").word == "Always"
    with pytest.raises(LitmusError, match="whose memory model is not C11"):
        observed(text)


def test_a_budget_that_does_not_suffice_is_no_answer():
    """Neither Never nor Always is claimed."""
    threads, condition, _ = SHAPES["SB"]
    with pytest.raises(UnfinishedError):
        observed(litmus("SB", threads, condition), budget=Budget(max_states=3))
