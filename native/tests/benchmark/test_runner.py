"""Measurements as they are run: when to stop, rejections; most trials are made up."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest
from made_up import CLOCK, tally

import locknative
from locknative import NativeError, Stopping
from locknative.benchmark.measurement import ENOUGH
from locknative.compilation import executable
from locknative.survey import process, trials
from locknative.survey.cells import Cell

CPUS = sorted(os.sched_getaffinity(0))


class Machine:
    """Replaces the executable: a trial's count is a function of its number."""

    def __init__(self, count: Any, cpu_ns: Any = lambda number: 1_000_000) -> None:
        self.count = count
        self.cpu_ns = cpu_ns
        self.asked: list[dict[str, Any]] = []

    def __call__(self, path: Any, cell: Cell, **rest: Any) -> dict[str, Any]:
        number = len(self.asked)
        self.asked.append({**cell._asdict(), **rest})
        one = tally(self.count(number), self.cpu_ns(number)).model_dump()
        for name in ("wall_ns", "cpu_ns"):  # made up for a millisecond
            one[name] *= rest["duration_ms"]
        return {
            "tallies": [one] * rest["threads"],
            "clock": CLOCK.model_dump(),
            "duration_ns": 1_000_000 * rest["duration_ms"],
        }


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine on which every trial gives the same, and no time is stolen."""
    executable.read_build()  # asks the real executable, once a process
    made = Machine(lambda number: 1000)
    monkeypatch.setattr(process, "run_trial", made)
    monkeypatch.setattr(executable, "measure_clock", lambda: CLOCK)
    monkeypatch.setattr(trials, "steal_ticks", lambda cpus: 0)
    return made


def test_rounds(machine: Machine) -> None:
    """Each round has every cell once, in an order of its own; equal trials end after ten."""
    found = locknative.bench(["tas", "mcs", "ticket", "clh"], 1, seed=5)
    order = [trial.cell for trial in found.trials]
    rounds = [order[i : i + 4] for i in range(0, 40, 4)]
    assert 40 == len(order)
    assert [[0, 1, 2, 3]] * 10 == [sorted(part) for part in rounds]
    assert 1 < len({tuple(part) for part in rounds})
    assert list(range(40)) == [trial.number for trial in found.trials]


def test_a_seed_gives_the_order_again(machine: Machine) -> None:
    """Order and dice are those of the seed, which is recorded; another seed has others."""
    cells = (["tas", "mcs", "ticket"], 1)
    runs = [locknative.bench(*cells, seed=seed) for seed in (7, 7, 8)]
    orders = [[(trial.cell, trial.seed) for trial in run.trials] for run in runs]
    assert orders[0] == orders[1] != orders[2]
    drawn = locknative.bench(*cells)
    again = locknative.bench(*cells, seed=drawn.seed)
    assert [t.seed for t in drawn.trials] == [t.seed for t in again.trials]


def test_wide_cells_get_more(machine: Machine) -> None:
    """A cell goes on until its interval is narrow, or it has had its share of attempts."""
    machine.count = lambda number: 1000 + 300 * (number % 2)
    found = locknative.bench("tas", 1, stopping=Stopping(precision=0.01, trials=25))
    assert 25 == len(found.trials)
    assert not found.clean


def test_disturbed_trials_are_rejected_and_repeated(machine: Machine) -> None:
    """Every other trial is disturbed: twenty are run for ten that count."""
    machine.cpu_ns = lambda number: 1_000_000 if number % 2 else 900_000
    found = locknative.bench("tas", 1)
    assert Counter({True: 10, False: 10}) == Counter(bool(t.rejected) for t in found.trials)
    assert ENOUGH == found.ns_per_operation(0).n


def test_steal_rejects(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tick that was stolen during a trial rejects it."""
    ticks = iter(range(10_000))
    monkeypatch.setattr(trials, "steal_ticks", lambda cpus: next(ticks))
    found = locknative.bench("tas", 1, stopping=Stopping(trials=3))
    assert [("the hypervisor took 1 clock ticks",)] * 3 == [t.rejected for t in found.trials]


def test_time_is_up(machine: Machine) -> None:
    """However little time there is, each cell gets one trial."""
    found = locknative.bench(["tas", "mcs"], 1, stopping=Stopping(seconds=1e-9))
    assert {0, 1} == {trial.cell for trial in found.trials}
    assert 2 == len(found.trials)


def test_interrupted(machine: Machine) -> None:
    """After Ctrl-C there is what was measured; before the first trial it passes."""

    def stop_at(last: int) -> Any:
        def count(number: int) -> int:
            if number == last:
                raise KeyboardInterrupt
            return 1000

        return count

    machine.count = stop_at(3)
    found = locknative.bench("tas", 1)
    assert (3, False) == (len(found.trials), found.complete)
    machine.asked.clear()
    machine.count = stop_at(0)
    with pytest.raises(KeyboardInterrupt):
        locknative.bench("tas", 1)


def test_what_a_trial_is_asked(machine: Machine) -> None:
    """A ns becomes iterations by the measured rate, a fraction 65536ths; CPUs are the cell's."""
    locknative.bench(
        "rwlock", 1, hold_ns=100, think_ns=50.25, write_share=0.25, placement=[CPUS[-1]], option=3
    )
    asked = machine.asked[0]
    assert (200, 100, 16384) == (asked["hold"], asked["think"], asked["write_share"])
    assert ((CPUS[-1],), 3, False) == (asked["cpus"], asked["option"], asked["read"])


def test_every_combination_once(machine: Machine) -> None:
    """Cells are the product of what is given; a lock with one side has no shares to vary."""
    found = locknative.bench(["tas", "rwlock"], 1, hold_ns=[0, 5], write_share=[1, 0.5])
    assert [
        ("tas", 0.0, 1.0),
        ("tas", 5.0, 1.0),
        ("rwlock", 0.0, 1.0),
        ("rwlock", 0.0, 0.5),
        ("rwlock", 5.0, 1.0),
        ("rwlock", 5.0, 0.5),
    ] == [(cell.kernel, cell.hold_ns, cell.write_share) for cell in found.cells]


def test_the_empty_loop_comes_with_bare_pairs(machine: Machine) -> None:
    """Throughput is measured beside no lock at all; the read side on request."""
    found = locknative.bench("rwlock", 1, loop="throughput", write_share=0)
    assert ["rwlock", "none"] == [cell.kernel for cell in found.cells]
    assert {("rwlock", True), ("none", False)} == {(a["kernel"], a["read"]) for a in machine.asked}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernels": "tickt"}, "did you mean 'ticket'"),
        ({"loop": "latancy"}, "did you mean 'latency'"),
        ({"loop": "throughput", "hold_ns": 1}, "use the loop 'latency'"),
        ({"loop": "throughput", "write_share": 0.5}, "needs the latency loop"),
        ({"threads": 0}, "at least 1"),
        ({"threads": 4097}, "need 4097 CPUs"),
        ({"placement": "kompact"}, "did you mean 'compact'"),
        ({"hold_ns": -1}, "hold time must be at least 0"),
        ({"think_ns": float("nan")}, "think time must be at least 0"),
        ({"hold_ns": 1e12}, "must be at most"),
        ({"write_share": 1.5}, "from 0 to 1"),
        ({"duration_ms": 0}, "duration must be from 1"),
        ({"warmup_ms": -1}, "warm-up must be from 0"),
        ({"stopping": Stopping(precision=0)}, "precision must be between"),
        ({"stopping": Stopping(trials=0)}, "trials must be at least 1"),
        ({"stopping": Stopping(seconds=0)}, "seconds must be above 0"),
    ],
)
def test_refusals(machine: Machine, arguments: dict[str, Any], message: str) -> None:
    """What cannot be measured is refused before anything runs."""
    with pytest.raises(NativeError, match=message) as caught:
        locknative.bench(**{"kernels": "tas", "threads": 1, **arguments})
    assert 2 == caught.value.exit_code
    assert [] == machine.asked


def test_on_this_machine() -> None:
    """A small measurement with real processes: every lock is entered, and the record is whole."""
    found = locknative.bench(
        ["ticket", "rwlock"],
        1,
        write_share=0.5,
        duration_ms=2,
        warmup_ms=1,
        stopping=Stopping(trials=2),
    )
    assert 4 == len(found.trials)
    assert all(count > 0 for trial in found.trials for count in trial.counts)
    assert {("ticket, 1 thread", "write")} < {
        (row["lock"], row["side"]) for row in locknative.meter_rows(found)
    }
    assert "-fno-lto" in found.provenance.flags
    assert len(found.topology) >= len(CPUS)
