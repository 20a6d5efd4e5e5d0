"""Sensitivity: swings and Sobol indices of a table whose dependence is known."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from locksim import machine as machines
from locksim import papers
from locksim.cli.sensitivity import app
from locksim.machine import Machine, MachineError
from locksim.papers.experiment import Cell, Experiment, ExperimentError, Plan, Reproduction
from locksim.papers.sensitivity import (
    MEAN_ERROR,
    _range,
    saltelli,
    sensitivity,
    sobol_indices,
    with_bands,
)
from locksim.study.bands import Cause, Range
from locksim.study.jobs import Job, Runner

RUN = CliRunner()


def weighted(pause_ps: int, fence_ps: int, factor: int) -> float:
    """Three parts of one cost and one of another, in ns."""
    return (3 * pause_ps + factor * fence_ps) / 1000


class Toy(Experiment):
    """Two cells that are sums of costs of ideal-4."""

    name, title = "toy", "costs, added"

    def plan(self, *, machine: Machine | None = None, **options: Any) -> Plan[Any, float]:
        """One cell depends on one cost, the other on two."""
        profile = machine or machines.load("ideal-4")
        cost = profile.cost_ps()

        def assemble(done: Mapping[Any, float]) -> Reproduction:
            cells = [
                Cell(row, "ns", "100", 100.0, x, x, x, "predicted", "ns") for row, x in done.items()
            ]
            return Reproduction("toy", "", "", profile.name, profile.parameters(), cells)

        jobs = {
            row: Job(row, weighted, (cost["pause"], cost["fence"], factor))
            for row, factor in (("one", 0), ("both", 1))
        }
        return Plan(jobs, assemble)

    def plot(self, result: Reproduction, path: Path) -> str:
        """Nothing."""
        return ""


class Deaf(Toy):
    """An experiment that keeps its own machine."""

    name = "deaf"

    def plan(self, *, machine: Machine | None = None, **options: Any) -> Plan[Any, float]:
        """Whatever is asked."""
        return super().plan(**options)


COST = machines.load("ideal-4").cost_ps()
PAUSE, FENCE = COST["pause"] / 1000, COST["fence"] / 1000


def test_swings_are_those_of_the_formula() -> None:
    """The widest first; the cell that moves most, and by how much."""
    found = sensitivity(Toy(), ["fence", "pause"], by={"fence": 0.2, "pause": 0.2}, cell="both, ns")
    assert ["pause", "fence"] == [swing.range.name for swing in found.swings]
    first = found.swings[0]
    assert found.base == pytest.approx(3 * PAUSE + FENCE)
    assert first.width == pytest.approx(2 * 0.2 * 3 * PAUSE)
    assert ("one, ns", 5) == (first.cell, found.runs)
    assert (-0.2, 0.2) == pytest.approx((first.cell_low, first.cell_high))


def test_mean_error_is_the_response() -> None:
    """Where no cell is named."""
    found = sensitivity(Toy(), ["pause"])
    errors = [abs(3 * PAUSE / 100 - 1), abs((3 * PAUSE + FENCE) / 100 - 1)]
    assert (MEAN_ERROR, pytest.approx(sum(errors) / 2)) == (found.response, found.base)


def test_sobol_indices_of_a_sum() -> None:
    """A sum has no interactions: first-order and total indices are shares of the variance."""
    pytest.importorskip("SALib")
    ranges = [Range("pause", 10, 9, 11, ""), Range("fence", 20, 18, 22, "")]
    points = saltelli(ranges, 256)
    found = sobol_indices(ranges, [3 * point["pause"] + point["fence"] for point in points])
    for index, variance in zip(found, (9 * 1, 4), strict=True):
        assert (index.first, index.total) == pytest.approx((variance / 13,) * 2, abs=0.05)


def test_sobol_indices_come_from_tables() -> None:
    """Samples times the costs and two, besides the swings; a flat response has no indices."""
    pytest.importorskip("SALib")
    found = sensitivity(Toy(), ["pause", "fence"], cell="both, ns", samples=2)
    assert (["pause", "fence"], 1 + 4 + 2 * 4) == ([i.name for i in found.indices], found.runs)
    with pytest.raises(ExperimentError, match="does not change with the costs"):
        sensitivity(Toy(), ["fence"], cell="one, ns", samples=2)


@pytest.mark.parametrize(
    ("costs", "options", "message"),
    [
        (["pauze"], {}, "ideal-4 has no cost 'pauze'; did you mean 'pause'"),
        (["jitter"], {}, "jitter is zero on ideal-4"),
        (["pause"], {"cell": "one"}, "unknown cell 'one'; did you mean 'one, ns'"),
        (["pause"], {"samples": 3}, "--samples 3: write a power of 2"),
    ],
)
def test_what_cannot_be_varied_is_refused(
    costs: list[str], options: dict[str, Any], message: str
) -> None:
    """One message, with what to write."""
    pytest.importorskip("SALib")
    with pytest.raises(ExperimentError, match=message):
        sensitivity(Toy(), costs, **options)


def test_bands_hold_the_cells_at_both_ends() -> None:
    """Each cell with the ends that its costs give it, around the table's own value."""
    machine = machines.load("ideal-4")
    result = Toy().reproduce()
    causes = [Cause("pause", "assumed", [machine.with_costs(pause=ps) for ps in (4000, 10_000)])]
    found = with_bands(Toy(), result, causes, run=Runner())
    cells = {c.row: c for c in found.cells}
    ends = [(c.band.low, c.band.high) for c in cells.values() if c.band]
    expected = [(3 * 4 + extra, 3 * 10 + extra) for extra in (0, FENCE)]
    assert pytest.approx(expected[0]) == ends[0]
    assert pytest.approx(expected[1]) == ends[1]
    document = cells["one"].to_json()
    assert "pause -20 % +100 % (assumed)" == document["depends_on"]
    assert pytest.approx(12.0) == document["band_low"]
    assert "band_low" not in result.cells[0].to_json()
    assert result == with_bands(Toy(), result, [], run=Runner())


def test_machine_that_is_not_taken_is_said() -> None:
    """No sensitivity would be a wrong answer."""
    with pytest.raises(ExperimentError, match="deaf does not take pause"):
        sensitivity(Deaf(), ["pause"])


def test_a_range_that_is_asked_for_comes_before_the_profile_s() -> None:
    """The profile's own where none is, and a tenth where there is neither."""
    kaigai = machines.load("itanium2-32")
    own, asked = _range(kaigai, "transfer.half", None), _range(kaigai, "transfer.half", 0.2)
    assert "±20%" == asked.source != own.source
    assert (0.8 * asked.value, 1.2 * asked.value) == pytest.approx((asked.low, asked.high))
    assert "±10%" == _range(machines.load("ideal-4"), "pause", None).source


def test_end_that_makes_no_machine_is_refused() -> None:
    """A transfer cheaper than a hit."""
    with pytest.raises(MachineError, match="cheaper than"):
        sensitivity(Toy(), ["transfer.node"], by={"transfer.node": 0.999})


def test_command_prints_table_and_json(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both with the same values."""
    monkeypatch.setattr(papers, "find", lambda name: Toy())
    arguments = ["toy", "--vary", "pause,fence", "--jobs", "1"]
    document = json.loads(RUN.invoke(app, [*arguments, "--json"]).stdout)
    assert ["pause", "fence"] == [swing["range"]["name"] for swing in document["swings"]]
    assert (5, [], MEAN_ERROR) == tuple(document[k] for k in ("runs", "indices", "response"))
    result = RUN.invoke(app, arguments, env={"COLUMNS": "100"})
    assert (0, "") == (result.exit_code, result.stderr)
    assert "5 tables simulated" in result.stdout
    plot = tmp_path / "tornado.svg"
    assert f"plot: {plot}" in RUN.invoke(app, [*arguments, "--plot", str(plot)]).stdout
    assert "pause = " in plot.read_text(encoding="utf-8")
    wrong = RUN.invoke(app, ["toy", "--vary", "pause=2"])
    assert (2, "error: --vary pause=2: write a number with its unit, as 90% (%)\n") == (
        wrong.exit_code,
        wrong.stderr,
    )


@pytest.mark.slow
def test_transfers_decide_about_kaigai() -> None:
    """The rwlock's plateau follows the cost of a transfer between halves of the machine."""
    found = sensitivity(papers.find("kaigai-2004"), ["transfer.half", "jitter"], replications=1)
    assert "transfer.half" == found.swings[0].range.name
    assert found.swings[0].cell.startswith(("rwlock", "spinlock"))
