"""Explain a student's variant, for ``locklab grade --explain``."""

from __future__ import annotations

from lockgrader.author.mutants import right_answers
from lockgrader.lab import Lab
from lockgrader.lab.variants import variant, whole
from lockui.console import say
from lockui.document import print_json
from lockui.errors import UsageError


def explain(lab: Lab, student: str, key: bytes, as_json: bool) -> None:
    """Print a student's variant, and the checks with its values.

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
    if as_json:
        document = {"lab": lab.name, "student": student, "variant": values}
        dumped = [c.model_dump(mode="json") for c in checks]
        print_json(document | {"checks": dumped, "right": right})
        return
    for name, value in values.items():
        say(f"{name} = {value}")
    for check in checks:
        answer = f"; right is {right[check.name]:.6g}" if check.name in right else ""
        say(f"{check.name} ({check.kind}, {check.points:g} points): {check.title}{answer}")
