"""A band and a word about a change, judged by a twin."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.sentence import EFFECTS, Sentence
from lockgrader.lab.report import Report
from lockgrader.submitted import Submitted
from locksim.study.bands import Band
from locksim.study.twin.prediction import Prediction

LOCKS = """
 contended   total wait     max wait     avg wait            address   symbol

       248      3.25 ms     32.23 us     13.10 us   ffff8cc75cfd2940   siglock
        60    217.91 us      9.69 us      3.63 us   ffff8cc700061c00
"""
MAY_HAVE_NONE = 1.0 + EFFECTS.index("may have no effect")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report; one for all tests, since a twin is fitted once for a path."""
    made = tmp_path_factory.mktemp("lab")
    (made / "locks.txt").write_text(LOCKS, encoding="utf-8")
    return made


@pytest.fixture
def check(folder: Path) -> Sentence:
    """Four locks instead of one, on four CPUs."""
    return Sentence.model_validate(
        {
            "kind": "sentence",
            "name": "s",
            "title": "S",
            "points": 1,
            "answer": "split",
            "effect": "word",
            "own": "own.txt",
            "expected": about(folder, of="times", change="split:4", lock="ticket"),
        }
    )


def about(folder: Path, **more: object) -> dict[str, object]:
    """A number of the report."""
    report = {
        "report": str(folder / "locks.txt"),
        "row": "siglock",
        "cpus": 4,
        "machine": "ideal-8",
    }
    return {**report, **more}


def judged(check: Sentence, band: Sequence[float], word: float, **more: float) -> Finding:
    """The finding of a sentence; with ``own_cpus`` it is about a report of the student's own."""
    answers = {"split": [*band], "word": [word], **{name: [x] for name, x in more.items()}}
    files = {"own.txt": LOCKS.encode()} if more else {}
    return check.judge(Submitted(answers=answers, files=files))


def test_the_twins_sentence_is_right(check: Sentence) -> None:
    """Also rounded outwards, and a little wider; the wider band's own word counts."""
    right = check.right(Submitted())
    (low, high), word = right["split"], right["word"]
    assert low < 1 < high
    assert "pass" == judged(check, (low, high), word).verdict
    assert "pass" == judged(check, (low - 0.02, high + 0.02), MAY_HAVE_NONE).verdict


def test_a_band_is_as_wide_as_what_is_not_known(check: Sentence) -> None:
    """A band around another result, one that is narrower, and one that says nothing."""
    (low, high), word = check.right(Submitted()).values()
    bands = [(3.9, 4.1), (1 - 1e-4, 1.002), (low, 1.002), (0.5, high)]
    tags = [judged(check, band, word).tag for band in bands]
    assert ["not-around-the-result", "too-narrow", "too-narrow", "too-wide"] == tags
    assert [0.0, 0.5, 0.5, 0.0] == [judged(check, band, word).share for band in bands]


@pytest.mark.parametrize(("high", "word"), [(1.034, 3), (1.036, 4)])
def test_a_band_has_one_word(
    check: Sentence, monkeypatch: pytest.MonkeyPatch, high: float, word: int
) -> None:
    """That of the band as it is printed: 1.034 is 1.03, and still within 3 %."""
    made = Prediction("", 4, {}, Band(1.01, 0.99, high, ()))
    monkeypatch.setattr(Report, "prediction", lambda *_: made)
    band = [0.99, round(high, 2)]
    passed = [n for n in (1, 2, 3, 4) if judged(check, band, float(n)).verdict == "pass"]
    assert [word] == passed


def test_exact_ends_and_printed_ends_both_have_their_word(
    check: Sentence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.034 is above 1.03, and printed it is 1.03: whoever copies --json reads the first."""
    made = Prediction("", 4, {}, Band(1.01, 0.99, 1.034, ()))
    monkeypatch.setattr(Report, "prediction", lambda *_: made)
    passed = [n for n in (1, 2, 3, 4) if judged(check, [0.99, 1.034], float(n)).verdict == "pass"]
    assert [3, 4] == passed


def test_one_number_is_no_sentence(check: Sentence) -> None:
    """Nobody has made the change yet."""
    assert ["point"] * 3 == [judged(check, x, 3.0).tag for x in ((1.0,), (1.0, 1.0), (1.1, 0.9))]


def test_faster_is_not_the_word(check: Sentence) -> None:
    """A band on both sides of 1 is no gain."""
    band, _ = check.right(Submitted()).values()
    finding = judged(check, band, 1.0)
    assert (0.5, "not-the-word") == (finding.share, finding.tag)


def test_a_report_of_ones_own_counts(check: Sentence) -> None:
    """With its CPUs and its window; a machine that is too small is named."""
    low, high = check.right(Submitted())["split"]
    told = {"own_cpus": 4.0, "own_window_s": 1.0}
    assert "pass" == judged(check, (low - 0.01, high + 0.01), MAY_HAVE_NONE, **told).verdict
    finding = judged(check, (low, high), 3.0, own_cpus=64.0, own_window_s=1.0)
    assert "malformed_output" == finding.verdict
    assert "ideal-8 has 8 CPUs, and cpus is 64" in finding.message


def test_a_report_has_numbers(folder: Path) -> None:
    """3.25 ms of 4 s are w = 0.08 %, too little to matter; perf prints no holds."""
    numbers = {
        of: Report.model_validate(about(folder, of=of)).number()
        for of in ("gain_percent", "matter", "held_s")
    }
    assert {"gain_percent": pytest.approx(0.0813, rel=0.01), "matter": 0, "held_s": 0.0} == numbers
