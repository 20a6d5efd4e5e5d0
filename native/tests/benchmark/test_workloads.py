"""Workloads on real cores: every variant does its work, and a measurement says what it is worth."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import locknative
from locknative import NativeError, Provenance
from locknative.benchmark.workloads import (
    OPERATIONS,
    UNITS,
    Mix,
    WorkloadComparison,
    WorkloadTrial,
    measure,
    operation_number,
    variants,
    workloads,
)
from locknative.cli.workload import app
from locknative.compilation import executable
from locknative.survey import process
from locknative.survey.cells import Cell

CPUS = sorted(os.sched_getaffinity(0))
CACHES = ["none", "spinlock", "rwlock", "slot", *(["rcu"] if locknative.has_urcu else [])]
MOMENT_S = 0.02


def test_names() -> None:
    """Four workloads; three with every cache, and the database mix with three kinds of walk."""
    found = workloads()
    assert set(UNITS) == set(found)
    assert [CACHES] * 3 == [found[name] for name in ("rcutest", "chatroom", "lmbench")]
    assert ["seqwriter", "seqrwlock", "seqretry"] == found["slob"]


@pytest.mark.parametrize("cache", CACHES)
def test_rcutest(cache: str) -> None:
    """Both threads write and seek, and nothing fails."""
    (trial,) = measure("rcutest", [cache], 2, MOMENT_S, 1).trials
    assert min(trial.counts) > 0
    assert 0 == trial.failures


@pytest.mark.parametrize("cache", CACHES)
def test_chatroom(cache: str) -> None:
    """Two users: clients send and receive, about as much as each other; servers do not count."""
    for seconds in (0.3, 3.0, 30.0):  # on a busy machine no message may arrive in a short time
        (trial,) = measure("chatroom", [cache], 8, seconds, 1).trials
        if min(trial.counts[i] for i in (0, 1, 4, 5)) > 0:
            break
    assert [0, 0, 0, 0] == [trial.counts[i] for i in (2, 3, 6, 7)]
    assert min(trial.counts[i] for i in (0, 1, 4, 5)) > 0
    assert 0 == trial.failures
    # Whatever is under way fits into queues and socket buffers.
    sent, received = trial.counts[0] + trial.counts[4], trial.counts[1] + trial.counts[5]
    assert received <= sent + 4


def test_chatroom_counts_all_who_hear() -> None:
    """In a room of five each message is heard four times, but for what is on its way."""
    (trial,) = measure("chatroom", ["none"], 20, 1.0, 1).trials
    sent, received = sum(trial.counts[0::4]), sum(trial.counts[1::4])
    connection = 2 * (16384 + 87380) // 100  # Linux doubles what is asked for
    on_the_way = 4 * 5 * (connection + 1) + 5 * (64 + connection)
    assert received > 0
    assert abs(4 * sent - received) <= on_the_way


@pytest.mark.parametrize("operation", OPERATIONS)
def test_lmbench(operation: str) -> None:
    """Every operation works, with the checks and without."""
    mix = Mix(option=operation_number(operation))
    measured = measure("lmbench", ["none", CACHES[-1]], 1, MOMENT_S, 1, mix=mix)
    assert [0, 0] == [row.failures for row in measured.rows]
    assert min(row.per_second for row in measured.rows) > 0


def test_lmbench_leaves_no_file() -> None:
    """The files that an operation needs are gone afterwards."""
    measure("lmbench", ["none"], 2, MOMENT_S, 1, mix=Mix(option=operation_number("stat")))
    assert [] == list(Path("/tmp").glob(f"locklab-lmbench-{os.getpid()}-*"))


@pytest.mark.parametrize("walk", ["seqwriter", "seqrwlock", "seqretry"])
def test_slob(walk: str) -> None:
    """Transactions get through, and the share that writes is about the one asked for."""
    cell = Cell(f"slob_{walk}", (), write_share=65536 // 4)
    trial = process.run_trial(executable.path(), cell, threads=2, duration_ms=50, warmup_ms=0)
    count, writes, torn = (
        sum(tally[name] for tally in trial["tallies"]) for name in ("count", "writes", "torn")
    )
    assert 0 == torn
    assert abs(writes - count / 4) <= 5 * (count * 3 / 16) ** 0.5 + 1


def test_a_failed_preparation_names_the_reason(run_python: Callable[[str], str]) -> None:
    """Without a file to be had, the message says so, and what may be done."""
    assert "Too many open files True 2" == run_python(
        """
        import resource
        from locknative import NativeError
        from locknative.benchmark.workloads import measure
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
        try:
            measure("rcutest", ["none"], 40, 0.001, 1)
        except NativeError as error:
            text = str(error)
            reason = "Too many open files"
            print(reason if reason in text else text, "ulimit -n" in text, error.exit_code)
        """
    )


QUIET = Provenance("a CPU", "6.1", False, False, (), (0,), "GNU 12", "-O2", 7, 7)


def trial(variant: str, count: int, **changes: object) -> WorkloadTrial:
    """Return a trial of a second on one thread."""
    fields = {"failures": 0, "provenance": QUIET, **changes}
    return WorkloadTrial(variant=variant, counts=(count,), wall_ns=(10**9,), **fields)  # type: ignore[arg-type]


def test_rows() -> None:
    """A row is the median, the least and the most, relative to the first variant asked for."""
    trials = tuple(
        trial(variant, count) for count in (10, 30, 20) for variant in ("none", "spinlock")
    )
    measured = WorkloadComparison("rcutest", "", ("spinlock", "none"), 1, 1.0, Mix(), trials)
    assert ["spinlock", "none"] == [row.variant for row in measured.rows]
    assert (20.0, 10.0, 30.0, 1.0) == (
        *(measured.rows[1].per_second, measured.rows[1].low, measured.rows[1].high),
        measured.rows[1].relative,
    )


def test_warnings() -> None:
    """Few trials and failures are warnings; ten quiet trials without failures are clean."""

    def warnings(trials: int, **changes: object) -> list[str]:
        run = tuple(trial("none", 1, **changes) for _ in range(trials))
        return list(WorkloadComparison("rcutest", "", ("none",), 1, 1.0, Mix(), run).warnings)

    assert [] == warnings(10)
    assert ["9 trials"] == [warning[:8] for warning in warnings(9)]
    assert ["some units"] == [warning[:10] for warning in warnings(10, failures=1)]


def test_order_of_trials() -> None:
    """Every variant gets its trials, in an order that the seed decides."""

    def order(seed: int) -> list[str]:
        chosen = ["none", "slot"]
        measured = measure("rcutest", chosen, 1, 0.001, 6, mix=Mix(seed=seed))
        return [trial.variant for trial in measured.trials]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert ["none"] * 6 + ["slot"] * 6 == sorted(order(1))


def test_affinity_is_left_alone() -> None:
    """Trials are held to their CPUs; the caller's own mask stays."""
    measure("rcutest", ["none"], 3, 0.001, 1, cpus=CPUS[:1])
    assert CPUS == sorted(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (lambda: variants("chatrom"), "did you mean 'chatroom'"),
        (lambda: measure("rcutest", ["spinlok"]), "did you mean 'spinlock'"),
        (lambda: measure("rcutest", threads=0), "at least 1"),
        (lambda: measure("rcutest", trials=0), "trials must be at least 1"),
        (lambda: measure("rcutest", duration_s=0), "duration must be above 0"),
        (lambda: measure("rcutest", cpus=[4096]), "CPU 4096 cannot be used"),
        (lambda: operation_number("statt"), "did you mean 'stat'"),
    ],
)
def test_refusals(request_: Callable[[], object], message: str) -> None:
    """An impossible request is refused with what was found and what to do."""
    with pytest.raises(NativeError, match=message) as caught:
        request_()
    assert 2 == caught.value.exit_code


def test_command() -> None:
    """The command prints a row for each variant; with --json nothing but the document."""
    arguments = ["slob", "--duration", "10ms", "--trials", "1", "--threads", "2"]
    text = CliRunner().invoke(app, arguments)
    assert 0 == text.exit_code
    assert all(f"\n  {name}" in text.stdout for name in variants("slob"))
    document = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert variants("slob") == [row["variant"] for row in document["rows"]]
    assert 3 == len(document["trials"])
    assert document["warnings"]


def test_command_refuses() -> None:
    """A mistake is one line on stderr and exit code 2."""
    for arguments in (
        ["chatrom"],
        ["lmbench", "--operation", "fly"],
        ["chatroom", "--rooms", "0"],
        ["slob", "--set", "own-key=2"],
    ):
        result = CliRunner().invoke(app, arguments)
        assert (2, "") == (result.exit_code, result.stdout)
        assert result.stderr.startswith("error: ")
