"""Algorithms recognised by what they do: right variants pass, others are named."""

import pytest
from right_locks import HEAD, MCS, RELEASE, TICKETS, TTAS

from lockgrader.checks.waits import wrong_wait
from lockgrader.lab import Waits
from locksim.compiler import compile_source
from locksim.library.registry import resolve

DEMANDS = {
    "ttas": (("tests-first", "retries"), TTAS),
    "mcs": (("own-line",), MCS),
    "ticket": (("one-atomic", "same-word"), TICKETS),
}
VARIANTS = [
    pytest.param(demands, text if "def release" in text else text + RELEASE, id=f"{kind}-{name}")
    for kind, (demands, texts) in DEMANDS.items()
    for name, text in texts.items()
]


def waits(*demands: str) -> Waits:
    """These demands, on a small machine."""
    return Waits.model_validate({"demands": demands, "machine": "ideal-8"})


@pytest.mark.covering("demands", every=3)
@pytest.mark.parametrize(("demands", "text"), VARIANTS)
def test_right_variants_pass(demands: tuple[str, ...], text: str) -> None:
    """Different source, the same algorithm."""
    lock = compile_source(HEAD + text, "<l.py>")["L"].struct()
    assert ("", "") == wrong_wait("L", lock, waits(*demands))


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
    lock = compile_source(HEAD + tas + RELEASE, "<l.py>")["L"].struct()
    assert "spins-by-writing" == wrong_wait("L", lock, waits("tests-first"))[1]
