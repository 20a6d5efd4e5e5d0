"""The normal run: a covering selection, and examples that no other test changes."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from covering import in_the_normal_run
from hypothesis import settings
from hypothesis.internal.conjecture import providers

LOCKS = ["tas", "ticket", "mcs", pytest.param("clh", id="queue"), "rcu"]
MODELS = ["sc", "tso", "c11"]
SIZES = [(2, "few"), (3, "many")]


def selected(*names: str, **options: int) -> list[tuple[str, str, int]]:
    """The cases that stay of all locks under all models with both sizes."""
    marks = [
        pytest.mark.parametrize(("threads", "size"), SIZES).mark,
        pytest.mark.parametrize("memory", MODELS).mark,
        pytest.mark.parametrize("lock", LOCKS).mark,
    ]
    plain = ["tas", "ticket", "mcs", "clh", "rcu"]
    kept = []
    for lock, memory, (threads, size) in product(plain, MODELS, SIZES):
        params = {"lock": lock, "memory": memory, "threads": threads, "size": size}
        item: Any = SimpleNamespace(
            nodeid="test", callspec=SimpleNamespace(params=params), iter_markers=lambda _: marks
        )
        if in_the_normal_run(item, *names, **options):
            kept.append((lock, memory, threads))
    return kept


def test_every_value_occurs() -> None:
    """One case for each lock; models and sizes go round with them."""
    expected = [("tas", "sc", 2), ("ticket", "tso", 3), ("mcs", "c11", 2)]
    expected += [("clh", "sc", 2), ("rcu", "tso", 3)]
    assert expected == selected("lock", "memory", "threads")


def test_what_is_not_named_stays_whole() -> None:
    """Each lock under one model, with both sizes."""
    assert 2 * len(LOCKS) == len(selected("lock", "memory"))


def test_each_so_many_th_value() -> None:
    """Of the first name only; the others go round with those that stay."""
    kept = selected("lock", "memory", "threads", every=2, first=1)
    assert [("ticket", "sc", 2), ("clh", "tso", 3)] == kept


def test_a_name_that_is_not_a_parameter() -> None:
    """It would keep everything, or nothing."""
    with pytest.raises(pytest.UsageError, match="no parameter 'lokc'"):
        selected("lokc")


@pytest.mark.skipif(not settings.default.derandomize, reason="many new examples take any number")
def test_examples_do_not_depend_on_imported_modules() -> None:
    """Hypothesis finds no number in a module of ours, though it looks for new ones."""
    import locksim.play.drills  # noqa: F401 - such as this one

    assert 0 == len(providers._get_local_constants())
