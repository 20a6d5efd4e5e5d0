"""``feedback.html`` beside each result, and ``summary.html`` for the instructor."""

from __future__ import annotations

from collections.abc import Sequence

from lockgrader.report.feedback import FEEDBACK, feedback
from lockgrader.report.summary import SUMMARY, summary
from lockgrader.result import Result


def files(results: Sequence[Result]) -> dict[str, str]:
    """All pages."""
    pages = {f"{r.student}/{FEEDBACK}": feedback(r) for r in results if not r.absent}
    return {**pages, SUMMARY: summary(results)}


def named(results: Sequence[Result]) -> dict[str, str]:
    """The summary with names on its leader boards."""
    return {SUMMARY: summary(results, named=True)}
