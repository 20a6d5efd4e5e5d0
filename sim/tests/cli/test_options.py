"""Options of the commands that simulate: how often, how long and where to run."""

import pytest

from locksim.cli.options import check_runs, read_placement
from lockui.errors import UsageError


@pytest.mark.parametrize(
    ("runs", "option"),
    [
        ({"replications": 0, "seed": 1}, "--replications"),
        ({"replications": 1, "seed": -1}, "--seed"),
        ({"replications": 1, "seed": 2**63}, "--seed"),
        ({"replications": 1, "seed": 1, "operations": 0}, "--operations"),
    ],
)
def test_runs_that_make_no_sense_are_refused(runs: dict[str, int], option: str) -> None:
    """The message begins with the option that is at fault."""
    with pytest.raises(UsageError, match=f"^{option} "):
        check_runs(**runs)


def test_placement_is_a_rule_or_cpus() -> None:
    """Both rules and lists are read."""
    assert ["compact", "scatter", [0, 4, 8]] == [
        read_placement(text) for text in ("compact", "scatter", "0,4,8")
    ]


def test_unknown_placement_is_refused() -> None:
    """The message names all three ways."""
    with pytest.raises(UsageError) as caught:
        read_placement("compakt")
    expected = "--placement compakt: write compact, scatter, or CPU numbers such as 0,4,8"
    assert expected == str(caught.value)
