"""C submissions from end to end: right, wrong, slow, and in a tool's way."""

from dataclasses import replace
from pathlib import Path

import pytest
from c_lab import LAB

from lockgrader.c import compile_c, interface, judge_c, run, tools
from lockgrader.c.build import TOOLS, Compiled
from lockgrader.c.interfaces import INTERFACES
from lockgrader.finding import Finding
from lockgrader.grade import grade
from lockgrader.kinds.c import C
from lockgrader.lab import LabError, load
from lockgrader.read.refused import Refused
from lockgrader.result import Result
from lockgrader.sandbox import Profile, SandboxError, available
from locknative.compilation import toolchain

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

AVC = interface("avc")
RIGHT = (AVC.folder / "reference.c").read_text()


def check(tool: str, **more: object) -> C:
    """A small check of a tool."""
    given = {"name": "c", "title": "C", "points": 10, "kind": "c", "tool": tool, "operations": 120}
    if tool == "explorer":
        given |= {"scenario": "replace"}
    return C.model_validate(given | more)


def judged(text: str, tool: str, **more: object) -> Finding:
    """What a tool finds in a text."""
    try:
        compiled = compile_c(text.encode(), "avc_rcu.c", AVC, (tool,), "namespaces")
    except Refused as error:
        return Finding(error.verdict, message=error.message)
    return judge_c(check(tool, **more), compiled, "namespaces")


@pytest.mark.parametrize("tool", TOOLS)
def test_right(tool: str) -> None:
    """Every tool lets a right cache pass, and finds each of its own canaries."""
    found = judged(RIGHT, tool)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


def test_graded_twice(tmp_path: Path) -> None:
    """From a lab's folder to a result, twice the same."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.toml").write_text(LAB)
    (tmp_path / "avc_rcu.c").write_text(RIGHT)

    def graded() -> Result:
        return grade(load(tmp_path / "lab"), tmp_path / "avc_rcu.c", student="ada", key=b"k" * 16)

    first = graded()
    assert ("pass", 10.0) == (first.checks[0].verdict, first.checks[0].points)
    assert first.decided() == graded().decided()


def test_nothing_handed_in(tmp_path: Path) -> None:
    """A submission without the C file loses the C checks."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.toml").write_text(LAB)
    result = grade(load(tmp_path / "lab"), tmp_path, student="ada", key=b"k" * 16)
    assert "no_output" == result.checks[0].verdict


def test_counterexample_names_the_place() -> None:
    """The explorer's finding comes with lines, and the player can show it."""
    found = judged(RIGHT.replace("        at->decision = *decision;\n", "", 1), "explorer")
    assert "fail" == found.verdict
    assert found.counterexample is not None
    assert "avc_rcu.c" in {step["file"] for step in found.counterexample["steps"]}
    assert "explored.c" in found.message


def test_sanitizers_report_names_the_place() -> None:
    """An index too many is the line's fault."""
    text = RIGHT.replace(
        "        found->used = true;",
        "        (&found->used)[sizeof(*found)] = true;\n        found->used = true;",
    )
    found = judged(text, "asan")
    assert ("fail", "heap-buffer-overflow") == (found.verdict, found.tag)
    assert "avc_rcu.c:" in found.message


@pytest.mark.parametrize("tool", ["validate", "asan", "explorer"])
def test_an_early_end_is_no_pass(tool: str) -> None:
    """abort() in the middle leaves nothing to judge."""
    found = judged(RIGHT.replace("return forgotten;", "abort();"), tool, scenario="reclaim")
    assert found.verdict in ("student_error", "fail")


def test_a_tool_that_is_silent_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where our own reference does not wake it either, the fault is ours."""
    monkeypatch.setattr(run, "_caught", lambda expected, found: False)
    assert "grader_error" == judged(RIGHT, "validate").verdict


def test_a_tool_that_the_submission_silences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the reference wakes it, the fault is the submission's."""
    compiled = compile_c(RIGHT.encode(), "avc_rcu.c", AVC, ("validate",), "namespaces")
    true_runs = run._all_runs

    def silenced(
        one: C, judged: Compiled, profile: Profile
    ) -> tuple[list[Finding], dict[int, Finding]]:
        real, canaries = true_runs(one, judged, "namespaces")
        if judged.file == "avc_rcu.c":
            canaries = {n: Finding("pass", 1.0) for n in canaries}
        return real, canaries

    monkeypatch.setattr(run, "_all_runs", silenced)
    found = judge_c(check("validate"), compiled, "namespaces")
    assert ("forbidden_operation", "silenced") == (found.verdict, found.tag)


def test_a_canary_that_had_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is too busy to test a tool accuses no student."""
    compiled = compile_c(RIGHT.encode(), "avc_rcu.c", AVC, ("validate",), "namespaces")
    canaries = {1: Finding("grader_error"), 2: Finding("pass", 1.0), 3: Finding("pass", 1.0)}
    monkeypatch.setattr(run, "_all_runs", lambda *_: ([Finding("pass", 1.0)], canaries))
    assert "grader_error" == judge_c(check("validate"), compiled, "namespaces").verdict


def test_what_does_not_come_again_takes_no_points() -> None:
    """Torture has to go wrong each time."""
    wrong, right = Finding("fail", tag="wrong-answer"), Finding("pass", 1.0)
    one = check("torture")
    assert "pass" == run._together(one, [right, wrong, right]).verdict
    assert "fail" == run._together(one, [wrong, wrong, wrong]).verdict


def test_no_compiler_under_platform() -> None:
    """The other profile starts no processes, so nothing is compiled there."""
    with pytest.raises(Refused, match="'namespaces' only") as error:
        compile_c(RIGHT.encode(), "avc_rcu.c", AVC, ("validate",), "platform")
    assert "grader_error" == error.value.verdict


def test_compiler_outside_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler outside the sandbox is refused."""
    monkeypatch.setattr(toolchain, "compiler", lambda: "/opt/cc")
    with pytest.raises(SandboxError, match="install the distribution's"):
        tools.compiler()


def test_unknown_names() -> None:
    """A lab's mistakes are reported."""
    with pytest.raises(LabError, match="there are avc"):
        interface("lru")
    with pytest.raises(LabError, match="there are replace"):
        AVC.scenario("nothing")


def test_each_tool_has_canaries() -> None:
    """No tool's silence is believed untried."""
    for one in INTERFACES.values():
        assert set(TOOLS) == set(one.canaries)
        assert all(one.canaries.values())


BEGIN = "    unsigned forgotten = 0;\n"
LOOP = RIGHT.replace(
    BEGIN,
    f"{BEGIN}    for (unsigned i = 2; i != 0; i ^= i << 5)\n        i ^= i << 13, i ^= i >> 17;\n",
)
"""Which numbers come, no compiler knows; 0 is none of them (Marsaglia's xorshift)."""


@pytest.mark.parametrize("tool", ["validate", pytest.param("tsan", marks=pytest.mark.slow)])
def test_a_loop_without_an_end(tool: str) -> None:
    """It is counted, not timed: the verdict is the same on any machine."""
    found = judged(LOOP, tool)
    assert ("fail", "endless") == (found.verdict, found.tag), found.message
    assert "of 240 is not over" in found.message


def test_an_empty_loop() -> None:
    """The compiler leaves nothing in it that could be counted."""
    found = judged(RIGHT.replace(BEGIN, f"{BEGIN}    for (;;)\n        continue;\n"), "validate")
    assert "student_error" == found.verdict
    assert "avc_rcu.c: an empty loop without an end" in found.message


def test_a_loop_under_the_explorer() -> None:
    """Likewise, though it touches no memory."""
    found = judged(LOOP, "explorer", scenario="reclaim")
    assert ("fail", "unfinished") == (found.verdict, found.tag), found.message
    assert "an endless loop" in found.message


def test_a_guard_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on time costs no points, and its other runs are not waited for."""
    monkeypatch.setitem(run.LIMITS, "validate", replace(run.LIMITS["validate"], cpu_s=0.05))
    found = judged(LOOP, "validate")
    assert "grader_error" == found.verdict
    assert "validate: not decided, and no points are lost" in found.message


def test_a_deadlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads sleep, so none will go on, however long one waits."""
    monkeypatch.setitem(run.LIMITS, "validate", replace(run.LIMITS["validate"], asleep_s=0.5))
    found = judged(RIGHT.replace(BEGIN, f"{BEGIN}    pthread_mutex_lock(&lock);\n"), "validate")
    assert ("fail", "asleep") == (found.verdict, found.tag), found.message
    assert "nothing goes on" in found.message


def test_too_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the budget ends, the last bound that is complete counts; below 1 nothing is decided."""
    few = judged(RIGHT, "explorer", scenario="writers", runs=300, preemptions=3)
    assert "pass" == few.verdict, few.message
    assert "up to 2 preemptions" in few.message
    none = judged(RIGHT, "explorer", scenario="writers", runs=3, preemptions=3)
    assert "grader_error" == none.verdict, none.message
    assert "there are more" in none.message


def test_words_of_one_thread_make_no_runs() -> None:
    """A cache with many mutexes is searched like one with a single one."""
    many = RIGHT.replace("static pthread_mutex_t lock =", "static pthread_mutex_t more[64], lock =")
    touch = "    for (int i = 0; i < 64; i++)\n        pthread_mutex_unlock(&more[i]);\n"
    many = many.replace(BEGIN, BEGIN + touch.replace("unlock", "lock") + touch)
    found = judged(many, "explorer", scenario="reclaim", preemptions=3)
    assert "pass" == found.verdict, found.message
    assert "up to 3 preemptions" in found.message
