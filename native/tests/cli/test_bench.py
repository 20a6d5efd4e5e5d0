"""``locklab native bench`` and ``locklab show trials``: tables, JSON, files and refusals."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from made_up import measurement, trial
from typer.testing import CliRunner

import locknative
from locknative.benchmark.meter import lock_tables
from locknative.cli import bench, show_kernel, show_trials
from locksim.study.reports import detect
from locksim.study.reports.identities import check

CPUS = sorted(os.sched_getaffinity(0))
SMALL = ["--duration", "2ms", "--trials", "2"]
APPS = {"bench": bench.app, "show": show_trials.app, "kernel": show_kernel.app}


def run(command: str, *arguments: str) -> tuple[int, str, str]:
    """Run the command; return exit code, stdout and stderr."""
    result = CliRunner().invoke(APPS[command], list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_json_and_file(tmp_path: Path) -> None:
    """Stdout is one document; the file holds the same measurement, and show prints it again."""
    file = tmp_path / "found.parquet"
    code, out, _ = run("bench", "rwlock", "--threads", "1", *SMALL, "--json", "--out", str(file))
    assert 0 == code
    found = json.loads(out)
    assert ["rwlock"] == [cell["kernel"] for cell in found["cells"]]
    assert {"began", "seed", "clock", "provenance", "clean", "warnings", "meter"} <= set(found)
    assert found == json.loads(run("show", str(file), "--json")[1])
    assert 2 == len(locknative.load(file).trials)


def test_document_has_what_the_module_promises() -> None:
    """Rows of cells and of the meter have the columns that the docstring lists."""
    found = show_trials.document(measurement([trial(i) for i in range(10)]))
    for part in ("cells", "meter"):
        for row in found[part]:
            assert [] == [key for key in row if f'"{key}"' not in (show_trials.__doc__ or "")]
    assert [] == [key for key in found if f'"{key}"' not in (show_trials.__doc__ or "")]


def test_report_in_lockmeter_s_format(tmp_path: Path) -> None:
    """It reads back as the same values, agrees with itself, and is in the document too."""
    locknative.save(measurement([trial(i) for i in range(9)]), tmp_path / "found.json")
    arguments = ("show", str(tmp_path / "found.json"), "--report", "lockmeter")
    code, out, _ = run(*arguments)
    assert 0 == code
    report = json.loads(run(*arguments, "--json")[1])["report"]
    assert "lockmeter" == report["format"]
    assert report["text"].strip() in out
    (table,) = detect.parse(report["text"])
    (made,) = lock_tables(locknative.load(tmp_path / "found.json"))
    assert (made.cpus, [row.name for row in made.rows]) == (
        table.cpus,
        [row.name for row in table.rows],
    )
    assert table.window_ns == pytest.approx(made.window_ns)
    assert () == tuple(check(table).breaches)


def test_tables(tmp_path: Path) -> None:
    """Nothing is cut: each value of the cells, the meter, the waits; warnings are shown."""
    kept = measurement([trial(i, count=1200) for i in range(9)] + [trial(9, cpu_ns=1)])
    locknative.save(kept, tmp_path / "found.json")
    code, out, _ = run("show", str(tmp_path / "found.json"))
    assert 0 == code
    for text in ("a CPU, Linux 6.1", "1.25 µs", "9/10", "0.33", "14.4%", "25.0%", "510 ns"):
        assert text in out
    for text in ("p99.9", "one reading of the clock, 10 ns", "- tas, 2 threads: 9 undisturbed"):
        assert text in out
    assert "…\n" not in out


def test_all_is_well(tmp_path: Path) -> None:
    """The list of warnings is there with too few trials, and not in a clean measurement."""
    file = tmp_path / "found.json"
    for trials, clean in ((10, True), (9, False)):
        locknative.save(measurement([trial(i) for i in range(trials)]), file)
        assert clean == ("Not a clean measurement" not in run("show", str(file))[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bench", "tikcet"], "did you mean 'ticket'"),
        (["bench", "tas", "--threads", "one"], "--threads one"),
        (["bench", "tas", "--hold", "1ns,x"], "--hold x: write a number with its unit"),
        (["bench", "tas", "--placement", "near"], "--placement near"),
        (["bench", "tas", "--threads", "4097"], "need 4097 CPUs"),
        (["bench", "tas", "--out", "found.csv"], "must end in .json or .parquet"),
        (["bench", "tas", "--precision", "0%"], "precision must be between"),
        (["bench", "tas", "--reads", "101%"], "--reads 101%: a share is at most 100%"),
        (["bench", "tas", "--duration", "1us"], "--duration 1us: write whole milliseconds"),
        (["bench", "tas", "--set", "-1"], "--set must be between 0 and"),
        (["bench", "tas", "--loop", "validate"], "timed loop 'validate'"),
        (["bench", "tas", "--report", "c2c"], "--report must be lockmeter or lock_stat or perf"),
        (["bench", "tas", "--report", "lockmeter", "--loop", "throughput"], "only the latency"),
        (["show", "none.json"], "cannot be read"),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    """Bad input is one message on stderr, exit code 2, and nothing on stdout."""
    code, out, err = run(*arguments)
    assert (2, "") == (code, out)
    assert err.startswith("error: ")
    assert message in err


def test_kernels_are_listed_and_shown() -> None:
    """All of this build; one alone is its entry; an unknown name has a suggestion."""
    found = json.loads(run("kernel", "--json")[1])
    assert {"tas", "slob_seqretry", "own_add"} <= {entry["name"] for entry in found}
    assert json.loads(run("kernel", "tas", "--json")[1]) in found
    assert "throughput" in run("kernel", "tas")[1]
    assert "error: unknown kernel 'tsa'; did you mean 'tas'?\n" == run("kernel", "tsa")[2]


def test_free_placement() -> None:
    """Without pinning it works too, and the record has no CPUs."""
    found = json.loads(
        run("bench", "tas", "--threads", "1", "--placement", "free", *SMALL, "--json")[1]
    )
    assert [[]] == [cell["cpus"] for cell in found["cells"]]


def test_cpu_numbers() -> None:
    """A list of CPUs is taken as it is."""
    one = str(CPUS[-1])
    found = json.loads(
        run("bench", "tas", "--threads", "1", "--placement", one, *SMALL, "--json")[1]
    )
    assert [[CPUS[-1]]] == [cell["cpus"] for cell in found["cells"]]
