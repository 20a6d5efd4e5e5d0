"""Algorithms recognised by what they do: right variants pass, others are named."""

import pytest
from right_locks import BACKS_OFF, HEAD, MCS, RELEASE, TAS, TICKETS, TTAS

from lockgrader.measuring.waits import Waits, wrong_wait
from locksim.compiler import compile_source
from locksim.lang.struct import Struct
from locksim.library.registry import resolve

DEMANDS = {
    "tas": (("one-word",), TAS),
    "ttas": (("tests-first", "retries", "one-word", "steady"), TTAS),
    "mcs": (("own-line", "first-come", "steady"), MCS),
    "ticket": (("one-atomic", "same-word", "first-come", "steady"), TICKETS),
}
VARIANTS = [
    pytest.param(demands, text, id=f"{kind}-{name}")
    for kind, (demands, texts) in DEMANDS.items()
    for name, text in texts.items()
]


def waits(*demands: str, cpus: int = 12) -> Waits:
    """These demands."""
    given = {"demands": demands, "machine": "ideal-64", "cpus": cpus, "hold_ns": 600}
    return Waits.model_validate(given)


def made(text: str) -> Struct:
    """A lock of a text."""
    whole = text if "def release" in text else text + RELEASE
    return compile_source(HEAD + whole, "<l.py>")["L"].struct()


@pytest.mark.covering("demands", every=3)
@pytest.mark.parametrize(("demands", "text"), VARIANTS)
def test_right_variants_pass(demands: tuple[str, ...], text: str) -> None:
    """Different source, the same algorithm."""
    assert ("", "") == wrong_wait("L", made(text), waits(*demands))


@pytest.mark.slow
@pytest.mark.parametrize(("demands", "text"), VARIANTS)
def test_right_variants_pass_with_64_cpus(demands: tuple[str, ...], text: str) -> None:
    """The same as a lab asks it."""
    assert ("", "") == wrong_wait("L", made(text), waits(*demands, cpus=64))


def test_at_least_six_right_variants_of_each() -> None:
    """No demand has fewer."""
    assert 6 <= min(len(texts) for _, texts in DEMANDS.values())


@pytest.mark.parametrize("name", BACKS_OFF)
def test_back_off_is_another_algorithm(name: str) -> None:
    """A pause that grows with the waiters, or differs between CPUs, is not the plain lock."""
    cpus = 40 if "after-a-try" in name else 12
    says, tag = wrong_wait("L", made(BACKS_OFF[name]), waits("steady", cpus=cpus))
    assert "backs-off" == tag
    assert "help: leave the back-off out" in says


@pytest.mark.parametrize(
    ("name", "demand", "tag"),
    [
        ("tas", "tests-first", "spins-by-writing"),
        ("qspinlock", "tests-first", "spins-by-writing"),
        ("ticket", "retries", "another-algorithm"),
        ("mcs", "retries", "another-algorithm"),
        ("tas", "retries", "another-algorithm"),
        ("tas", "one-atomic", "another-algorithm"),
        ("ttas", "one-atomic", "another-algorithm"),
        ("mcs", "same-word", "another-algorithm"),
        ("clh", "same-word", "another-algorithm"),
        ("tas", "own-line", "another-algorithm"),
        ("ttas", "own-line", "another-algorithm"),
        ("ticket", "own-line", "another-algorithm"),
        ("clh", "own-line", "another-algorithm"),
        ("qspinlock", "own-line", "another-algorithm"),
        ("ticket", "one-word", "another-algorithm"),
        ("mcs", "one-word", "another-algorithm"),
        ("tas", "first-come", "bypass"),
        ("ttas", "first-come", "bypass"),
    ],
)
def test_other_algorithms_are_named(name: str, demand: str, tag: str) -> None:
    """A lock under the name of another one does not do what that one does."""
    says, found = wrong_wait("L", resolve(name).struct(), waits(demand))
    assert tag == found
    assert says.startswith("L.acquire()")


def test_a_read_loop_that_never_runs_is_no_waiting() -> None:
    """Test-and-set with a loop that reads, under a condition that never holds."""
    text = """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)) > 1:
            while (yield self.locked.load(RELAXED)):
                yield pause()
        yield pause()
"""
    tas = text.replace(" > 1", "").replace(
        "while (yield self.locked.load", "while 0 * (yield self.locked.load"
    )
    assert "spins-by-writing" == wrong_wait("L", made(tas), waits("tests-first"))[1]
