"""`locklab report advise`: keep, measure or change, and what is refused."""

import json

import pytest
from typer.testing import CliRunner

from locksim.cli.report_advise import CHANGE, KEEP, MEASURE, advice, app
from locksim.study.bands import Band, Effect

RUN = CliRunner()
SHORT = ["--cpus", "1,4", "--operations", "10", "--replications", "4"]


def band(value: float, factor: float) -> Band:
    """A rate that the model may have wrong by a factor."""
    return Band.of(value, [Effect("model", "", value / factor, value * factor)])


@pytest.mark.parametrize(
    ("other", "factor", "expected"),
    [(0.5, 1.1, KEEP), (1.01, 1.001, KEEP), (1.5, 2.0, MEASURE), (3.0, 1.5, CHANGE)],
)
def test_a_sure_lead_is_worth_a_change(other: float, factor: float, expected: str) -> None:
    """Slower, hardly faster, perhaps faster, surely faster than the lock in use."""
    found = advice(8, "ticket", {"ticket": band(1.0, factor), "mcs": band(other, factor)})
    assert expected == found["advice"]
    assert {"ticket", "mcs"} == {found["best"], found["second"]}


def test_the_lead_is_over_the_lock_in_use() -> None:
    """Not over a second one that is nearly as fast; the lock in use is compared with the next."""
    rivals = {"ticket": band(1.0, 1.2), "mcs": band(3.0, 1.2), "clh": band(2.9, 1.2)}
    assert ("mcs", "ticket") == tuple(advice(8, "ticket", rivals)[k] for k in ("best", "second"))
    assert ("mcs", "clh") == tuple(advice(8, "mcs", rivals)[k] for k in ("best", "second"))


def test_json_has_a_row_for_each_count() -> None:
    """With the lead, its band and what it depends on."""
    result = RUN.invoke(app, ["ticket", "mcs", *SHORT, "--json"])
    found = json.loads(result.stdout)
    assert ["in_use", "machine", "placement", "rows"] == list(found)
    assert ("ticket", [1, 4]) == (found["in_use"], [row["cpus"] for row in found["rows"]])
    for row in found["rows"]:
        assert row["band_low"] <= row["lead"] <= row["band_high"]
        assert "model" in row["depends_on"]


def test_a_table_says_what_to_do() -> None:
    """One line for each number of CPUs, within 80 columns."""
    result = RUN.invoke(app, ["ticket", "mcs", *SHORT], env={"COLUMNS": "80"})
    assert (0, "") == (result.exit_code, result.stderr)
    assert 80 >= max(map(len, result.stdout.splitlines()))
    (one, _) = (line for line in result.stdout.splitlines() if line.split()[:1] in (["1"], ["4"]))
    assert "keep ticket" in one


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ticket", *SHORT], "name the lock in use, and at least one other"),
        (["ticket", "mcs", "--replications", "3"], "--replications must be between 4 and "),
        (["ticket", "mcs", "--placement", "0,1"], "--placement 0,1: write compact or scatter"),
        (["ticket", "mcs", "--cpus", "9"], "--cpus must be between 1 and 4 on desktop-4"),
    ],
)
def test_bad_arguments_are_refused(arguments: list[str], message: str) -> None:
    """Exit code 2, one message."""
    result = RUN.invoke(app, arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert message in result.stderr
