"""The names of the package: those that changed say what to write."""

from __future__ import annotations

import pytest

import locknative


@pytest.mark.parametrize(("old", "new"), [("Cell", "BenchCell"), ("Experiment", "Measurement")])
def test_old_names(old: str, new: str) -> None:
    """An old name is the new class, with a warning that names it."""
    with pytest.warns(DeprecationWarning, match=f"now locknative.{new}"):
        assert getattr(locknative, new) is getattr(locknative, old)


def test_unknown_name() -> None:
    """Any other name is an ordinary error."""
    with pytest.raises(AttributeError, match="no attribute 'Experiments'"):
        locknative.Experiments  # noqa: B018
