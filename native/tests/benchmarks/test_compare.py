"""Our harness beside theirs: counts as printed, verdicts that follow from them, refusals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def scripts() -> ModuleType:
    """benchmarks/compare.py: the benchmarks are scripts, no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import compare
    finally:
        sys.path.remove(str(BENCHMARKS))
    return compare


def samples(scripts: ModuleType, times_ns: list[float], share: float = 1.0) -> list[object]:
    """One process a time: 1000 operations of one thread."""
    return [
        scripts.Sample(operations=1000, cpu_ns=1000 * ns, wall_ns=1000 * ns / share, threads=1)
        for ns in times_ns
    ]


def row(scripts: ModuleType, ours: list[float], theirs: list[float], **more: object) -> object:
    """Compare two lists of times."""
    share = more.pop("share", 1.0)
    taken = {"ours": ours, "theirs": theirs, "beside": theirs}
    taken = {name: samples(scripts, times, share) for name, times in taken.items()}
    return scripts.compare("a pair", 1, "none", taken, **more)


@pytest.mark.slow
@given(
    times=st.lists(st.floats(1, 100), min_size=2, max_size=12),
    factor=st.sampled_from([0.5, 1.0, 1.04, 1.06, 2.0]),
)
def test_ratio(scripts: ModuleType, times: list[float], factor: float) -> None:
    """Where each of our times is theirs by a factor, the ratio is that, in an interval round it."""
    found = row(scripts, [factor * ns for ns in times], times)
    assert factor == pytest.approx(found.ratio)
    assert found.low <= found.ratio * 1.000001
    assert found.ratio <= found.high * 1.000001


@pytest.mark.parametrize(
    ("ours", "theirs", "more", "verdict"),
    [
        ([10.2] * 5, [10.0] * 5, {}, "met"),
        ([10.6] * 5, [10.0] * 5, {}, "missed"),
        ([10.0, 11.0] * 5, [10.0] * 10, {}, "unclear"),
        ([1.0] * 5, [0.0007] * 5, {}, "deleted"),
        ([10.2] * 5, [10.0] * 5, {"share": 0.7}, "met"),
        ([10.2] * 5, [10.0] * 5, {"share": 0.7, "contended": True}, "noisy"),
        ([10.2] * 5, [10.0] * 5, {"contended": True}, "met"),
    ],
)
def test_verdict(
    scripts: ModuleType, ours: list[float], theirs: list[float], more: dict, verdict: str
) -> None:
    """Deleted loops get no ratio, and threads that did not run together no judgement."""
    found = row(scripts, ours, theirs, **more)
    assert verdict == found.verdict
    assert (found.ratio is None) == (verdict == "deleted")
    assert 1 == len(scripts.table([found]).rows)


def test_counts(scripts: ModuleType) -> None:
    """The counts are found in what the programs print; another output is an error."""
    programs = sys.modules["their_programs"]
    summary = "SUMMARY ./test_urcu   testdur    1 nr_readers   1 rdur  0 nr_reads  778 nr_ops 778"
    assert 778 == programs.urcu_reads(summary)
    assert 12 == programs.ck_acquisitions("0  7\n1  5\n\n# total       :    12\n# average : 6\n")
    with pytest.raises(scripts.CompareError, match="printed no count, but: 'usage'") as caught:
        programs.urcu_reads("usage")
    assert 2 == caught.value.exit_code


def test_processor_time(scripts: ModuleType) -> None:
    """A program's own processor time is taken, and its failure is reported in its words."""
    programs = sys.modules["their_programs"]
    output, cpu_ns = programs._output([sys.executable, "-c", "print(sum(range(10**6)))"])
    assert "499999500000\n" == output
    assert cpu_ns > 0
    with pytest.raises(scripts.CompareError, match="failed: out of luck"):
        programs._output([sys.executable, "-c", "raise SystemExit('out of luck')"])


def test_no_apt(scripts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no apt, the message says what else can be done; what is there is used."""
    fetch = scripts.fetch
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        scripts.CompareError, match=r"no apt-get here .* name their folder with --ck"
    ):
        fetch("ck", tmp_path)
    (tmp_path / "ck").mkdir()
    assert tmp_path / "ck" == fetch("ck", tmp_path)


@pytest.mark.slow
def test_command_line(tmp_path: Path) -> None:
    """A wrong request and a wrong folder end with status 2 and one message, without a traceback."""
    for arguments, message in (
        (["--processes", "1"], "must be at least 2"),
        (["--ck", str(tmp_path), "--liburcu", str(tmp_path)], "error: 'sh configure' failed"),
    ):
        done = subprocess.run(
            [sys.executable, BENCHMARKS / "compare.py", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (2, True) == (done.returncode, message in done.stderr), done.stderr
        assert "Traceback" not in done.stderr
