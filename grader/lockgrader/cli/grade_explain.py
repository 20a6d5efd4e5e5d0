"""Explain a student's variant, for ``locklab grade --explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from lockgrader.author.mutants import right_answers
from lockgrader.lab import Lab
from lockgrader.lab.variants import variant, whole
from lockui.console import say
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console


class VariantAnswer(TypedDict):
    """A student's variant, the checks with its values, and the right number of a check."""

    lab: str
    student: str
    variant: dict[str, str | int]
    checks: list[dict[str, Any]]
    right: dict[str, float]


def explain(lab: Lab, student: str, key: bytes) -> Report[VariantAnswer]:
    """Return a student's variant, and the checks with its values.

    Raises:
        UsageError: no student is named.
    """
    if not student:
        raise UsageError("--explain needs a student: --student NAME")
    values = variant(lab, student, key)
    checks = lab.checks(whole(lab, student, key))
    right = {
        check.name: value
        for check, answers in right_answers(lab, student, key)
        for value in answers.values()
        if not isinstance(value, list)
    }
    document = VariantAnswer(
        lab=lab.name,
        student=student,
        variant=values,
        checks=[c.model_dump(mode="json") for c in checks],
        right=right,
    )

    def show(view: Console) -> None:
        for name, value in values.items():
            say(f"{name} = {value}", view)
        for check in checks:
            answer = f"; right is {right[check.name]:.6g}" if check.name in right else ""
            about = f"{check.name} ({check.kind}, {check.points:g} points)"
            say(f"{about}: {check.title}{answer}", view)

    return Report(document, show)
