"""Surveys with a stand-in for the executable: order, resuming, rejection, and what stands alone."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import locknative.survey
from locknative import NativeError
from locknative.compilation import toolchain
from locknative.survey import collect as collecting
from locknative.survey import folder as folders
from locknative.survey import process, trials
from locknative.survey.cells import Cell
from locknative.survey.collect import Plan, collect, survey
from locknative.survey.process import list_kernels
from locknative.survey.speed import ENOUGH, SLOWER, SpeedCheck
from locknative.survey.topology import Cpu
from locknative.survey.trials import Record, rounds, trial

ADD = Cell("contended_add", (0,), think=10)
WAKE = Cell("wake", (0, 0))
ONE = [Cpu(0, 0, 0, 0, 0)]
TWO = [*ONE, Cpu(1, 1, 0, 0, 0)]
LISTED = '{"name": "mcs", "kind": "lock", "loops": ["throughput"], "read": false}'
Stub = Callable[..., str]


@pytest.fixture(autouse=True)
def nothing_stolen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a hypervisor does while the tests run is not their subject."""
    monkeypatch.setattr(trials, "steal_ticks", lambda cpus: 0)


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    """Return a maker of programs that print one trial with the given tallies, or fail."""

    def make(tallies: list[dict[str, Any]], status: int = 0) -> str:
        # The interpreter's path may hold a space, which a first line "#!" cannot.
        file, program = tmp_path / "stand-in", tmp_path / "stand-in.py"
        file.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{program}" "$@"\n')
        trial = {"kernel": "x", "duration_ns": 1_000_000, "build": {}, "tallies": tallies}
        program.write_text(
            "import sys\n"
            f"if sys.argv[1] == 'list':\n    print({LISTED!r}); sys.exit(0)\n"
            f"if {status}:\n"
            f"    print('error: no such thing', file=sys.stderr); sys.exit({status})\n"
            f"print({json.dumps(trial)!r})\n"
        )
        file.chmod(0o755)
        return str(file)

    return make


def tally(
    wall_ns: int = 1_000_000, cpu_ns: int = 1_000_000, turn_ns: float = 0.25
) -> dict[str, Any]:
    """What one thread did."""
    return {"count": 10, "overlaps": 5, "wall_ns": wall_ns, "cpu_ns": cpu_ns, "turn_ns": turn_ns}


def one(path: str, cell: Cell) -> Record:
    """Run one trial of a millisecond."""
    return trial(path, cell, 1, SpeedCheck(), duration_ms=1, warmup_ms=1)


def test_every_cell_gets_its_trials(stub: Stub, tmp_path: Path) -> None:
    """Each cell has as many good trials as asked for, and the folder holds them all."""
    good = collect(
        stub([tally()]), [ADD, ADD, WAKE], tmp_path / "out", ONE, Plan(seconds=60, wanted=3)
    )
    assert {ADD: 3, WAKE: 3} == dict(good)
    assert 6 == len(list(folders.records(tmp_path / "out")))


def test_a_survey_goes_on(stub: Stub, tmp_path: Path) -> None:
    """What lies in the folder counts; a line that was cut off does not."""
    out = tmp_path / "out"
    program = stub([tally()])
    collect(program, [ADD], out, ONE, Plan(seconds=60, wanted=2))
    with (out / folders.TRIALS).open("a") as file:
        file.write('{"cell": {"ker')
    assert 2 == len(list(folders.records(out)))
    (out / folders.TRIALS).write_text(
        "".join((out / folders.TRIALS).read_text().splitlines(True)[:2])
    )
    assert {ADD: 3} == dict(collect(program, [ADD], out, ONE, Plan(seconds=60, wanted=3)))
    assert 3 == len(list(folders.records(out)))


def test_csv_keeps_the_trials(stub: Stub, tmp_path: Path) -> None:
    """Cells, times, reasons and tallies survive as CSV; either folder reads alike."""
    out, kept = tmp_path / "out", tmp_path / "kept"
    pair = Cell("mcs", (0, 3), "latency", read=True, hold=2, write_share=655)
    collect(stub([tally(), tally()]), [pair], out, ONE, Plan(seconds=60, wanted=2))
    folders.append(out, {**next(folders.records(out)), "rejected": "busy", "result": None})
    (out / folders.PROVENANCE).write_text("{}")
    assert 3 == folders.write_csv(out, kept)
    before, after = list(folders.records(out)), list(folders.records(kept))
    assert [(Cell.of(r["cell"]), r["at"], r["rejected"]) for r in before] == [
        (Cell.of(r["cell"]), r["at"], r["rejected"]) for r in after
    ]
    assert before[0]["result"]["tallies"] == after[0]["result"]["tallies"]
    assert after[2]["result"] is None


def test_time_is_up(stub: Stub, tmp_path: Path) -> None:
    """Without time nothing is measured."""
    assert {ADD: 0} == dict(collect(stub([tally()]), [ADD], tmp_path / "out", ONE, Plan(seconds=0)))


def test_order_is_seeded(stub: Stub, tmp_path: Path) -> None:
    """The same seed gives the same order of trials, another seed another."""
    cells = [ADD._replace(think=n) for n in range(8)]
    orders = []
    for i, seed in enumerate((1, 1, 2)):
        out = tmp_path / str(i)
        collect(stub([tally()]), cells, out, ONE, Plan(seconds=60, wanted=1, seed=seed))
        orders.append([Cell.of(r["cell"]).think for r in folders.records(out)])
    assert orders[0] == orders[1] != orders[2]
    assert list(range(8)) == sorted(orders[2])


def test_sentinel(stub: Stub, tmp_path: Path) -> None:
    """A sentinel is run before the first trial and is among the records."""
    near = Cell("handoff_cas", (0, 1))
    collect(stub([tally()]), [ADD], tmp_path / "out", TWO, Plan(seconds=60, wanted=1))
    assert [near, ADD] == [Cell.of(r["cell"]) for r in folders.records(tmp_path / "out")]


def test_disturbed_sentinels(stub: Stub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sentinels that are all disturbed leave most of the time to the other trials."""
    seconds = itertools.count(0, 0.01)
    near, measured = Cell("handoff_cas", (0, 1)), []

    def disturbed(path: str, cell: Cell, *rest: object, **plan: object) -> Record:
        measured.append(cell)
        return Record(0.0, 0, 0, {"tallies": []}, ("disturbed",) if cell == near else ())

    monkeypatch.setattr(collecting, "trial", disturbed)
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    collect(stub([]), [ADD], tmp_path / "out", TWO, Plan(seconds=60, wanted=1000))
    assert measured.count(near) < 0.2 * measured.count(ADD)


def test_probes_come_first(stub: Stub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Locks are measured when each probe has its first trials, or a third of the time is over."""
    seconds = itertools.count(0, 0.01)
    lock, late, measured = Cell("mcs", (0,)), WAKE, []

    def slow_probe(path: str, cell: Cell, *rest: object, **plan: object) -> Record:
        measured.append(cell)
        bad = cell == late and measured.count(late) <= 5
        return Record(0.0, 0, 0, {"tallies": []}, ("disturbed",) if bad else ())

    monkeypatch.setattr(collecting, "trial", slow_probe)
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    everything = [ADD, late, lock]
    plan = Plan(seconds=60, wanted=4)
    good = collect(stub([]), everything, tmp_path / "out", ONE, plan, first={ADD, late})
    assert dict.fromkeys(everything, 4) == dict(good)
    assert 5 + 3 == measured[: measured.index(lock)].count(late)
    measured.clear()
    collect(stub([]), everything, tmp_path / "short", ONE, Plan(seconds=0.6), first={ADD, late})
    assert 0.2 < measured.index(lock) / len(measured) < 0.5


@pytest.mark.parametrize(
    ("cell", "quiet_ns"),
    [(ADD, SLOWER * 0.25), (Cell("mcs", (0, 1)), None), (WAKE, None), (Cell("mcs", (0, 0)), None)],
)
def test_waits_for_a_quiet_moment(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, cell: Cell, quiet_ns: float | None
) -> None:
    """A trial waits for the speed of earlier ones, if each of its threads has a CPU to time."""
    asked = []

    def known(*rest: object, **plan: Any) -> dict[str, Any]:
        asked.append(plan["quiet_ns"])
        return {"duration_ns": 1_000_000, "tallies": [tally()] * cell.threads}

    monkeypatch.setattr(process, "run_trial", known)
    seen = SpeedCheck([[0.25]] * ENOUGH + [[0.25, 0.25]] * (ENOUGH - 1))
    if cell.cpus == (0, 0):
        seen.add([0.25, 0.25])
    trial("", cell, 1, seen, duration_ms=1, warmup_ms=1)
    assert [quiet_ns] == asked


def test_stolen_time(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial in which the hypervisor took time is rejected."""
    ticks = iter([5, 8])
    monkeypatch.setattr(trials, "steal_ticks", lambda cpus: next(ticks))
    assert ("the hypervisor took 3 clock ticks",) == one(stub([tally()]), ADD).rejected


@pytest.mark.parametrize(
    ("cell", "tallies", "why"),
    [
        (ADD, [tally()], None),
        (ADD, [tally(cpu_ns=900_000)], "had its CPU for 90.0%"),
        (WAKE, [tally(cpu_ns=1000)], None),
        (ADD, [tally(), tally(wall_ns=500_000, cpu_ns=500_000)], "not all of them together"),
        (ADD, [tally(wall_ns=1000, cpu_ns=1000)], "not all of them together"),
    ],
)
def test_rejection(stub: Stub, cell: Cell, tallies: list[Any], why: str | None) -> None:
    """Threads without their CPUs, or not at one time, make no trial; sleepers may sleep."""
    rejected = one(stub(tallies), cell).rejected
    assert [] == [reason for reason in rejected if why is None or why not in reason]
    assert (why is None) == (rejected == ())


def test_failure_is_kept(stub: Stub, tmp_path: Path) -> None:
    """A trial that fails is a record with the reason that the program gave."""
    program, out = stub([tally()], status=4), tmp_path / "out"
    out.mkdir()
    (out / folders.PROVENANCE).write_text("{}")
    collect(program, [ADD], out, ONE, Plan(seconds=0.5, wanted=1))
    record = next(folders.records(out))
    assert ("no such thing", None) == (record["rejected"], record["result"])


def test_no_executable(tmp_path: Path) -> None:
    """A program that is not there is refused with what to do."""
    with pytest.raises(NativeError, match="give the path of locklab-native"):
        list_kernels(str(tmp_path / "none"))


def test_rounds() -> None:
    """A round has each cell that needs more once, in an order that the dice decide."""
    wanted = {"a": 2, "b": 1, "c": 2}
    had: list[str] = []
    for cell, _ in rounds([*"abc"], lambda cell: had.count(cell) < wanted[cell], random.Random(1)):
        had.append(cell)
    assert [["a", "b", "c"], ["a", "c"]] == [sorted(had[:3]), sorted(had[3:])]


def test_unknown_kernel(stub: Stub, tmp_path: Path) -> None:
    """A kernel that the executable does not have is refused before anything runs."""
    with pytest.raises(NativeError, match="unknown kernel 'tikcet'"):
        survey(stub([tally()]), tmp_path / "out", Plan(), kernels=["tikcet"])
    assert not (tmp_path / "out").exists()


def test_it_stands_alone(stub: Stub, tmp_path: Path) -> None:
    """Copied away, without any package in reach, the folder still runs."""
    copy = tmp_path / "elsewhere" / "survey"
    source = Path(locknative.survey.__file__).parent
    copy.mkdir(parents=True)
    for file in source.glob("*.py"):
        (copy / file.name).write_text(file.read_text())
    out = tmp_path / "out"
    line = [
        sys.executable,
        "-S",
        "-E",
        str(copy),
        "--executable",
        stub([tally()]),
        "--out",
        str(out),
    ]
    line += ["--trials", "1", "--seconds", "5", "--kernels", "own_add,own_store"]
    done = subprocess.run(line, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert (0, "") == (done.returncode, done.stderr)
    assert {"own_add", "own_store"} <= {r["cell"]["kernel"] for r in folders.records(out)}
    assert folders.provenance(out)["cpus"]


def test_locks_that_sleep_are_exempt() -> None:
    """Those whose headers call the kernel need not have their CPUs all the while."""
    headers = (toolchain.sources() / "include/locklab").glob("*.h")
    sleep = {header.stem for header in headers if '"locklab/sleep.h"' in header.read_text()}
    assert {"wake"} | sleep == trials.SLEEPERS
