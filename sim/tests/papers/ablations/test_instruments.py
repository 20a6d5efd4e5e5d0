"""What the instruments do to the tables that they print."""

from locksim.papers.ablations import instruments


def test_both_ways_have_every_column() -> None:
    """Errors of each of lockmeter's columns, with the instrument inside and without."""
    inside, outside = (
        instruments.errors("franke-2001-lockmeter", instrument=which, messages=1)
        for which in (True, False)
    )
    assert inside.keys() == outside.keys() >= {"CON", "HOLD", "WAIT", "TOTAL/s", "all"}
    assert inside != outside
