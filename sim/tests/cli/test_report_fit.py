"""`locklab report fit`: what it prints, and what is refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locksim.cli.report_fit import app
from locksim.cli.sweep import app as sweep

RUN = CliRunner()
SHORT = ["--operations", "10", "--replications", "2"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three points of a simulated sweep, all times doubled."""
    rows = json.loads(RUN.invoke(sweep, ["ticket", "--cpus", "1,2,4", *SHORT, "--json"]).stdout)
    lines = [f"ticket,{row['cpus']},{2 * row['ns_per_operation']}" for row in rows["rows"]]
    file = tmp_path_factory.mktemp("fit") / "points.csv"
    file.write_text("\n".join(["lock,cpus,ns_per_operation", *lines]), encoding="utf-8")
    return file


def test_twice_the_time_is_a_level_of_two(measured: Path) -> None:
    """The same lock is predicted where it was measured; another one with a wider band."""
    arguments = [str(measured), "mcs", "--cpus", "3,4", *SHORT, "--json"]
    first, second = (RUN.invoke(app, arguments) for _ in range(2))
    assert (0, first.stdout) == (first.exit_code, second.stdout)
    found = json.loads(first.stdout)
    assert found["level_low"] < 2 < found["level_high"]
    assert (1, False) == (found["load"]["tried"], found["contradicts"])
    assert [] == found["too_fast"]
    assert [2.0] * 3 == pytest.approx(
        [p["measured_ns"] / p["simulated_ns"] for p in found["points"]]
    )
    assert [("ticket", 3), ("ticket", 4), ("mcs", 3), ("mcs", 4)] == [
        (row["lock"], row["cpus"]) for row in found["rows"]
    ]
    width = {(r["lock"], r["cpus"]): r["band_high"] / r["band_low"] for r in found["rows"]}
    assert width["ticket", 4] < width["mcs", 4]


def test_a_table_is_printed(measured: Path) -> None:
    """The level, the points and the predictions, within 80 columns."""
    result = RUN.invoke(app, [str(measured), "--cpus", "4", *SHORT], env={"COLUMNS": "80"})
    assert (0, "") == (result.exit_code, result.stderr)
    assert 80 >= max(map(len, result.stdout.splitlines()))
    assert "ticket on desktop-4: 3 measured points" in result.stdout
    assert "four points can tell more" in result.stdout
    assert "Beyond" not in result.stdout


def test_few_points_say_little_beyond_them(measured: Path) -> None:
    """Three points up to 4 CPUs, and a prediction for 8."""
    arguments = [str(measured), "--machine", "xeon-8176-8x28", "--cpus", "8", *SHORT]
    shown = RUN.invoke(app, arguments, env={"COLUMNS": "80"}).stdout
    assert "Beyond 4 CPUs fewer than 4 points say little" in shown
    assert 80 >= max(map(len, shown.splitlines()))


def test_points_faster_than_the_load_are_named(measured: Path) -> None:
    """The given work alone takes longer than a measured section."""
    arguments = [str(measured), "--hold", "10us", "--cpus", "4", *SHORT]
    assert [1, 2, 4] == json.loads(RUN.invoke(app, [*arguments, "--json"]).stdout)["too_fast"]
    shown = RUN.invoke(app, arguments, env={"COLUMNS": "80"}).stdout
    assert "warning: on 1 CPU a section takes less time than the given" in shown
    assert "hold and think time (10us, 400ns)" in shown


def test_four_points_try_loads(measured: Path, tmp_path: Path) -> None:
    """The load is among those that are not ruled out."""
    rows = measured.read_text(encoding="utf-8").splitlines()
    file = tmp_path / "four.csv"
    file.write_text("\n".join([*rows, f"ticket,3,{rows[3].split(',')[2]}"]), encoding="utf-8")
    arguments = [str(file), "--cpus", "4", *SHORT, "--json"]
    load = json.loads(RUN.invoke(app, arguments).stdout)["load"]
    assert load["tried"] > 1
    assert load["hold_low_ns"] <= load["hold_ns"] <= load["hold_high_ns"]
    assert load["lines_low"] <= load["lines"] <= load["lines_high"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv: cannot be read"),
        (["{}", "no_such_lock"], "no_such_lock"),
        (["{}", "--placement", "0,1"], "--placement 0,1: write compact or scatter"),
        (["{}", "--cpus", "9"], "--cpus must be between 1 and 4 on desktop-4"),
    ],
)
def test_bad_arguments_are_refused(measured: Path, arguments: list[str], message: str) -> None:
    """Exit code 2, one message."""
    result = RUN.invoke(app, [text.replace("{}", str(measured)) for text in arguments])
    assert (2, "") == (result.exit_code, result.stdout)
    assert message in result.stderr
