"""`locklab sweep`: the curves as a table, a file and JSON, and what goes wrong on the way."""

import json
from pathlib import Path
from typing import Any

import broken_locks
import pandas as pd
import pytest
from typer.testing import CliRunner

from locksim.cli.sweep import app
from locksim.study import simulation
from locksim.study.simulation import TIMES

RUN = CliRunner()
SHORT = ["--machine", "desktop-4", "--operations", "20", "--replications", "2"]
KEYS = [
    "lock",
    "cpus",
    "per_second",
    "low",
    "high",
    "ns_per_operation",
    "transactions",
    "fairness",
    *TIMES,
]


def test_table_fits_80_columns() -> None:
    """A line for each point, the curves set apart, nothing cut."""
    arguments = ["ticket", "mcs", "--cpus", "1,2,4", *SHORT]
    result = RUN.invoke(app, arguments, env={"COLUMNS": "80"})
    assert (0, "") == (result.exit_code, result.stderr)
    assert 80 >= max(map(len, result.stdout.splitlines()))
    assert "…" not in result.stdout
    points = [line.split()[:2] for line in result.stdout.splitlines() if line[2:8].strip()]
    expected = [[lock, str(n)] for lock in ("ticket", "mcs") for n in (1, 2, 4)]
    assert expected == [point for point in points if point[0] in ("ticket", "mcs")]
    assert "M/s" in result.stdout


def test_counts_end_where_the_machine_does() -> None:
    """Without --cpus a machine of four is swept up to four."""
    rows = json.loads(RUN.invoke(app, ["ticket", *SHORT, "--json"]).stdout)["rows"]
    assert [1, 2, 4] == [row["cpus"] for row in rows]


def test_long_file_name_is_folded(tmp_path: Path) -> None:
    """Each of its characters is printed."""
    lock = broken_locks.write(tmp_path, "no exclusion")
    result = RUN.invoke(app, [lock, "--cpus", "1", *SHORT], env={"COLUMNS": "80"})
    assert 80 >= max(map(len, result.stdout.splitlines()))
    assert "…" not in result.stdout


def test_json_has_the_documented_schema() -> None:
    """The keys of the module's docstring, and nothing but JSON on stdout."""
    result = RUN.invoke(app, ["ticket", "--cpus", "1,4", *SHORT, "--json"])
    found = json.loads(result.stdout)
    assert ["machine", "placement", "complete", "rows"] == list(found)
    assert [KEYS, KEYS] == [list(row) for row in found["rows"]]
    assert [("ticket", 1), ("ticket", 4)] == [(row["lock"], row["cpus"]) for row in found["rows"]]


def test_four_replications_have_bands() -> None:
    """By default three draws; one cause at a time if asked."""
    four = ["ticket", "--cpus", "2,4", "--machine", "desktop-4", "--operations", "10"]
    four += ["--replications", "4"]
    found = json.loads(RUN.invoke(app, [*four, "--json"]).stdout)
    for row in found["rows"]:
        assert [*KEYS, "band_low", "band_high", "depends_on"] == list(row)
        assert row["band_low"] <= row["per_second"] <= row["band_high"]
    shown = RUN.invoke(app, four, env={"COLUMNS": "80"}).stdout
    assert "band: 3 draws, starting order and 13 values, and the error of" in shown
    asked = RUN.invoke(app, [*four, "--sensitivity"], env={"COLUMNS": "200"}).stdout
    assert "ticket on 4 CPUs, the widest first: " in asked
    assert "(assumed, " in asked


def test_threads_that_no_option_places_may_be_scattered() -> None:
    """The band holds both placements of two sockets, and alone it shows which one matters."""
    two = ["ticket", "--cpus", "2", "--machine", "xeon-8375c-2x32", "--operations", "10"]
    two += ["--replications", "4"]
    free, stated, asked = (
        RUN.invoke(app, [*two, *more, "--json"]).stdout
        for more in ([], ["--placement", "compact"], ["--placement", "compact", "--sensitivity"])
    )
    (wide,), (narrow,), (turns,) = (json.loads(out)["rows"] for out in (free, stated, asked))
    assert wide["per_second"] == narrow["per_second"]
    assert wide["band_low"] < narrow["band_low"]
    assert "placement" not in turns["depends_on"]
    shown = RUN.invoke(app, [*two, "--sensitivity"], env={"COLUMNS": "200"}).stdout
    assert "placement -" in shown
    assert "(not stated, may be scatter)" in shown


def test_locks_are_compared_at_each_count() -> None:
    """The fastest, how far ahead, and whether that is sure; not for a single lock."""
    four = ["--cpus", "1,4", "--operations", "10", "--replications", "4", "--json"]
    found = json.loads(RUN.invoke(app, ["ticket", "mcs", *four]).stdout)
    rate = {(row["lock"], row["cpus"]): row["per_second"] for row in found["rows"]}
    assert [1, 4] == [row["cpus"] for row in found["leads"]]
    for row in found["leads"]:
        best, second = (rate[row[name], row["cpus"]] for name in ("best", "second"))
        assert best >= second
        assert row["lead"] == pytest.approx(best / second)
        assert row["band_low"] <= row["lead"] <= row["band_high"]
        assert row["sure"] == (row["band_low"] > 1)
    assert "leads" not in json.loads(RUN.invoke(app, ["ticket", *four]).stdout)
    shown = RUN.invoke(app, ["ticket", "mcs", *four[:-1]], env={"COLUMNS": "80"}).stdout
    assert "  1 CPU: no difference worth a change" in shown.splitlines()


def test_a_dataset_varies_costs_itself(tmp_path: Path) -> None:
    """Bands and datasets exclude each other."""
    options = ["--out", str(tmp_path / "curve"), "--sensitivity"]
    result = RUN.invoke(app, ["ticket", *SHORT, *options])
    assert 2 == result.exit_code
    assert "--sensitivity and --out FOLDER exclude each other: vary costs with --vary" in (
        result.stderr
    )


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_output_holds_the_same_rows(tmp_path: Path, ending: str) -> None:
    """In a folder that did not exist."""
    path = tmp_path / "new" / f"curve.{ending}"
    arguments = ["ticket", "--cpus", "1,2", *SHORT, "--json", "--out", str(path)]
    rows = json.loads(RUN.invoke(app, arguments).stdout)["rows"]
    saved = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    expected = pd.DataFrame(rows).astype(dict.fromkeys(TIMES, float))
    pd.testing.assert_frame_equal(expected, saved, check_dtype=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tikcet"], "unknown lock, cache or scheduler 'tikcet'; did you mean 'ticket'?"),
        (
            ["ticket", "--machine", "desktop4"],
            "unknown machine 'desktop4'; did you mean 'desktop-4'?",
        ),
        (["ticket", "--cpus", "1,x"], "--cpus 1,x: 'x' is not an integer; write them as 1,2,4"),
        (["ticket", "--cpus", "0,1"], "--cpus must be between 1 and 4 on desktop-4 (got 0)"),
        (["ticket", "--cpus", "1,5"], "--cpus must be between 1 and 4 on desktop-4 (got 5)"),
        (["ticket", "--placement", "0,1"], "--placement 0,1: write compact or scatter"),
        (["ticket", "--think", "2s"], "--think must be between 0ns and 1s (got 2,000,000,000ns)"),
        (["ticket", "--replications", "0"], "--replications must be between 1 and "),
        (["ticket", "--seed", "-1"], "--seed must be between 0 and "),
        (
            ["ticket", "--out", "a.txt"],
            "--out a.txt: the name of a file must end in .csv or .parquet",
        ),
    ],
)
def test_bad_arguments_are_found_before_the_first_run(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    """Exit code 2 and one message; nothing has been simulated."""

    def refuse(*arguments: Any, **options: Any) -> simulation.Simulation:
        raise AssertionError("simulated with bad arguments")

    monkeypatch.setattr(simulation, "simulate", refuse)
    result = RUN.invoke(app, [arguments[0], "--machine", "desktop-4", *arguments[1:]])
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: {message}")
    assert 1 == result.stderr.count("\n")


def test_place_that_can_not_be_written_is_refused(tmp_path: Path) -> None:
    """A folder of that name, and a folder that can not be made."""
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    found = [
        RUN.invoke(app, ["ticket", "--cpus", "1", *SHORT, "--out", str(tmp_path / name)])
        for name in ("folder.csv", "file/curve.csv")
    ]
    assert [(2, ""), (2, "")] == [(result.exit_code, result.stdout) for result in found]
    assert "this is a folder; name a file in it" in found[0].stderr
    assert f"{tmp_path / 'file'} is not a folder" in found[1].stderr


def test_lock_that_gets_stuck_costs_no_finished_point(tmp_path: Path) -> None:
    """The points before it are printed, the message names lock and CPUs, exit code 2."""
    lock = broken_locks.write(tmp_path, "livelock")
    result = RUN.invoke(app, ["ticket", lock, "--cpus", "2", *SHORT, "--json"])
    found = json.loads(result.stdout)
    assert (2, False) == (result.exit_code, found["complete"])
    assert ["ticket"] == [row["lock"] for row in found["rows"]]
    assert f"error: {lock} on 2 CPUs: livelock at " in result.stderr


def test_lock_that_does_not_exclude_is_called_broken(tmp_path: Path) -> None:
    """A warning and exit code 1."""
    lock = broken_locks.write(tmp_path, "no exclusion")
    result = RUN.invoke(app, ["ticket", lock, "--cpus", "4", *SHORT])
    assert 1 == result.exit_code
    assert f"warning: {lock}: mutual exclusion was violated " in result.stderr
    assert "warning: ticket" not in result.stderr


@pytest.mark.parametrize("point", [1, 3])
def test_interrupt_keeps_the_finished_points(monkeypatch: pytest.MonkeyPatch, point: int) -> None:
    """Exit code 130; in the first point there is nothing to print yet."""
    whole = simulation.simulate
    calls: list[int] = []

    def cut(*arguments: Any, **options: Any) -> simulation.Simulation:
        calls.append(1)
        if len(calls) == point:
            raise KeyboardInterrupt
        return whole(*arguments, **options)

    monkeypatch.setattr(simulation, "simulate", cut)
    result = RUN.invoke(app, ["ticket", "mcs", "--cpus", "1,2", *SHORT, "--json"])
    assert 130 == result.exit_code
    if point == 1:
        assert ("", "interrupted: nothing was finished\n") == (result.stdout, result.stderr)
        return
    assert "interrupted: the points above are complete\n" == result.stderr
    found = json.loads(result.stdout)
    assert (False, 2) == (found["complete"], len(found["rows"]))


def test_a_plot_marks_what_was_not_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C the finished points are drawn, and the others named."""
    file = tmp_path / "sweep.html"
    real = simulation.simulate

    def stops(*arguments: Any, **options: Any) -> Any:
        if options["cpus"] == 2:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(simulation, "simulate", stops)
    RUN.invoke(app, ["ticket", "--cpus", "1,2", *SHORT, "--plot", str(file)])
    text = file.read_text()
    assert '<td class="number">not simulated</td>' in text
    assert "Simulated on desktop-4 (compact). Hold 100ns, think 400ns; 2 replications" in text


def test_latex() -> None:
    """The table of the terminal, for a paper."""
    lines = RUN.invoke(app, ["ticket", "--cpus", "1,2", *SHORT, "--latex"]).stdout.splitlines()
    assert r"\begin{tabular}{lrrrrrr}" in lines
    assert 2 == sum(line.startswith("ticket & ") for line in lines)
