"""The instructor's page for a batch: distribution, most frequent failures, what to look at.

The page is made from the results alone and runs no script. It shows hidden checks, answers in words
and suspicions, so it is not for students.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from lockgrader.report.board import boards
from lockgrader.report.feedback import FEEDBACK
from lockgrader.report.groups import by_counterexample, by_misconception, suspicions
from lockgrader.report.student import WORDS, unmarked
from lockgrader.result import CheckResult, Result
from lockui.html_page import environment

__all__ = ["SUMMARY", "summary"]

SUMMARY = "summary.html"
BINS = 10
_NOT_JUDGED = ("grader_error", "ungradable", "no_output", "malformed_output")


def summary(results: Sequence[Result], *, named: bool = False) -> str:
    """The page's text.

    Arguments:
        results: of one lab, one a student. named: whether leader boards have names.
    """
    present = [r for r in results if not r.absent]
    shares = [r.points / r.max_points for r in present if r.max_points]
    labs = ", ".join(dict.fromkeys(r.lab for r in results))
    return (
        environment("lockgrader.report")
        .get_template("summary.html.j2")
        .render(
            title=f"{labs}: {len(present)} submissions",
            labs=labs,
            results=results,
            present=present,
            policy="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'",
            median=statistics.median(shares) if shares else 0.0,
            mean=statistics.fmean(shares) if shares else 0.0,
            bins=_bins(shares),
            checks=_checks(present),
            same=by_counterexample(present),
            believed=by_misconception(results),
            missing=_missing(present),
            unmarked=sum(unmarked(r) for r in present),
            releases=sorted({r.release for r in results if r.release}),
            absent=[r for r in results if r.absent],
            by_hand=[(r, c, c.mark) for r in present for c in r.checks if c.mark is not None],
            suspicions=suspicions(present),
            boards=boards(present, named=named),
            written=_written(results),
            links={r.student: f"./{quote(r.student)}/{FEEDBACK}" for r in present},
        )
    )


def _bins(shares: Sequence[float]) -> list[tuple[str, int, float]]:
    """The number of students in each tenth of the points: (label, number, share of the largest)."""
    counts = Counter(min(int(s * BINS + 1e-9), BINS - 1) for s in shares)
    most = max(counts.values(), default=1)
    step = 100 // BINS
    labels = [f"{i * step} to {(i + 1) * step - (i < BINS - 1)} %" for i in range(BINS)]
    return [(label, counts[i], counts[i] / most) for i, label in enumerate(labels)]


def _checks(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Each check over all students, the most frequent failure first."""
    found: dict[str, list[CheckResult]] = {}
    for result in results:
        for check in result.checks:
            found.setdefault(check.name, []).append(check)
    rows = []
    for name, checks in found.items():
        verdicts = Counter(c.verdict for c in checks)
        judged = len(checks) - verdicts["grader_error"] - verdicts["skipped"]
        failed = judged - verdicts["pass"] - verdicts["partial"]
        rows.append(
            {
                "name": name,
                "title": checks[0].title,
                "public": checks[0].public,
                "passed": verdicts["pass"],
                "partial": verdicts["partial"],
                "failed": failed,
                "skipped": verdicts["skipped"],
                "ours": verdicts["grader_error"],
                "share": failed / judged if judged else 0.0,
            }
        )
    return sorted(rows, key=lambda r: (-r["share"], -r["failed"], r["name"]))


def _missing(results: Sequence[Result]) -> list[tuple[str, str, str]]:
    """The students who could not be graded, with checks and reasons."""
    found = []
    for result in results:
        reasons: dict[tuple[str, str], list[str]] = {}
        for c in result.checks:
            if c.verdict in _NOT_JUDGED:
                why = f"{WORDS[c.verdict]}: {c.message.strip().rpartition(chr(10))[2]}"
                reasons.setdefault((c.verdict, why), []).append(c.name)
        if not result.complete:
            found.append((result.student, "", "grading did not finish: start it again"))
        found += [(result.student, ", ".join(names), why) for (_, why), names in reasons.items()]
    return found


def _written(results: Sequence[Result]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each question in words with all its answers."""
    found: dict[str, list[tuple[str, str]]] = {}
    for result in results:
        for check in result.checks:
            if check.answer:
                found.setdefault(check.title, []).append((result.student, check.answer))
    return list(found.items())
