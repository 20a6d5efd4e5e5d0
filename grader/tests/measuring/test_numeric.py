"""Numbers: what counts, and for whom."""

import pytest
from tiny_lab import TAS

from lockgrader.kinds.answer import Answer
from lockgrader.lab import Measure
from lockgrader.lab.trials import of_dataset
from lockgrader.measuring.numeric import expected, load_of
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

OWN = Measure(
    lock="TAS",
    own=True,
    machine="ideal-8",
    cpus=4,
    measure="transfers",
    operations=20,
    replications=1,
)
COUNT = Answer(name="count", title="Count", kind="answer", answer="n", expected=OWN, points=5)
SLOWER = TAS.replace("swap(1, ACQUIRE)", "fetch_or(1, ACQUIRE)").replace(
    "store(0, RELEASE)", "swap(0, RELEASE)"
)


@pytest.mark.parametrize("text", [TAS, SLOWER])
def test_number_of_ones_own_lock_is_right(text: str) -> None:
    """Each honest count is right for the lock that was counted."""
    codes = compile_source(text, "<tas.py>")
    right = expected(COUNT.expected, Submitted(codes=codes))
    finding = COUNT.judge(Submitted(codes=codes, answers={"n": [right]}))
    assert "pass" == finding.verdict


@pytest.mark.parametrize(
    ("given", "words", "tag"),
    [
        (104.0, "too big, a little", "too-big"),
        (60.0, "too small, by a factor below 3", "too-small"),
        (7.0, "too small, by a factor above 3", "too-small"),
        (0.1, "too small, by a factor of about 1,000: is the unit right?", "too-small"),
        (1.0, "too small, by a factor of about 100: a fraction or per cent?", "too-small"),
        (-3.0, "too small", "too-small"),
    ],
)
def test_a_wrong_number_does_not_show_the_right_one(given: float, words: str, tag: str) -> None:
    """Only the direction, and roughly how far; who guesses must guess often."""
    check = COUNT.model_copy(update={"expected": 100.0, "tolerance": 0.01, "fade": 0.0})
    finding = check.judge(Submitted(answers={"n": [given]}))
    assert f"n: {words}" == finding.message
    assert tag == finding.tag
    assert (None, None, given) == (finding.rows[0].low, finding.rows[0].high, finding.rows[0].got)


def test_of_an_exact_number_not_even_the_direction_is_shown() -> None:
    """One of three choices would be known after one try; the belief behind is known to the lab."""
    check = COUNT.model_copy(update={"expected": 3.0, "tolerance": 0.0, "fade": 0.0})
    finding = check.judge(Submitted(answers={"n": [1.0]}))
    assert ("n: not the right number", "too-small") == (finding.message, finding.tag)


def test_wrong_number_names_the_measurement() -> None:
    """Lock, machine and load, as a student can repeat it."""
    submitted = Submitted(codes=compile_source(TAS, "<tas.py>"), answers={"n": [1e9]})
    finding = COUNT.judge(submitted)
    load = "your own TAS on 4 CPUs of ideal-8 (hold 0 ns, think 1000 ns, 1 shared word)"
    assert f"measured with {load}" in finding.message


def test_a_load_is_named_in_words() -> None:
    """Settings are no text of Python, and a machine's file has a name, not a path."""
    machine = str(of_dataset("vm-2-epyc") / "machine.toml")
    more = {"workload": "readers_writers", "settings": {"read_percent": 90, "think_ns": 270}}
    measure = OWN.model_copy(update={"cpus": 2, "machine": machine, **more})
    load = "2 CPUs of vm-2-epyc (readers_writers, read_percent 90, think_ns 270)"
    assert f"measured with your own TAS on {load}" == load_of(measure)


def test_number_of_a_lock_that_is_not_there() -> None:
    """Nothing can be measured, and nothing is earned."""
    finding = COUNT.judge(Submitted(answers={"n": [1.0]}))
    assert ("fail", "missing") == (finding.verdict, finding.tag)


def test_number_of_a_lock_that_excludes_no_thread() -> None:
    """A broken lock has no right number."""
    codes = compile_source(TAS.replace("swap(1, ACQUIRE)", "load(ACQUIRE)"), "<tas.py>")
    finding = COUNT.judge(Submitted(codes=codes, answers={"n": [1.0]}))
    assert ("fail", "exclusion") == (finding.verdict, finding.tag)
