"""How the explorer searches: bounds, random runs, replay, limits."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from locknative.errors import NativeError
from locknative.explorer import Estimate, Exploration, Program, Search, estimate
from locknative.explorer.search import _reported, run

PROGRAMS = Path(__file__).parents[1] / "programs"


@pytest.fixture(scope="module")
def broken() -> Iterator[Program]:
    """Peterson's lock without the order that TSO needs."""
    with Program([PROGRAMS / "peterson.c"], ["ORDER=memory_order_release"]) as program:
        yield program


@pytest.fixture(scope="module")
def right() -> Iterator[Program]:
    """Peterson's lock."""
    with Program([PROGRAMS / "peterson.c"]) as program:
        yield program


def test_a_bounded_search_is_no_proof(right: Program) -> None:
    """A verdict says whether something was left out for the bound."""
    bounded, many, whole = (run(right, Search(preemptions=n)) for n in (1, 50, None))
    assert ("bounded", "bounded", "proven") == (bounded.verdict, many.verdict, whole.verdict)
    assert bounded.runs < many.runs
    assert ["runs with more than 1 preemption were not tried: this is no proof"] == bounded.limits
    assert [] == whole.limits


def test_replay_gives_the_same_run(broken: Program) -> None:
    """The choices of a counterexample lead to it again, step by step."""
    found = run(broken, Search(memory="tso"))
    again = run(broken, Search(memory="tso", replay=found.choices))
    assert (found.counterexample, 1) == (again.counterexample, again.runs)


def test_replay_shows_a_run_without_a_fault(right: Program) -> None:
    """A replayed run is told also when nothing is wrong in it."""
    found = run(right, Search(replay="0:0"))
    assert found.counterexample is not None
    assert ("sampled", "") == (found.verdict, found.counterexample.found)


@pytest.mark.parametrize("choices", ["nonsense", "1:99", "3"])
def test_replay_of_other_choices_is_refused(right: Program, choices: str) -> None:
    """Choices that do not fit are no verdict."""
    assert "unfinished" == run(right, Search(replay=choices)).verdict


def test_random_runs_find_it(broken: Program) -> None:
    """PCT finds what the exhaustive search finds, and the same seed finds the same."""
    search = Search(memory="tso", pct=3, runs=5000, seed=7)
    found = run(broken, search)
    assert "violated" == found.verdict
    assert replace(found, seconds=0.0) == replace(run(broken, search), seconds=0.0)


def test_random_runs_are_no_proof(right: Program) -> None:
    """Random runs without a fault are told as such."""
    found = run(right, Search(pct=3, runs=50))
    assert ("sampled", 50) == (found.verdict, found.runs)
    assert "no proof" in found.limits[0]


def test_every_access_as_a_point(broken: Program) -> None:
    """Interrupting plain accesses too gives more runs and the same verdict."""
    few, many = (run(broken, Search(memory="sc", every_access=every)) for every in (False, True))
    assert few.runs <= many.runs
    assert ("proven", "proven") == (few.verdict, many.verdict)


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """More orders than anybody has time for."""
    file = tmp_path_factory.mktemp("endless") / "long.c"
    file.write_text(
        "#include <stdatomic.h>\nstatic _Atomic int n;\n"
        "void locklab_thread(int me) { (void)me; for (int i = 0; i < 30; i++) n++; }\n"
    )
    with Program([file]) as program:
        yield program


def test_time_is_up(endless: Program) -> None:
    """A search that does not finish says so."""
    found = run(endless, Search(threads=4, seconds=0.2))
    assert "unfinished" == found.verdict
    assert "the time is up" in found.limits[0]


def test_the_work_is_estimated(tmp_path: Path) -> None:
    """Where the time is up, the verdict says how much was done, and at least how much there is."""
    file = tmp_path / "some.c"
    file.write_text(
        "#include <stdatomic.h>\nstatic _Atomic int a, b, n;\nvoid locklab_thread(int me)\n"
        "{ for (int i = 0; i < 2; i++) { n += me; a += 1; b = me; } }\n"
    )
    with Program([file]) as program:
        found = run(program, Search(threads=3, seconds=0.3))
    said = re.match(r"the time is up after (\d+) runs of about (\S+) or more", found.limits[0])
    assert said is not None
    assert int(said[1]) <= float(said[2]) < 1_000_000  # there are 108,048


def test_an_estimate_comes_from_several_beginnings(right: Program, tmp_path: Path) -> None:
    """It is exact where one is all of the search; else a median, between the lowest and highest."""
    small = estimate(right, Search())
    assert isinstance(small, Estimate)
    assert (run(right, Search()).runs, True) == (small.runs, small.exact)
    file = tmp_path / "large.c"
    file.write_text(
        "#include <stdatomic.h>\nstatic _Atomic int a;\nvoid locklab_thread(int me)\n"
        "{ for (int i = 0; i < 50; i++) a += me; }\n"
    )
    with Program([file]) as program:
        large = estimate(program, Search(threads=4, seconds=0.4))
    assert isinstance(large, Estimate)
    assert not large.exact
    assert 1 < large.lowest <= large.runs <= large.highest


def test_no_estimate_of_what_is_wrong(broken: Program) -> None:
    """Where a beginning finds the error, this is the answer."""
    found = estimate(broken, Search(memory="tso"))
    assert isinstance(found, Exploration)
    assert "violated" == found.verdict


@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_any_order_of_the_search_finds_the_same(right: Program, memory: str) -> None:
    """Which agent a point tries first changes neither the verdict nor the number of traces."""
    said = [_reported(right, Search(memory=memory), None, shuffles=n) for n in range(6)]
    assert 1 == len({(one["verdict"], one["traces"]) for one in said})


def catches(pid: int, number: int) -> bool:
    """Whether a process, if it is still there, has a handler for a signal."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    found = re.search(r"SigCgt:\s*(\w+)", status)
    return found is not None and bool(int(found[1], 16) >> (number - 1) & 1)


def test_a_tick_between_two_runs_says_nothing(
    endless: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock that finds endless loops ticks in the explorer's own code too."""

    class Ticking(subprocess.Popen[bytes]):
        """A process that is sent ticks for as long as it is waited for."""

        def wait(self, timeout: float | None = None) -> int:
            while self.poll() is None:
                if catches(self.pid, signal.SIGVTALRM):
                    self.send_signal(signal.SIGVTALRM)
                time.sleep(0.0005)
            return super().wait(timeout)

    monkeypatch.setattr("locknative.explorer.search.subprocess.Popen", Ticking)
    found = run(endless, Search(threads=4, seconds=1))
    assert "the time is up" in found.limits[0]


def test_too_many_steps(right: Program, tmp_path: Path) -> None:
    """A run that is too long says so."""
    file = tmp_path / "long.c"
    file.write_text(
        "#include <stdatomic.h>\nstatic _Atomic int n;\n"
        "void locklab_thread(int me) { for (int i = 0; i < 1000; i++) n += me; }\n"
    )
    with Program([file]) as program:
        found = run(program, Search(max_steps=500))
    assert "unfinished" == found.verdict
    assert "more than 500 steps" in found.limits[0]


@pytest.mark.covering("case", "memory")
@pytest.mark.parametrize("memory", ["sc", "c11"])
@pytest.mark.parametrize("case", [1, 2, 3])
def test_a_run_without_an_end_hides_no_error(case: int, memory: str) -> None:
    """The time that is given ends a long run too, and short runs show what goes wrong."""
    with Program([PROGRAMS / "long.c"], [f"CASE={case}", "WRONG=1"]) as program:
        assert "assertion" == run(program, Search(memory=memory, seconds=5)).found


@pytest.mark.parametrize(("case", "verdict"), [(2, "unfinished"), (3, "proven within limits")])
def test_a_long_run(case: int, verdict: str) -> None:
    """A loop without an end has no verdict; ten thousand blocks have one."""
    with Program([PROGRAMS / "long.c"], [f"CASE={case}", "WRONG=0"]) as program:
        assert verdict == run(program, Search(max_steps=3000 if case == 2 else 70_000)).verdict


def test_workers_make_the_same_search(right: Program, broken: Program) -> None:
    """Each trace is run by one process; what is found does not depend on how many there are."""
    one, two, three = (run(right, Search(memory="tso", workers=n)) for n in (1, 2, 3))
    assert ("proven", "proven") == (one.verdict, two.verdict)
    assert one.traces == two.traces
    assert replace(two, seconds=0.0) == replace(three, seconds=0.0)
    two, three = (run(broken, Search(memory="c11", workers=n)) for n in (2, 3))
    assert "violated" == two.verdict
    assert two.counterexample == three.counterexample
    again = run(broken, Search(memory="c11", replay=two.choices))
    assert two.counterexample == again.counterexample


@pytest.mark.parametrize("how", [{"pct": 3, "runs": 3000, "seed": 7}, {"preemptions": 2}])
def test_workers_of_other_searches(right: Program, broken: Program, how: dict[str, int]) -> None:
    """Bounded and random searches are shared out too."""
    whole, shared = (run(right, Search(**how, workers=n)) for n in (1, 2))  # type: ignore[arg-type]
    assert (whole.verdict, whole.bound) == (shared.verdict, shared.bound)
    assert whole.runs == shared.runs
    found = run(broken, Search(memory="tso", workers=2, **how))  # type: ignore[arg-type]
    assert "violated" == found.verdict


def test_progress_is_told(endless: Program) -> None:
    """A search that takes a while says how many runs there were, and about how much is done."""
    told: list[tuple[str, float]] = []
    run(endless, Search(threads=4, seconds=1), lambda text, done: told.append((text, done)))
    assert told
    assert all(0 <= done < 1 for _, done in told)
    assert re.fullmatch(r"[\d,]+( of about [\d.e+]+ or more)? runs", told[-1][0])


def test_a_program_that_differs_from_run_to_run(tmp_path: Path) -> None:
    """What depends on more than its threads is noticed."""
    file = tmp_path / "clock.c"
    file.write_text(
        "#include <stdatomic.h>\n#include <time.h>\nstatic _Atomic int n;\n"
        "void locklab_thread(int me) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);\n"
        "for (int i = 0; i < me + 2 + t.tv_nsec % 97; i++) n++; }\n"
    )
    with Program([file]) as program:
        found = run(program, Search())
    assert "unfinished" == found.verdict
    assert "behaves differently" in found.limits[0]


@pytest.mark.parametrize(
    "wrong",
    [{"memory": "arm"}, {"threads": 0}, {"threads": 9}, {"preemptions": -1}, {"seconds": 0.0}],
)
def test_bad_requests_are_refused(wrong: dict[str, object]) -> None:
    """Numbers outside their range, and names that are not there, are errors."""
    with pytest.raises(NativeError):
        Search(**wrong)  # type: ignore[arg-type]


def test_counterexample_in_words(broken: Program) -> None:
    """A step names variable, values, place and source; a buffer shows what lingers in it."""
    found = run(broken, Search(memory="tso")).counterexample
    assert found is not None
    assert {"wants[0]", "wants[1]", "turn", "count"} == {step.word for step in found.steps}
    lingering = next(step for step in found.steps if step.buffers[step.thread])
    assert "store" == lingering.operation
    word, value, shown = lingering.buffers[lingering.thread][0]
    assert (lingering.word, lingering.new, lingering.becomes) == (word, value, shown)
    assert lingering.source in (PROGRAMS / "peterson.c").read_text()
    flushed = [step.word for step in found.steps if step.action == "flush"]
    assert flushed == [step.word for step in found.steps if step.operation == "flush"]


@pytest.mark.parametrize("quiet", [0, 1])
def test_a_thread_alone(quiet: int) -> None:
    """A long beginning is one run, the seed arrives, and a failure says where it last wrote."""
    with Program([PROGRAMS / "alone.c"], [f"QUIET={quiet}", "SEED_IS=7"]) as program:
        found = run(program, Search(preemptions=1, max_steps=300_000, seed=7))
    assert ("bounded" if quiet else "violated") == found.verdict
    assert found.runs < 100
    if not quiet:
        assert found.counterexample is not None
        says = "after 30000 updates by 1 thread: a look writes; the last one at alone.c:16"
        assert says == found.counterexample.message
