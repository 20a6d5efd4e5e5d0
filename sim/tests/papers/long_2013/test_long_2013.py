"""long-2013: redo, shares of time, the literal reading, and what other cures would have done."""

import json
from functools import cache, partial

import pytest

from locksim.papers.experiment import Reproduction
from locksim.papers.long_2013 import (
    awr as long_2013_awr,
)
from locksim.papers.long_2013 import (
    redo as long_2013_redo,
)
from locksim.papers.long_2013 import (
    setting as long_2013,
)
from locksim.papers.long_2013 import (
    what_if as long_2013_what_if,
)
from locksim.papers.long_2013.fit import fit_latched
from locksim.papers.long_2013.setting import PATCHES, literal, published
from locksim.papers.what_if import Comparison, Runs, find

BRIEF = {"replications": 2, "samples": 400}
"""Enough for what holds in runs of any length; published values need whole runs, which are slow."""


@cache
def redo(**options: int) -> Reproduction:
    """The redo table; without options as the command gives it (some ten seconds)."""
    return long_2013_redo.EXPERIMENT.reproduce(**options)


@cache
def awr(**options: int) -> Reproduction:
    """The table of shares (the runs with writers are those of the other table)."""
    return long_2013_awr.EXPERIMENT.reproduce(**options)


@pytest.fixture
def tables() -> tuple[Reproduction, Reproduction]:
    """Both tables from short runs."""
    return redo(**BRIEF), awr(**BRIEF)


def test_every_published_cell_is_there(tables: tuple[Reproduction, Reproduction]) -> None:
    """12 and 36 cells, each once."""
    assert [12, 36] == [len(result.cells) for result in tables]
    rows = {(c.row, c.column) for result in tables for c in result.cells}
    assert len(published()) == len(rows) == 48


def test_more_cells_are_predicted_than_numbers_fitted(
    tables: tuple[Reproduction, Reproduction],
) -> None:
    """In each of the two tables; nothing that was seen counts as predicted."""
    for result in tables:
        summary = result.summary()
        assert 5 == summary["fitted"] < summary["predicted"]


@pytest.mark.slow
def test_the_gain_is_within_four_points() -> None:
    """In each of the four rows, and redo itself within a twentieth."""
    changes = {c.row: c for c in redo().cells if c.column == "change"}
    assert ["8+64", "32+64", "80+64", "128+64"] == list(changes)
    for cell in changes.values():
        assert cell.corrected is not None
        assert abs(cell.simulated - cell.corrected) <= 4, cell
        assert cell.low > 0
    for cell in redo().cells:
        if cell.unit == "MB/s":
            assert cell.error is not None
            assert abs(cell.error) <= 0.05, cell


@pytest.mark.slow
def test_the_gain_is_within_four_points_on_average() -> None:
    """Also with other seeds: of 80+64 a table of five runs may be beyond it (long-2013.md)."""
    result = long_2013_redo.EXPERIMENT.reproduce(seed=6, replications=25)
    off = result.extra["gain_off_by_points"]
    assert ["8+64", "32+64", "80+64", "128+64"] == list(off)
    assert max(map(abs, off.values())) <= 4, off
    assert off["80+64"] > 3, off


@pytest.mark.slow
@pytest.mark.parametrize("row", ["32+0", "80+0", "32+64", "80+64"])
def test_the_share_in_spinlocks_is_within_eight_points(row: str) -> None:
    """Under both kernels, in the rows of up to 80 readers."""
    cells = [c for c in awr().cells if c.row == row and c.column.startswith("spinlock")]
    assert 2 == len(cells)
    for cell in cells:
        assert cell.corrected is not None
        assert abs(cell.simulated - cell.corrected) <= 8, cell


def test_the_patches_lessen_spinning(tables: tuple[Reproduction, Reproduction]) -> None:
    """The direction of the corrected reading, where all readers walk at once."""
    cells = {(c.row, c.column): c.simulated for c in tables[1].cells}
    for row in ("80+0", "80+64"):
        assert cells[row, "spinlock with"] < cells[row, "spinlock without"], row


@pytest.mark.slow
def test_the_patches_lessen_spinning_everywhere() -> None:
    """The corrected direction, in all six rows; the literal one says the contrary."""
    cells = {(c.row, c.column): c for c in awr().cells}
    said = literal()
    for row in long_2013_awr.ROWS:
        name = long_2013.title(row)
        without, with_ = (cells[name, f"spinlock {patch}"] for patch in PATCHES)
        assert with_.high < without.low, name
        assert said[*row, "spinlock", "with"] > said[*row, "spinlock", "without"]


def test_the_report_has_the_shares_of_every_row(tables: tuple[Reproduction, Reproduction]) -> None:
    """Headings, and a line for each row without and with the patches."""
    _, shares = tables
    report = shares.report
    assert report is not None
    heads, *lines = report.text.splitlines()
    assert ["System", "User", "Idle", "spinlock"] == heads.replace("%", "").split()
    assert 12 == len(lines)
    cells = {(c.row, c.column): c.simulated for c in shares.cells}
    for line in lines:
        name, system, _, _, spinlock = line.rsplit(maxsplit=4)
        row, patch = name.split(", ")
        assert f"{cells[row, f'system {patch}']:.1f}" == system
        assert f"{cells[row, f'spinlock {patch}']:.1f}" == spinlock


@pytest.mark.slow
def test_nobody_reproduces_the_literal_reading() -> None:
    """It stands beside the simulation, and is off three times as far where the other one holds."""
    rows = awr().extra["literal_reading"]
    assert 12 == len(rows)
    near = {"32+0", "80+0", "32+64", "80+64"}
    literally = [abs(r["off_by_points"]) for r in rows if r["row"] in near]
    corrected = [
        abs(c.simulated - c.corrected)
        for c in awr().cells
        if c.row in near and c.column.startswith("spinlock") and c.corrected is not None
    ]
    assert sum(literally) > 3 * sum(corrected)


@pytest.mark.slow
def test_user_time_is_the_machine_that_was_measured() -> None:
    """Within six points up to 80 readers: idle CPUs, busy CPUs, and all of them busy."""
    for cell in awr().cells:
        if cell.column.startswith("user") and not cell.row.startswith("128"):
            assert cell.corrected is not None
            assert abs(cell.simulated - cell.corrected) <= 6, cell


@cache
def cures(name: str) -> dict[tuple[str, str], Comparison]:
    """A what-if's rows."""
    rows = find(f"long-2013-redo-{name}").run(Runs(replications=2)).rows
    return {(r.row, r.column): r for r in rows}


def test_an_optimistic_walk_needs_no_spinlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a short run of one row: more redo than in 3.8 as it was, and less spinning."""
    monkeypatch.setattr(long_2013_what_if, "ROWS", ((32, 64),))
    monkeypatch.setattr(long_2013, "runs", partial(long_2013.runs, samples=BRIEF["samples"]))
    rows = {r.column: r for r in find("long-2013-redo-seqretry").run(Runs(replications=1)).rows}
    assert rows["redo"].gain > 1
    assert rows["spinlock"].gain > 2


@pytest.mark.slow
@pytest.mark.parametrize("row", ["8+64", "32+64", "80+64", "128+64"])
def test_other_cures(row: str) -> None:
    """Best is mainline's optimistic walk; as long as walks take long in turns, spinning remains."""
    with_patches = next(c for c in redo().cells if (c.row, c.column) == (row, "redo with"))
    assert cures("seqretry")[row, "redo"].after.mean > with_patches.simulated
    assert cures("seqretry")[row, "spinlock"].gain > 2
    assert cures("lockref")[row, "redo"].gain > 1.05
    assert 0.5 < cures("qspinlock")[row, "spinlock"].gain < 2


def test_json_and_sources(tables: tuple[Reproduction, Reproduction]) -> None:
    """What other programs read; every value has a source."""
    for result in tables:
        document = json.loads(json.dumps(result.to_json()))
        assert {"experiment", "machine", "parameters", "cells", "summary", "notes"} <= set(document)
        for parameter in result.parameters:
            assert parameter.source


def test_plots_in_words(tables: tuple[Reproduction, Reproduction]) -> None:
    """The text names the kernels."""
    redo, awr = tables
    assert "without the patches goes from" in long_2013_redo.EXPERIMENT.plot(redo).alt()
    words = long_2013_awr.EXPERIMENT.plot(awr).alt()
    assert "with the patches: share of kernel time [%], 6 bars" in words


def test_a_row_is_a_function_of_its_seed() -> None:
    """Equal samples for equal seeds, though the runs are kept."""
    first = long_2013.runs((8, 64), "with", replications=1, samples=200, seed=9)
    long_2013._KEPT.clear()
    assert first == long_2013.runs((8, 64), "with", replications=1, samples=200, seed=9)


@pytest.mark.slow
def test_the_figures_are_what_the_fit_gives() -> None:
    """The fourth step, done again, gives the stored figures within a tenth."""
    again = fit_latched(long_2013.WORK, rounds=1)
    assert again.latched_ps == pytest.approx(long_2013.WORK.latched_ps, rel=0.1)
    assert again.sleep_percent == pytest.approx(long_2013.WORK.sleep_percent, rel=0.15)


def test_formulas_stand_beside_the_shares_in_spinlocks(
    tables: tuple[Reproduction, Reproduction],
) -> None:
    """For the rows in which everybody does the same; they know of no other cell."""
    models = tables[1].extra["models"]
    assert {"32+0", "80+0"} == {cell["column"] for cell in models["cells"]}
    assert {"mva", "markov", "usl"} == {cell["model"] for cell in models["cells"]}
    (load,) = models["loads"].values()
    assert 0 < load["hold_ns"] < load["think_ns"]
