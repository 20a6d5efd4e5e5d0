"""The sandbox: what an attack gets, and that the same attack succeeds without one."""

import json
import os
import subprocess
import sys
from typing import cast

import pytest
from typer.testing import CliRunner

from lockgrader.sandbox import Job, Limits, SandboxError, available, run
from lockgrader.sandbox.job import Profile
from lockgrader.sandbox.probe import _HEAD, ATTACKS, Attack, _bait, examine_one
from lockgrader.sandbox.run import interpreter
from locksim.cli import doctor

PROFILES: tuple[Profile, ...] = ("namespaces", "platform")
HARMLESS = (
    "hidden files",
    "environment of the grader",
    "network",
    "network interfaces",
    "other processes",
    "rights",
    "memory that belongs to no process",
)


def python(code: str, profile: Profile = "namespaces", limits: Limits | None = None) -> Job:
    """A job that runs a line of Python."""
    return Job((interpreter(profile), "-I", "-S", "-c", code), limits=limits or Limits())


@pytest.fixture(params=PROFILES)
def profile(request: pytest.FixtureRequest) -> Profile:
    """Every profile that this machine can make; the others are skipped with the reason."""
    reason = available(request.param)
    if reason:
        pytest.skip(f"no sandbox of profile {request.param}: {reason}")
    return cast(Profile, request.param)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_attack_fails(attack: Attack, profile: Profile) -> None:
    """No protection gives way."""
    if attack.namespaces and profile == "platform":
        return  # not promised there: grader/README.md
    with _bait() as (secret, token):
        found = examine_one(attack, profile, secret, token)
    assert ("ok", found.found) == (found.status, found.found)


@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.name in HARMLESS], ids=lambda a: a.name)
def test_attack_succeeds_without_a_sandbox(attack: Attack) -> None:
    """An attack that nothing can make succeed would prove nothing."""
    with _bait() as (secret, token):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _HEAD + attack.code, secret, token],
            capture_output=True,
            timeout=120,
            env=dict(os.environ),
        )
    if attack.name == "network interfaces" and not done.stdout:
        pytest.skip("this machine has no network interface to see")
    assert done.stdout.startswith(b"broken")


def test_output_and_input_pass(profile: Profile) -> None:
    """Bytes go in, bytes come out, on both streams."""
    code = "import sys; d = sys.stdin.buffer.read(); print(len(d)); print(sum(d), file=sys.stderr)"
    argv = python(code, profile).argv
    outcome = run(Job(argv, stdin=b"\x02" * 300_000), profile)
    assert (b"300000\n", b"600000\n", "exited", 0) == (
        outcome.stdout,
        outcome.stderr,
        outcome.ended,
        outcome.code,
    )


def test_output_is_cut_at_the_limit(profile: Profile) -> None:
    """Not one byte more than the limit is kept, whatever a job writes."""
    limits = Limits(output_bytes=1000)
    outcome = run(python("print('x' * 5000)", profile, limits), profile)
    assert ("output_limit", 1000) == (outcome.ended, len(outcome.stdout))


def test_nothing_of_the_grader_is_passed_on(profile: Profile, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """The environment inside is what the job names and three words of ours."""
    monkeypatch.setenv("COURSE_KEY", "secret")
    job = python("import os; print(sorted(os.environ))", profile)
    outcome = run(Job(job.argv, environment={"ASKED": "1"}), profile)
    names = set(eval(outcome.stdout))
    assert {"ASKED", "HOME", "TMPDIR"} == names - {"LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH"}


def test_no_bubblewrap_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the sandbox nothing is run, and the message says what to install."""
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        run(python("print(1)"))


def test_a_sandbox_that_does_not_start_is_no_answer(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A bubblewrap that fails, or that prints what a job would print, gives no outcome."""
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: no namespaces for you' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="no namespaces for you"):
        run(python("print(1)"))


def test_filter_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that the kernel refuses ends the sandbox before the job starts."""
    if available():
        pytest.skip(f"no sandbox: {available()}")
    monkeypatch.setattr("lockgrader.sandbox.filter.program", lambda profile: b"\xff" * 16)
    with pytest.raises(SandboxError, match="seccomp filter"):
        run(python("print('ran')"))


def test_unknown_profile_is_refused() -> None:
    """A misspelt profile is refused; it does not become a weaker sandbox."""
    with pytest.raises(SandboxError, match="unknown sandbox profile 'none'"):
        run(python("print(1)"), "none")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["wall_s", "cpu_s", "memory_bytes", "processes"])
def test_limits_are_positive(name: str) -> None:
    """A limit of zero would be no limit to some of the mechanisms."""
    with pytest.raises(SandboxError, match=name):
        Limits(**{name: 0})


def test_doctor_attacks_and_counts() -> None:
    """The command finds what the attacks find, as JSON, and fails if one succeeds."""
    if available():
        pytest.skip(f"no sandbox: {available()}")
    done = CliRunner().invoke(doctor.app, ["--sandbox", "namespaces", "--json"])
    document = json.loads(done.stdout)
    assert {"ok"} == {check["status"] for check in document["checks"]}
    assert (0, len(ATTACKS) + 1) == (done.exit_code, document["summary"]["ok"])
    assert 2 == CliRunner().invoke(doctor.app, ["--sandbox", "none"]).exit_code


SLEEPERS = {
    "lock": "import threading; l = threading.Lock(); l.acquire(); l.acquire()",
    "clock": "import time; time.sleep(1000)",
    "stopped": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "select": "import os, select; select.select([os.pipe()[0]], [], [])",
    "child": "import os, time\nif os.fork() == 0: time.sleep(1000)\nos.wait()",
    "zombie": "import os, time\nif os.fork() == 0: os._exit(0)\ntime.sleep(1000)",
    "threads": "import threading, time\nfor _ in range(3):\n"
    "    threading.Thread(target=time.sleep, args=(1000,)).start()",
}


def test_what_sleeps_for_ever_is_ended() -> None:
    """By a deadlock that no other work can bring about; what computes now and then goes on."""
    limits = Limits(wall_s=60, asleep_s=0.5)
    if reason := available():
        pytest.skip(reason)
    for sleeps in SLEEPERS.values():
        assert "asleep" == run(python(sleeps, limits=limits)).ended, sleeps
    works = "import time\nfor _ in range(20): time.sleep(0.1); sum(range(300_000))\nprint(1)"
    assert b"1\n" == run(python(works, limits=limits)).stdout


def test_the_kernel_says_that_the_time_was_up(profile: Profile) -> None:
    """At equal limits it would send the signal that also ends what takes too much memory."""
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"
    assert b"(6, 7)\n" == run(python(code, profile)).stdout
