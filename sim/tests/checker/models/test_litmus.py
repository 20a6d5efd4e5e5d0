"""The memory models against the litmus shapes and their known verdicts."""

import pytest
from checker.models import litmus

from locksim.checker import CheckError, check_workload, outcomes

R01 = ("r0", "r1")
SHAPES = [
    # workload, threads, words, the outcome in question, allowed under SC, under TSO
    (litmus.SB, 2, R01, (0, 0), False, True),
    (litmus.SBFences, 2, R01, (0, 0), False, False),
    (litmus.SBStores, 2, R01, (0, 0), False, False),
    (litmus.MP, 2, R01, (1, 0), False, False),
    (litmus.LB, 2, R01, (1, 1), False, False),
    (litmus.S, 2, ("x", "r0"), (2, 1), False, False),
    (litmus.R, 2, ("y", "r0"), (2, 0), False, True),
    (litmus.TwoPlusTwoW, 2, ("x", "y"), (1, 1), False, False),
    (litmus.IRIW, 4, ("r0", "r1", "r2", "r3"), (1, 0, 1, 0), False, False),
    (litmus.CoRR, 2, R01, (1, 0), False, False),
    (litmus.N6, 2, ("r0", "r1", "x"), (1, 0, 1), False, True),
]


@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize(
    ("shape", "threads", "words", "weak", "sc", "tso"), SHAPES, ids=[s[0].__name__ for s in SHAPES]
)
def test_weak_outcome_is_seen_exactly_where_it_is_allowed(
    shape, threads, words, weak, sc, tso, memory
):
    """The outcome that tells the models apart."""
    allowed = sc if memory == "sc" else tso
    assert allowed == (weak in outcomes(shape(), threads=threads, observe=words, memory=memory))


def test_outcomes_of_store_buffering_are_complete():
    """All four under TSO; three under SC."""
    sc = {(0, 1), (1, 0), (1, 1)}
    assert sc == outcomes(litmus.SB(), threads=2, observe=R01, memory="sc")
    assert sc | {(0, 0)} == outcomes(litmus.SB(), threads=2, observe=R01, memory="tso")


@pytest.mark.parametrize("shape", SHAPES, ids=[s[0].__name__ for s in SHAPES])
def test_tso_allows_what_sc_allows(shape):
    """Every outcome of SC is one of TSO."""
    workload, threads, words, *_ = shape
    sc = outcomes(workload(), threads=threads, observe=words, memory="sc")
    assert sc <= outcomes(workload(), threads=threads, observe=words, memory="tso")


def test_expected_end_that_is_missed_is_a_violation():
    """A wrong expectation is found, with the word and its value."""
    verdict = check_workload(litmus.CoRR(), threads=2, expect={"x": 2})
    assert ("violated", "assertion") == (verdict.verdict, verdict.found)
    assert "x is 1, expected 2" in verdict.counterexample.message


def test_outcomes_refuse_to_be_incomplete():
    """A budget that does not suffice gives no set at all."""
    from locksim.checker import Budget

    with pytest.raises(CheckError, match="not complete"):
        outcomes(litmus.SB(), threads=2, observe=R01, budget=Budget(max_states=3))


def test_unknown_word_is_refused():
    """The message lists the words that there are."""
    with pytest.raises(CheckError, match="unknown word 'z'; known: r0, r1, x, y"):
        outcomes(litmus.SB(), threads=2, observe=("z",))
