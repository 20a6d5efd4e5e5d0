"""Plots of tables."""

import pytest

from lockui.document import frame
from lockui.plots import Column, Curves, Plot, from_table, plot

ROWS = [
    {"lock": "mcs", "cpus": 1, "rate": 2e6, "low": 1.9e6, "high": 2.1e6, "machine": "a"},
    {"lock": "mcs", "cpus": 2, "rate": 4e6, "low": 3.9e6, "high": 4.1e6, "machine": "a"},
    {"lock": "tas", "cpus": 1, "rate": 2e6, "low": None, "high": None, "machine": "a"},
    {"lock": "tas", "cpus": 4, "rate": None, "low": None, "high": None, "machine": "b"},
]
OPTIONS = {
    "title": "T",
    "x": Column("cpus", "CPUs"),
    "y": Column("rate", "sections", "1/s", ("low", "high")),
    "line": "lock",
}


def points(drawn: Plot) -> dict[str, list[tuple[float, float | None]]]:
    """Points by panel and line."""
    return {
        f"{panel.title}/{line.name}": [(p.x, p.y) for p in line.points]
        for panel in drawn.panels
        if isinstance(panel, Curves)
        for line in panel.lines
    }


@pytest.mark.parametrize("make", [list, frame])
def test_every_line_has_a_point_at_every_place_of_its_panel(make) -> None:  # type: ignore[no-untyped-def]
    """A point that the table lacks is not simulated; values have a readable unit."""
    drawn = from_table(make(ROWS), **OPTIONS, panel="machine")
    assert {
        "a/mcs": [(1, 2.0), (2, 4.0)],
        "a/tas": [(1, 2.0), (2, None)],
        "b/tas": [(4, None)],
    } == points(drawn)
    assert "sections [M/s]" == drawn.panels[0].y.label  # type: ignore[union-attr]


def test_intervals_are_in_the_same_unit() -> None:
    """And absent where an end is missing."""
    drawn = from_table(ROWS[:3], **OPTIONS)
    heads, rows = drawn.table()
    assert "1.9 … 2.1" == rows[0][heads.index("95 % interval")]
    assert "Bands: 95 % intervals." in drawn.key()


def test_several_columns_name_a_line() -> None:
    """Joined by a comma."""
    drawn = from_table(ROWS[:1], **{**OPTIONS, "line": ("lock", "machine")})
    assert ["/mcs, a"] == list(points(drawn))


def test_an_empty_table_is_refused() -> None:
    """There is nothing to draw."""
    with pytest.raises(ValueError, match="the table has no rows"):
        from_table([], **OPTIONS)


def test_a_table_becomes_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The ending chooses the format."""
    made = plot(ROWS[:3], tmp_path / "new" / "t.svg", **OPTIONS)
    assert "sections [M/s] against CPUs" in made.read_text()
