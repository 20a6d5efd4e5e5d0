"""`locklab run`: the tables, the JSON, and what a clumsy user gets to read."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import broken_locks
import pytest
from typer.testing import CliRunner

from locksim.cli.run import app
from locksim.library.locks import rcu
from locksim.study import simulation

RUN = CliRunner()
RCU_HEAD = f"{rcu.__file__}:RcuHead"  # a struct that is no lock
SHORT = ["--cpus", "2", "--operations", "20", "--replications", "2"]


def test_tables_fit_80_columns() -> None:
    """Nothing is cut, and every figure has its unit."""
    result = RUN.invoke(app, ["rwlock", *SHORT], env={"COLUMNS": "80"})
    assert (0, "") == (result.exit_code, result.stderr)
    assert result.stdout.startswith("rwlock on 2 CPUs of desktop-4 (compact)\n")
    assert 80 >= max(map(len, result.stdout.splitlines()))
    for name in ("throughput", "M/s", "95 % interval", "UTIL", "CON", "HOLD", "WAIT", "TOTAL"):
        assert name in result.stdout


def test_the_error_of_the_model_is_said() -> None:
    """With the class of the question; with all other causes it is part of the bands."""
    shown = RUN.invoke(app, ["ticket", *SHORT]).stdout
    assert "The error of the model: throughput" in shown
    assert "(one contended line; learned from" in shown
    assert "The error of" not in RUN.invoke(app, ["ticket", *SHORT, "--sensitivity"]).stdout


def test_narrow_terminal_cuts_nothing_either() -> None:
    """The tables keep their 80 columns; the terminal wraps."""
    wide, narrow = (
        RUN.invoke(app, ["ticket", *SHORT], env={"COLUMNS": n}).stdout for n in ("80", "40")
    )
    assert wide == narrow


def test_json_has_the_documented_schema() -> None:
    """The keys of the module's docstring, and nothing but JSON on stdout."""
    result = RUN.invoke(app, ["ticket", *SHORT, "--json"])
    found = json.loads(result.stdout)
    assert ["lock", "machine", "cpus", "placement", "complete", "summary", "locks"] == list(found)
    assert ("ticket", "desktop-4", 2, "compact", True) == tuple(list(found.values())[:5])
    assert {"measure", "mean", "low", "high", "unit"} == set(found["summary"][0])
    expected = (
        "lock side util con hold_ns hold_max_ns wait_ns wait_max_ns cpu_share total per_second "
        "readers_max rejected con_ww wait_ww_ns wait_ww_max_ns busy_ns busy_max_ns violations "
        "hold_p50_ns hold_p90_ns hold_p99_ns hold_p999_ns "
        "wait_p50_ns wait_p90_ns wait_p99_ns wait_p999_ns"
    )
    assert expected.split() == list(found["locks"][0])


def test_sensitivity_gives_each_measure_a_band() -> None:
    """Around its value, with what moves it, in JSON and in words."""
    arguments = ["ticket", *SHORT, "--sensitivity"]
    rows = json.loads(RUN.invoke(app, [*arguments, "--json"]).stdout)["summary"]
    assert all(row["band_low"] <= row["mean"] <= row["band_high"] for row in rows)
    assert rows[0]["band_low"] < rows[0]["mean"] < rows[0]["band_high"]
    assert "(assumed, 3 to 30 ns)" in rows[0]["depends_on"]
    shown = RUN.invoke(app, arguments, env={"COLUMNS": "80"}).stdout
    assert 80 >= max(map(len, shown.splitlines()))
    assert "value and band" in shown
    assert "tenure" in shown.partition("value and band")[2]


def test_one_replication_has_no_interval() -> None:
    """Null in JSON, a dash in the table."""
    one = ["ticket", "--cpus", "2", "--operations", "20", "--replications", "1"]
    found = json.loads(RUN.invoke(app, [*one, "--json"]).stdout)
    assert [(None, None)] * 4 == [(row["low"], row["high"]) for row in found["summary"]]
    assert "nan" not in RUN.invoke(app, one).stdout


def test_same_seed_gives_the_same_figures() -> None:
    """And another seed gives others."""
    first, again, other = (
        RUN.invoke(app, ["ticket", *SHORT, "--json", "--seed", seed]).stdout
        for seed in ("7", "7", "8")
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tikcet"], "unknown lock, cache or scheduler 'tikcet'; did you mean 'ticket'?"),
        (
            [RCU_HEAD],
            f"{RCU_HEAD} has no plain load: it is not a ",
        ),
        (
            ["ticket", "--machine", "desktop4"],
            "unknown machine 'desktop4'; did you mean 'desktop-4'?",
        ),
        (["ticket", "--machine", "ideal-5000"], "unknown machine 'ideal-5000'"),
        (["ticket", "--cpus", "0"], "--cpus must be between 1 and 4 on desktop-4 (got 0)"),
        (["ticket", "--cpus", "-3"], "--cpus must be between 1 and 4 on desktop-4 (got -3)"),
        (["ticket", "--cpus", "1000"], "--cpus must be between 1 and 4 on desktop-4 (got 1000)"),
        (["ticket", "--placement", "0,0", "--cpus", "2"], "the placement lists CPU 0 twice"),
        (["ticket", "--placement", "0,0"], "the placement lists CPU 0 twice"),
        (["ticket", "--placement", "here"], "--placement here: write compact, scatter"),
        (["ticket", "--hold", "-1ns"], "--hold -1ns: write a number with its unit, as 100ns"),
        (["ticket", "--think", "2s"], "--think must be between 0ns and 1s (got 2,000,000,000ns)"),
        (["rwlock", "--reads", "101%"], "--reads 101%: a share is at most 100%"),
        (["rwlock", "--reads", "0.5%"], "0.5% is not a whole number of per cent: write it like 5%"),
        (["ticket", "--cpus", "1.5"], "--cpus 1.5: write a whole number"),
        (["ticket", "--operations", "0"], "--operations must be between 1 and "),
        (["ticket", "--replications", "0"], "--replications must be between 1 and "),
        (["ticket", "--seed", "-1"], "--seed must be between 0 and "),
        (
            ["ticket", "--seed", "9" * 24],
            f"--seed must be between 0 and {2**62:,} (got {'9' * 24})",
        ),
        (["no/such.py:Mine"], "no/such.py cannot be read: No such file or directory"),
    ],
)
def test_bad_arguments_get_one_message(arguments: list[str], message: str) -> None:
    """Exit code 2, the message on stderr, nothing on stdout."""
    result = RUN.invoke(app, arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: {message}")
    assert 1 == result.stderr.count("\n")


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        ("deadlock", "deadlock at "),
        ("livelock", "livelock at "),
        ("typo", "Mine has no field 'flg'"),
        ("empty", "defines no class; write 'class MyLock(Lock):'"),
    ],
)
def test_mistakes_in_a_file_are_told(tmp_path: Path, mistake: str, message: str) -> None:
    """Exit code 2 and where it is; a lock that lets nobody in is given up soon."""
    result = RUN.invoke(app, [broken_locks.write(tmp_path, mistake), *SHORT])
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith("error: ")
    assert message in result.stderr


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A binary file and a folder, each with its reason."""
    (tmp_path / "binary.py").write_bytes(bytes(range(128, 256)))
    (tmp_path / "folder.py").mkdir()
    reasons = ["it is no UTF-8 text", "Is a directory"]
    found = [RUN.invoke(app, [str(tmp_path / n)]) for n in ("binary.py", "folder.py")]
    assert [2, 2] == [result.exit_code for result in found]
    for reason, result in zip(reasons, found, strict=True):
        assert f"cannot be read: {reason}" in result.stderr


def test_lock_that_does_not_exclude_is_called_broken(tmp_path: Path) -> None:
    """The measurements are printed, with a warning and exit code 1."""
    lock = broken_locks.write(tmp_path, "no exclusion")
    result = RUN.invoke(app, [lock, *SHORT])
    assert 1 == result.exit_code
    assert "BROKEN" in result.stdout
    assert f"warning: {lock}: mutual exclusion was violated " in result.stderr
    counted = json.loads(RUN.invoke(app, [lock, *SHORT, "--json"]).stdout)["locks"]
    assert counted[0]["violations"] > 0


def test_typo_in_a_profile_is_told(tmp_path: Path) -> None:
    """The file, the key and what was meant."""
    import locksim.machine as package

    text = (Path(package.__file__).parent / "profiles" / "desktop-4.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("rmw", "rnw"))
    result = RUN.invoke(app, ["ticket", "--machine", str(path)])
    assert (2, "") == (result.exit_code, result.stdout)
    assert f"error: {path}: cost.rnw: unknown key; did you mean 'rmw'?" in result.stderr


@pytest.mark.parametrize("as_json", [False, True])
def test_interrupt_prints_what_was_finished(monkeypatch: pytest.MonkeyPatch, as_json: bool) -> None:
    """Exit code 130, the figures on stdout, a line about them on stderr."""
    whole = simulation.simulate

    def cut(*arguments: Any, **options: Any) -> simulation.Simulation:
        result = whole(*arguments, **options)
        return replace(result, complete=False, replications=result.replications[:1])

    monkeypatch.setattr(simulation, "simulate", cut)
    result = RUN.invoke(app, ["ticket", *SHORT, *(["--json"] if as_json else [])])
    expected = "interrupted: the values above are those of the finished replications\n"
    assert (130, expected) == (result.exit_code, result.stderr)
    if as_json:
        assert json.loads(result.stdout)["complete"] is False
    else:
        assert "means over 1 replication\n" in result.stdout


def test_interrupt_before_the_first_replication(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing on stdout, one line on stderr."""

    def cut(*arguments: Any, **options: Any) -> simulation.Simulation:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "simulate", cut)
    result = RUN.invoke(app, ["ticket", *SHORT])
    expected = (130, "", "interrupted: nothing was finished\n")
    assert expected == (result.exit_code, result.stdout, result.stderr)


INTERRUPTED_SOON = """
import os, signal, sys, threading
import locklab
from locksim.engine.fast.engine import Session

whole = Session.advance

def first(self, *arguments):
    # Here numba loads its code, and an interrupt inside a callback of LLVM's would be lost.
    whole(self, *arguments)
    Session.advance = second

def second(self, *arguments):
    Session.advance = whole
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    return whole(self, *arguments)

Session.advance = first
sys.exit(locklab.main(["run", "ticket", "--operations", "100000000"]))
"""


def test_signal_ends_a_long_run() -> None:
    """SIGINT while the engine runs: exit code 130 and no traceback."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_SOON], capture_output=True, text=True, timeout=300
    )
    expected = (130, "", "interrupted: nothing was finished\n")
    assert expected == (done.returncode, done.stdout, done.stderr)


def test_reader_that_leaves_early_is_no_error() -> None:
    """`locklab run … | head -1`: no traceback."""
    command = [sys.executable, "-m", "locklab", "run", "ticket", *SHORT]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert b"" == process.stderr.read()
    process.stderr.close()
    process.wait()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("lockmeter", "SPINLOCKS         HOLD            WAIT"),
        ("lock_stat", "lock_stat version 0.4"),
        ("perf", "contended   total wait     max wait     avg wait         type   caller"),
        ("lockmeter-callers", "CriticalSection.section"),
        ("kernprof", "us/call  name"),
        ("callgraph", "index % time"),
        ("awr", "% spinlock"),
    ],
)
def test_report_in_the_formats_of_the_field(name: str, wanted: str) -> None:
    """Printed below the meters; in the document with --json."""
    assert wanted in RUN.invoke(app, ["ticket", *SHORT, "--report", name]).stdout
    found = json.loads(RUN.invoke(app, ["ticket", *SHORT, "--report", name, "--json"]).stdout)
    assert name == found["report"]["format"]
    assert wanted in found["report"]["text"]


def test_the_arrival_process_is_set_by_words() -> None:
    """An open load offers what it offers; without words the load is the closed one."""

    def rate(*words: str) -> float:
        result = RUN.invoke(app, ["mcs", "--cpus", "2", "--hold", words[0], *words[1:], "--json"])
        return float(json.loads(result.stdout)["summary"][0]["mean"])

    closed = rate("1us", "--think", "4us")
    long = rate("constant:1us", "--think", "exponential:4us", "--arrivals", "closed")
    assert closed == long
    opened = rate("uniform:1us", "--think", "4us", "--arrivals", "open")
    assert 1.1 * closed < opened < 0.56e6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ticket", "--arrivals", "late"], "--arrivals late: write closed, open"),
        (["ticket", "--burst", "0"], "--burst must be between 1 and 1,000 (got 0)"),
        (["ticket", "--hold", "x:1ns"], "--hold x: write constant, exponential, unif"),
        (["rwlock", "--think", "x:1ns"], "--think x: write constant, exponential, unif"),
        (["cipso", "--burst", "2"], "cipso: --arrivals, --burst and distributions of --hold and "),
        (["cipso", "--think", "uniform:1us"], "cipso: --arrivals, --burst and distributions of "),
        (["cipso", "--think", "exponential:1us"], "cipso: --arrivals, --burst and distributions "),
    ],
)
def test_an_unknown_arrival_process_is_refused(arguments: list[str], message: str) -> None:
    """With the words that there are; a cache's load has none."""
    result = RUN.invoke(app, arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: {message}")


OWN_LOAD = '''"""Two locks, one inside the other."""
from locksim.lang import *
from locksim.library.locks.mcs import MCSLock
class Nested(Workload):
    """Every CPU takes both."""
    outer = part(MCSLock, padded=True)
    inner = part(MCSLock, padded=True)
    def thread(self):
        while True:
            yield compute(random_exponential(2 * MS))
            yield from self.outer.acquire()
            yield from self.inner.acquire()
            yield compute(100 * US)
            yield from self.inner.release()
            yield from self.outer.release()
            yield done()
'''


def test_a_workload_of_ones_own_is_run_and_reported(tmp_path: Path) -> None:
    """As it is, however long its units of work take; each of its locks has its row."""
    file = tmp_path / "my load.py"
    file.write_text(OWN_LOAD)
    result = RUN.invoke(app, [str(file), *SHORT, "--report", "lockmeter-callers"])
    assert (0, "") == (result.exit_code, result.stderr)
    for row in ("  outer\n", "  inner\n", "    Nested.thread\n"):
        assert row in result.stdout
    refused = RUN.invoke(app, [str(file), "--burst", "2"])
    assert (2, "") == (refused.exit_code, refused.stdout)


def test_unknown_report_is_refused() -> None:
    """Before anything runs, with those that there are."""
    result = RUN.invoke(app, ["ticket", "--report", "gprof"])
    assert (2, "") == (result.exit_code, result.stdout)
    assert "error: --report gprof: unknown format; choose lockmeter, " in result.stderr


def test_every_plot_is_saved_and_named(tmp_path: Path) -> None:
    """Each --plot, on the terminal and in JSON; load, seed and version are in it."""
    files = [tmp_path / "run.svg", tmp_path / "page.html"]
    asked = ["ticket", *SHORT, *(word for file in files for word in ("--plot", str(file)))]
    shown = RUN.invoke(app, asked).stdout
    for file in files:
        assert f"plot: {file}" in shown.splitlines()
        assert "Hold 100ns, think 400ns; 2 replications, seeds from 1." in file.read_text()
    found = json.loads(RUN.invoke(app, [*asked, "--json"]).stdout)
    assert [str(file) for file in files] == found["plots"]


def test_latex() -> None:
    """Tables and comments, nothing else."""
    lines = RUN.invoke(app, ["ticket", *SHORT, "--latex"]).stdout.splitlines()
    assert r"measure & mean & 95 \% interval \\" in lines
    assert all(line.startswith(("%", "\\")) or line.endswith(r"\\") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "run.jpg"], "--plot run.jpg: the file must end in .svg, .pdf, .png, .pgf or"),
        (["--plot", "run.svg", "--plot", "a.b"], "--plot a.b: the file must end in .svg, "),
        (["--latex", "--json"], "--latex and --json cannot be used together: choose one"),
    ],
)
def test_a_plot_that_cannot_be_is_refused(arguments: list[str], message: str) -> None:
    """Before the simulation."""
    result = RUN.invoke(app, ["ticket", *SHORT, *arguments])
    assert (2, "") == (result.exit_code, result.stdout)
    assert message in result.stderr
