"""Which name is offered for an unknown one."""

import pytest

from lockui.suggest import did_you_mean, near


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("tikcet", ["mcs", "ticket"], "did you mean 'ticket'?"),
        ("mcz", ["mcs", "ticket"], "did you mean 'mcs'?"),
        ("taken", ["wake", "word"], "known: wake, word"),
        ("moore", ["franke_2001", "moore_2006"], "did you mean 'moore_2006'?"),
        ("long", ["long_2013", "lone"], "did you mean 'long_2013'?"),
        ("to", ["total"], "known: total"),
        ("x", [], "there are none"),
    ],
)
def test_the_nearest_name_is_offered(name: str, known: list[str], expected: str) -> None:
    """A slip is seen through, also in short names; a beginning counts; else all names are shown."""
    assert expected == did_you_mean(name, known)


def test_another_end_replaces_the_list() -> None:
    """The caller may know better than to list all names."""
    assert "define it" == did_you_mean("taken", ["wake"], "define it")


def test_several_names_are_offered_nearest_first() -> None:
    """Up to ``n``, each once."""
    known = ["long/awr", "long/redo", "lung"]
    assert "did you mean 'long/awr' or 'long/redo'?" == did_you_mean("long", known, n=2)
    assert ["long/awr", "long/redo", "lung"] == near("long", known, 3)
