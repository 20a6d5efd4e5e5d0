"""A student's own measurement: predicted first, made properly, and not made up.

What is judged is invented, so that each machine gets the same verdict; one test measures.
"""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from made_up import consistent
from tiny_lab import make_whole

import locknative
from lockgrader.author import bundle
from lockgrader.finding import Finding
from lockgrader.kinds.measurement import Cell, Measurement
from lockgrader.read.record import Locked
from lockgrader.submitted import Submitted
from lockgrader.workspace import folder as ws
from lockgrader.workspace.attempt import attempt
from locknative import Stopping

CHECK = Measurement(
    kind="measurement",
    name="own",
    title="Own",
    points=9,
    file="m.json",
    cell=Cell(kernel="ticket", threads=2, think_ns=500),
    answer="own_ns",
)
PREDICTED = [1000.0, 9000.0]
MADE = consistent(("ticket",), each=11).model_dump_json().encode()
TOML = """
[[check]]
name = "own"
title = "Own"
kind = "measurement"
file = "m.json"
cell = { kernel = "ticket", threads = 2 }
answer = "own_ns"
points = 2
hints = ["predict"]
"""


def handed_in(made: bytes = MADE, before_s: float = 60.0) -> Submitted:
    """A submission whose prediction was locked some seconds before the measurement."""
    began = datetime.fromisoformat(json.loads(made)["began"])
    at = began - timedelta(seconds=before_s)
    locked = {"own_ns": Locked(values=tuple(PREDICTED), at=at)}
    return Submitted(answers={"own_ns": PREDICTED}, locked=locked, files={"m.json": made})


def prediction(found: Finding) -> str:
    """What the finding says about the prediction."""
    return found.message.rpartition("; ")[2]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_an_honest_one_is_judged() -> None:
    """Two things count; how good they are depends on the machine, and its speed is none."""
    short = Stopping(trials=11)
    made = locknative.bench(
        "ticket", 2, think_ns=500.0, duration_ms=10, warmup_ms=1, stopping=short
    )
    found = CHECK.judge(handed_in(made.model_dump_json().encode()))
    assert "contradicts" != found.tag
    assert prediction(found).startswith("the interval 1000 to 9000 ")
    assert ["undisturbed trials", "half width of the interval"] == [r.what for r in found.rows]


def test_a_good_one() -> None:
    """Ten undisturbed trials of one length, beside a prediction of them."""
    found = CHECK.judge(handed_in())
    assert "median 1667 ns" in found.message
    assert "the interval 1000 to 9000 holds it" == prediction(found)
    assert ("pass", [1.0, 1.0]) == (found.verdict, [row.share for row in found.rows])


def test_the_interval_of_disturbed_trials_earns_nothing() -> None:
    """However narrow it is: no trial measured the lock alone."""
    made = consistent(("ticket",), each=11, disturbed=range(11))
    found = CHECK.judge(handed_in(made.model_dump_json().encode()))
    assert [0.0, 0.0] == [row.share for row in found.rows], found.message
    assert "no undisturbed trial" == found.rows[1].says


def test_the_record_decides_no_points() -> None:
    """A prediction that was locked later, or never, or that misses, is only said."""
    late = CHECK.judge(handed_in(before_s=-60.0))
    assert "before the prediction was locked" in late.message
    never = CHECK.judge(replace(handed_in(), locked={}))
    assert "no record.json" in prediction(never)
    missed = CHECK.judge(replace(handed_in(), answers={"own_ns": [1.0, 2.0]}))
    honest = CHECK.judge(handed_in())
    for one in (late, never, missed):
        assert (honest.verdict, honest.rows) == (one.verdict, one.rows)


def test_a_prediction_must_say_something() -> None:
    """Without one, a measurement earns nothing."""
    found = CHECK.judge(replace(handed_in(), answers={"own_ns": [1.0, 1e6]}))
    assert ("malformed_output", 0.0) == (found.verdict, found.share)


def test_an_edited_file_earns_nothing() -> None:
    """One count is twice as large: the samples of the trial do not fit."""
    document = json.loads(MADE)
    document["trials"][4]["tallies"][0]["count"] *= 2
    found = CHECK.judge(handed_in(json.dumps(document).encode()))
    assert ("fail", 0.0, "contradicts") == (found.verdict, found.share, found.tag)
    assert "trial 4, thread 0" in found.message


@pytest.mark.parametrize(
    ("change", "verdict", "words"),
    [
        ({"trials": []}, "fail", "holds no measurement"),
        ({"seconds": "soon"}, "malformed_output", "seconds"),
        ({"format": 2}, "malformed_output", "m.json: it has format 2, and LockLab"),
        ({"began": "2026-01-01"}, "fail", "no zone"),
        ({"began": "soon"}, "fail", "cannot be computed with"),
        ({"precision": float("nan")}, "fail", ""),
    ],
)
def test_what_is_no_measurement(change: dict[str, object], verdict: str, words: str) -> None:
    """Each gets a verdict, and none stops the grader."""
    odd = json.dumps(json.loads(MADE) | change).encode()
    found = CHECK.judge(replace(handed_in(), files={"m.json": odd}))
    assert verdict == found.verdict or not words
    assert words in found.message


def test_another_cell_and_none() -> None:
    """Another load is not this one; an empty file and no file are not a measurement yet."""
    other = CHECK.model_copy(update={"cell": Cell(kernel="mcs", threads=2)})
    assert "another-cell" == other.judge(handed_in()).tag
    for files in ({}, {"m.json": b"{}\n"}):
        found = CHECK.judge(replace(handed_in(), files=files))
        assert ("no_output", "missing") == (found.verdict, found.tag)
        assert "your prediction is locked" in found.message


def test_the_check_locks_its_prediction(tmp_path: Path) -> None:
    """At home its first run does, alone: other predictions neither wait for it nor hold it up."""
    lab = make_whole(tmp_path / "lab99-tiny")
    text = (lab / "lab.toml").read_text().replace("answers =", 'data = ["m.json"]\nanswers =')
    (lab / "lab.toml").write_text(text + TOML)
    files = bundle.read(lab).files
    mine = ws.start(files, tmp_path / "work", student="ada", draw=lambda _: {"machine": "ideal-8"})

    def message(answers: str) -> str:
        (mine.folder / "answers.json").write_text(answers)
        return attempt(mine, profile="unconfined", only=["own"]).checks[0].message

    assert 'predict first: write "own_ns": [low, high]' in message("{}")
    assert {} == mine.state.predictions
    began = datetime.now(UTC)
    assert "your prediction is locked" in message('{"own_ns": [80, 120]}')
    assert {"own_ns"} == set(mine.state.predictions)
    assert "your prediction is locked" in message('{"own_ns": [1, 2]}')
    locked = mine.state.predictions["own_ns"]
    assert (80.0, 120.0) == locked.values
    assert began <= locked.at <= datetime.now(UTC)
