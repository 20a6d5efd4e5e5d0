"""``locklab check``: exit codes, JSON, messages."""

import json

import pytest
from typer.testing import CliRunner

from locksim.cli.check import CheckAnswer, app
from locksim.kinds.checking import clients_of
from locksim.library.locks.mcs import MCSLock

BAD = '''
from locksim.lang import *

class Bad(Lock):
    """Reads and writes in two steps."""

    locked = word()

    def acquire(self):
        while (yield self.locked.load(ACQUIRE)) != 0:
            yield pause()
        yield self.locked.store(1, RELAXED)

    def release(self):
        yield self.locked.store(0, RELEASE)
'''
LITMUS = """
from locksim.lang import *

class StoreBuffering(Workload):
    flag = array(2)
    seen = array(2)

    def thread(self):
        me = thread()
        yield self.flag[me].store(1, RELAXED)
        other = yield self.flag[1 - me].load(RELAXED)
        yield self.seen[me].store(other, RELAXED)

    def invariant(self):
        assert (yield self.flag[0].load()) <= 1
"""
ONE_SEES = "seen[0] == 1 or seen[1] == 1"


def run(*arguments):
    """Run the command."""
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def bad(tmp_path):
    """A file with a broken lock."""
    file = tmp_path / "bad.py"
    file.write_text(BAD)
    return f"{file}:Bad"


@pytest.fixture
def litmus(tmp_path):
    """A file with a workload."""
    file = tmp_path / "sb.py"
    file.write_text(LITMUS)
    return f"{file}:StoreBuffering"


def test_a_workload_and_what_is_expected_of_it(litmus):
    """Proven under sc; under tso a run ends with other values."""
    asked = (litmus, "--threads", 2, "--expect", ONE_SEES)
    assert 0 == run(*asked).exit_code
    result = run(*asked, "--memory", "tso")
    assert 1 == result.exit_code
    assert "seen[0] is 0, seen[1] is 0; expected: seen[0] == 1 or" in " ".join(
        result.stdout.split()
    )


def test_a_violated_expectation_replays(litmus, tmp_path):
    """The file carries the expectation."""
    found = run(litmus, "--threads", 2, "--memory", "tso", "--expect", ONE_SEES, "--json")
    file = tmp_path / "found.json"
    file.write_text(found.stdout)
    assert ONE_SEES == json.loads(found.stdout)["expect"]
    replayed = run("--replay", file)
    assert (0, "result: assertion") == (replayed.exit_code, replayed.stdout.strip()[-17:])


REGISTER = """
from locksim.lang import *

class Register(Struct):
    value = word()

    def write(self, value):
        yield self.value.store(value)

    def read(self):
        value = yield self.value.load()
        return value

class OwnCopies(Register):
    copies = array(2)

    def write(self, value):
        yield self.copies[thread()].store(value)

    def read(self):
        value = yield self.copies[thread()].load()
        return value
"""


@pytest.fixture
def register(tmp_path):
    """A file with a specification and an object that does not meet it."""
    file = tmp_path / "register.py"
    file.write_text(REGISTER)
    return file


def test_histories_are_compared_with_a_specification(register):
    """By the exit code, and with the operations of the one that does not fit."""
    spec = f"{register}:Register"
    assert 0 == run(spec, "--spec", spec).exit_code
    result = run(f"{register}:OwnCopies", "--spec", spec)
    assert 1 == result.exit_code
    assert "linearizability of " in result.stdout
    assert "no order of these operations is one of Register" in result.stdout
    weaker = ["--property", "sequential-consistency"]
    assert 0 == run(f"{register}:OwnCopies", "--spec", spec, *weaker).exit_code


def test_a_history_replays(register, tmp_path):
    """The file carries the specification and the client."""
    asked = (f"{register}:OwnCopies", "--spec", f"{register}:Register", "--memory", "tso")
    file = tmp_path / "found.json"
    file.write_text(run(*asked, "--json").stdout)
    replayed = run("--replay", file)
    assert (0, True) == (replayed.exit_code, "result: linearizability" in replayed.stdout)


def test_a_specification_of_the_library_has_a_name():
    """And a misspelt one is named."""
    asked = ("mcs", "--calls", "acquire(); release() | acquire(); release()")
    assert 0 == run(*asked, "--spec", "Mutex", "--memory", "c11").exit_code
    result = run(*asked, "--spec", "Mutx")
    assert (2, True) == (result.exit_code, "did you mean 'Mutex'?" in result.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--calls", "2"], "--calls needs --spec"),
        (["--spec", "Mutex", "--random", 3], "--spec makes its own clients"),
        (["--spec", "Mutex", "--expect", "x == 1"], "--spec makes its own clients"),
        (["--spec", "FIFO"], "has no enqueue(), as FIFO has"),
    ],
)
def test_what_makes_no_sense_with_a_specification_exits_with_2(arguments, message):
    """The message says what to do instead."""
    result = run("ticket", *arguments)
    assert (2, True) == (result.exit_code, message in result.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--expect", "seem[0] == 1"], "unknown word 'seem[0]'; did you mean 'seen[0]'?"),
        (["--expect", "seen[0] = 1"], "help: compare words with numbers"),
        (["--expect", ONE_SEES, "--random", 3], "--expect and --random cannot be used together"),
        (["--rounds", 2], "leave --rounds out"),
        (["--property", "starvation"], "StoreBuffering is none of these"),
    ],
)
def test_what_makes_no_sense_for_a_workload_exits_with_2(litmus, arguments, message):
    """The message says what to do instead."""
    result = run(litmus, "--threads", 2, *arguments)
    assert 2 == result.exit_code
    assert message in result.stderr


def test_proof_exits_with_0():
    """A line with the verdict and what it rests on."""
    result = run("ticket", "--threads", 2, "--memory", "tso")
    assert 0 == result.exit_code
    assert "ticket, 2 threads, tso, all: proven" in result.stdout


def test_violation_exits_with_1_and_shows_the_way(bad):
    """The table comes first, with lines of the user's file."""
    result = run(bad, "--threads", 2)
    assert 1 == result.exit_code
    assert "bad.py:10" in result.stdout
    assert "exclusion: two threads hold the lock: thread" in result.stdout
    assert "violated" in result.stdout


def test_budget_exits_with_3():
    """An exploration that is not finished says that it is no proof."""
    result = run("mcs", "--threads", 3, "--max-states", 50)
    assert 3 == result.exit_code
    assert "not finished, no proof" in result.stdout
    assert ": proven" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nope",), "unknown lock, cache or scheduler 'nope'"),
        (
            ("pinned",),
            "Pinned has no test clients: without run queues",
        ),
        (("ticket", "--memory", "arm"), "unknown memory model 'arm'"),
        (("ticket", "--threads", 0), "threads must be between 1 and 8 (got 0)"),
        (("ticket", "--max-time", "0s"), "the time must be above 0 s (got 0 s)"),
        (("ticket", "--property", "speed"), "unknown property 'speed'"),
        (("ticket", "--max-memory", "0B"), "memory must be at least 16,777,216 bytes (got 0)"),
        (("ticket", "--memory", "c11", "--depth", 0), "--depth must be between 1 and 60 (got 0)"),
        (("ticket", "--memory", "c11", "--property", "bypass"), "bypass under c11"),
        (("ticket", "--memory", "tso", "--depth", 65), "--depth must be between 1 and 64 (got 65)"),
        (("ticket", "--property", "linearizability"), "--property linearizability needs --spec"),
        (("ticket", "--reduction", "ordre"), "--reduction ordre: did you mean 'order'?"),
        (("ticket", "--out", "x.json"), "--out x.json: the file must end in .sarif or .litmus"),
        (("ticket", "--pct", 3), "--pct needs --random"),
        (("ticket", "--random", -1), "schedules must be between 1 and 1,000,000,000 (got -1)"),
    ],
)
def test_bad_input_exits_with_2(arguments, message):
    """One message on stderr and nothing on stdout."""
    result = run(*arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert message in result.stderr


def test_json_of_a_proof():
    """The keys of the contract, and no counterexample."""
    document = json.loads(run("tas", "--threads", 2, "--json").stdout)
    assert set(CheckAnswer.__annotations__) == set(document)
    assert ("proven", None) == (document["verdict"], document["counterexample"])
    assert document["states"] > 0


def test_json_of_a_violation(bad):
    """The steps: who, what, which word, which value, where; and the client's calls."""
    document = json.loads(run(bad, "--threads", 2, "--json").stdout)
    assert ("violated", "exclusion") == (document["verdict"], document["found"])
    steps, calls = (document["counterexample"][key] for key in ("steps", "calls"))
    assert [("lock.acquire", 2)] * 2 == [(call["call"], len(call["steps"])) for call in calls]
    assert 4 == len(steps)
    last = steps[-1]
    assert ("store", "lock.locked", 1) == (last["operation"], last["word"], last["new"])
    assert last["file"].endswith("bad.py")
    assert "self.locked.store(1, RELAXED)" in last["source"]
    assert [[], []] == last["buffers"]


def test_json_of_an_unfinished_check():
    """The depth and the reason are there."""
    document = json.loads(run("mcs", "--threads", 3, "--max-states", 50, "--json").stdout)
    assert "unfinished" == document["verdict"]
    assert document["depth"] > 0
    assert "50 states" in document["limits"][0]


def test_budget_of_memory_exits_with_3():
    """The number of states and the depth are told."""
    result = run("mcs", "--threads", 5, "--memory", "c11", "--max-memory", "16MiB")
    assert 3 == result.exit_code
    assert "not finished, no proof: the budget of 16777216 bytes was used up" in result.stdout
    assert "states, to depth" in result.stdout


def test_bypass_is_told():
    """The bound, and in JSON a number."""
    assert "proven, at most 2 overtake" in run("mcs", "--property", "bypass").stdout
    assert 2 == json.loads(run("mcs", "--property", "bypass", "--json").stdout)["bypass"]


def test_random_schedules_exit_with_3():
    """They find nothing wrong, which is no proof."""
    result = run("mcs", "--threads", 8, "--random", 50, "--seed", 3, "--pct", 2)
    assert 3 == result.exit_code
    drawn = 50 * len(clients_of(MCSLock, 8, 1))
    assert f"no proof: {drawn} schedules (by priorities, depth 2, seeds from 3)" in result.stdout


def test_old_value_is_shown():
    """Under C11 the step says that a load read what was not the last."""
    from checker.classics import Peterson

    from locksim.checker import check_lock
    from locksim.checker.replay.render import text

    verdict = check_lock(Peterson, threads=2, memory="c11", simplest=False)
    assert "(there is a newer" in text(verdict.counterexample, 140)


def test_no_reduction_explores_more_states():
    """The same verdict from all interleavings."""
    answers = [
        json.loads(run("mcs", "--threads", 2, "--json", *option).stdout)
        for option in ((), ("--reduction", "none"))
    ]
    assert ["proven", "proven"] == [answer["verdict"] for answer in answers]
    assert answers[0]["states"] < answers[1]["states"]


@pytest.mark.parametrize(
    ("text", "code", "rule", "line", "threads"),
    [
        (BAD, 1, "exclusion", 12, ["thread 0", "thread 1"]),
        (BAD.replace("pause()", "stop()"), 2, "unknown-name", 11, []),
    ],
)
def test_problems_for_editors(text, code, rule, line, threads, tmp_path, monkeypatch):
    """A counterexample's last step in the file, and the way there; or a mistake in the program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(text)
    done = CliRunner().invoke(app, ["bad.py:Bad", "--threads", "2", "--out", "out.sarif"])
    assert code == done.exit_code
    ((result,),) = [
        run["results"] for run in json.loads((tmp_path / "out.sarif").read_text())["runs"]
    ]
    place = result["locations"][0]["physicalLocation"]
    assert rule == result["ruleId"]
    assert ("bad.py", line) == (place["artifactLocation"]["uri"], place["region"]["startLine"])
    flows = [thread for flow in result.get("codeFlows", []) for thread in flow["threadFlows"]]
    assert threads == [thread["id"] for thread in flows]
