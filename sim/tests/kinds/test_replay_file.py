"""``locklab check --replay``: what a file shows, and which files are refused."""

import json

import pytest
from typer.testing import CliRunner

from locksim.cli.check import app

BAD = """
from locksim.lang import *

class Bad(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.load(ACQUIRE)) != 0:
            yield pause()
        yield self.locked.store(1, RELAXED)

    def release(self):
        yield self.locked.store(0, RELEASE)
"""


def run(*arguments):
    """Run the command."""
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def bad(tmp_path):
    """A file with a broken lock."""
    file = tmp_path / "bad.py"
    file.write_text(BAD)
    return file


def written(tmp_path, *arguments):
    """A verdict in a file."""
    file = tmp_path / "found.json"
    file.write_text(run(*arguments, "--json").stdout)
    return file


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_counterexample_is_replayed(tmp_path, bad, memory):
    """The table once more, and what the replay shows."""
    file = written(tmp_path, f"{bad}:Bad", "--threads", 2, "--memory", memory)
    result = run("--replay", file)
    assert 0 == result.exit_code
    assert "result: exclusion" in result.stdout
    document = json.loads(run("--replay", file, "--json").stdout)
    assert (True, "exclusion") == (document["replayed"], document["found"])
    assert document["counterexample"]["steps"]


def test_cycle_is_replayed(tmp_path):
    """Round and round."""
    file = written(tmp_path, "tas", "--threads", 2, "--property", "starvation")
    result = run("--replay", file)
    assert 0 == result.exit_code
    assert "from here on, again and again:" in result.stdout
    assert "result: starvation" in result.stdout


def test_sampled_counterexample_is_replayed(tmp_path, bad):
    """It is one like any other."""
    file = written(tmp_path, f"{bad}:Bad", "--threads", 8, "--random", 500)
    assert "result: exclusion" in run("--replay", file).stdout


def test_changed_step_is_refused(tmp_path, bad):
    """A value that is not found there."""
    file = written(tmp_path, f"{bad}:Bad", "--threads", 2)
    document = json.loads(file.read_text())
    document["counterexample"]["steps"][1]["old"] = 5
    file.write_text(json.dumps(document))
    result = run("--replay", file)
    assert (2, "") == (result.exit_code, result.stdout)
    assert "does not replay: step 2 (load lock.locked) finds 0" in result.stderr


def test_mended_lock_is_refused(tmp_path, bad):
    """The steps are no longer those of the lock."""
    file = written(tmp_path, f"{bad}:Bad", "--threads", 2)
    mended = BAD.replace("self.locked.load(ACQUIRE)", "self.locked.swap(1, ACQUIRE)")
    bad.write_text(mended.replace("        yield self.locked.store(1, RELAXED)\n", ""))
    result = run("--replay", file)
    assert 2 == result.exit_code
    assert "has the lock changed since?" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is not a verdict"), ("{}", "is not a verdict: lock"), ("[1]", "is not a verdict")],
)
def test_what_is_no_verdict_is_refused(tmp_path, text, message):
    """Also what is no JSON at all."""
    file = tmp_path / "found.json"
    file.write_text(text)
    result = run("--replay", file)
    assert (2, "") == (result.exit_code, result.stdout)
    assert message in result.stderr


def test_proof_has_nothing_to_replay(tmp_path):
    """The message says what the verdict is."""
    file = written(tmp_path, "tas", "--threads", 2)
    assert "the verdict is 'proven', without a counterexample" in run("--replay", file).stderr


def test_missing_file_is_refused(tmp_path):
    """With the reason."""
    assert "cannot be read: No such file" in run("--replay", tmp_path / "none.json").stderr


@pytest.mark.parametrize("arguments", [(), ("tas", "--replay", "x.json")])
def test_lock_or_file_but_not_both(arguments):
    """One of them is needed."""
    result = run(*arguments)
    assert 2 == result.exit_code
    assert "name a lock or a file to --replay" in result.stderr
