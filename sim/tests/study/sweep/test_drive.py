"""Sweeps: each run once, the same rows whatever happens on the way."""

import math
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import broken_locks
import pandas as pd
import pytest

import locksim
from locksim.kinds import LoadSettings, plain_load
from locksim.study.simulation import simulate
from locksim.study.sweep import Goal, Outcome, Sweep, on_this_machine, product
from locksim.study.sweep.runs import StaleWorkerError, Task, perform
from locksim.study.sweep.workers import Finished, Workers

SHORT = {"operations": 2, "think_ns": 50}


def design(**vary: Any) -> Any:
    """Two locks on one and two CPUs."""
    return product(["tas", "ticket"], ["ideal-2"], [1, 2], vary, [{}], SHORT)


class Hostile(Workers):
    """Runs tasks here; those of some numbers are lost, with all that are given out until then."""

    def __init__(self, losses: tuple[int, ...]) -> None:
        self.losses, self.tasks, self.broken = losses, 0, False

    @property
    def slots(self) -> int:
        return 3

    def submit(self, task: Task) -> Future[Finished]:
        future: Future[Finished] = Future()
        self.tasks += 1
        if self.tasks in self.losses:
            self.broken = True
            future.set_exception(BrokenProcessPool())
        elif not self.broken:
            future.set_result(perform(task))
        return future

    def after(self, error: BaseException) -> Literal["again", "lost"]:
        self.broken = False
        return "again"


@contextmanager
def hostile(*losses: int) -> Iterator[Workers]:
    """Such workers."""
    yield Hostile(losses)


def swept(folder: Path, workers: Any = None, goal: Goal | None = None) -> tuple[Outcome, Any]:
    """A short sweep, and its runs."""
    sweep = Sweep(design(words=[0, 1, 2]), goal or Goal(5), folder)
    outcome = sweep.run(workers or on_this_machine(1))
    return outcome, sweep.table(outcome)


def test_rows_are_those_of_simulate(tmp_path: Path) -> None:
    """A run is one replication of the same simulation."""
    rows = locksim.sweep(
        ["ticket"], dataset=tmp_path, machine="ideal-2", cpus=[2], replications=3, jobs=1, **SHORT
    )
    whole = simulate(
        plain_load("ticket", LoadSettings(think_ps=50_000)).workload,
        machine="ideal-2",
        cpus=2,
        operations=2,
        replications=3,
    )
    assert [run.window_ps for run in whole.replications] == rows["window_ps"].to_list()
    assert whole.throughput().mean == pytest.approx(rows["per_second"].mean())
    assert whole.transactions().mean == pytest.approx(rows["transactions"].mean())


def test_second_start_runs_nothing(tmp_path: Path) -> None:
    """And a larger sweep only what is new."""
    first, rows = swept(tmp_path)
    again, same = swept(tmp_path)
    assert [(60, 0), (0, 60)] == [(o.made, o.found) for o in (first, again)]
    pd.testing.assert_frame_equal(rows, same)
    more, longer = swept(tmp_path, goal=Goal(7))
    assert (24, 60, 84) == (more.made, more.found, len(longer))


def test_lost_workers_change_nothing(tmp_path: Path) -> None:
    """Tasks are given out again, finished ones among them not."""
    _, rows = swept(tmp_path / "calm")
    outcome, same = swept(tmp_path / "hostile", hostile(1, 3, 4))
    pd.testing.assert_frame_equal(rows, same)
    assert 60 == outcome.made == len(pd.read_parquet(tmp_path / "hostile"))


@pytest.mark.parametrize("cut", [1, 3])
def test_interrupt_keeps_what_is_finished(tmp_path: Path, cut: int) -> None:
    """The same sweep then makes only the rest."""
    calls: list[str] = []

    def progress(text: str, fraction: float) -> None:
        calls.append(text)
        if len(calls) == cut:
            raise KeyboardInterrupt

    sweep = Sweep(design(words=[0, 1, 2]), Goal(5), tmp_path)
    stopped = sweep.run(on_this_machine(1), progress)
    # The last rows may have come before the interrupt was seen.
    assert stopped.made == len(sweep.dataset.read())
    rest, _ = swept(tmp_path)
    assert (60, stopped.made) == (rest.made + rest.found, rest.found)


def test_replicates_until_the_interval_is_narrow(tmp_path: Path) -> None:
    """Enough runs and not many more; what was there before makes no difference."""
    goal = Goal(3, until=0.1, most=12)
    outcome, rows = swept(tmp_path / "one", goal=goal)
    assert all(3 <= n <= 12 for n in outcome.points.values())
    assert len({*outcome.points.values()}) > 1
    swept(tmp_path / "other", goal=Goal(6, seed=2))
    other, same = swept(tmp_path / "other", goal=goal)
    assert outcome.points == other.points
    pd.testing.assert_frame_equal(rows, same)


def test_needed_replications() -> None:
    """By half as many again, up to the most; a failed run ends it."""
    goal = Goal(2, seed=5, until=0.1, most=4)
    assert 2 == goal.needed({})
    assert 2 == goal.needed({5: 1.0, 6: 1.0})
    assert 3 == goal.needed({5: 1.0, 6: 2.0})
    assert 4 == goal.needed({5: 1.0, 6: 2.0, 7: 1.0})
    assert 2 == goal.needed({5: 1.0, 6: math.nan})


def test_fault_is_a_result(tmp_path: Path) -> None:
    """A deadlock has a row with its message, and is not tried again."""
    lock = broken_locks.write(tmp_path, "deadlock")
    both = product(["tas", lock], ["ideal-2"], [2], {}, [{}], SHORT)
    sweep = Sweep(both, Goal(2), tmp_path / "data")
    rows = sweep.table(sweep.run(on_this_machine(1)))
    assert [False, False, True, True] == rows["error"].notna().to_list()
    assert "deadlock" in rows["error"][2]
    assert 0 == Sweep(both, Goal(2), tmp_path / "data").run(on_this_machine(1)).made


def test_costs_of_the_machine_vary(tmp_path: Path) -> None:
    """A slower transfer takes longer; a cost that the profile refuses is a message."""
    rows = locksim.sweep(
        ["ticket"],
        dataset=tmp_path,
        machine="ideal-2",
        cpus=[2],
        vary={"transfer.node": [50.0, 500.0, 0.0]},
        replications=2,
        jobs=1,
        **SHORT,
    )
    fast, slow, refused = (group for _, group in rows.groupby("point", sort=False))
    assert fast["ns_per_operation"].mean() < slow["ns_per_operation"].mean()
    assert refused["error"].notna().all()


def test_worker_with_other_sources_is_refused() -> None:
    """Its results would not be those of this engine."""
    with pytest.raises(StaleWorkerError, match="another version"):
        perform(Task([], {}, {}, engine="other"))
