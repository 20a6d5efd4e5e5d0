"""What the instruments do to the tables that they print."""

import pytest

from locksim.papers.ablations import instruments


@pytest.mark.parametrize(
    ("name", "columns", "options"),
    [
        ("franke-2001-kernprof", {"share", "calls", "all"}, {"messages": 1, "rooms": 1}),
        pytest.param(
            "franke-2001-lockmeter",
            {"UTIL", "CON", "HOLD", "WAIT", "% CPU", "TOTAL/s", "NOWAIT", "SPIN", "all"},
            {"messages": 1},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_both_ways_have_every_column(name: str, columns: set[str], options: dict[str, int]) -> None:
    """The mean error of each column, with the instrument inside and without; they differ."""
    inside, outside = (
        instruments.errors(name, instrument=which, **options) for which in (True, False)
    )
    assert columns == inside.keys() == outside.keys()
    assert inside != outside
