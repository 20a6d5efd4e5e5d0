"""A program with a run in which it is wrong earns nothing for its proofs and measurements.

A proof speaks of a few threads. If a larger run shows that the same class violates mutual
exclusion, uses freed memory or gives a decision that had been replaced, the proof is right and the
program is wrong. An unfair or a slow lock is not wrong. A class that fails in a proof from fresh
memory keeps what it has earned elsewhere: there a student sees the mistake, step by step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lockgrader.check import Check
from lockgrader.finding import Finding


def without_violated(judged: Sequence[tuple[Check, Finding]]) -> list[Finding]:
    """The findings of a submission; those of a class that was seen to be wrong have failed.

    Arguments:
        judged: the checks and their findings, in the checks' order.
    """
    wrong = _wrong(judged)
    return [_failed(check, finding, wrong) for check, finding in judged]


def _wrong(judged: Sequence[tuple[Check, Finding]]) -> Mapping[str, str]:
    """Class → what showed that it is wrong, without a hidden check's finding."""
    known = {
        check.subject
        for check, finding in judged
        if check.subject and finding.counterexample is not None
    }
    wrong: dict[str, str] = {}
    for check, finding in judged:
        if finding.violation and finding.violation not in known | wrong.keys():
            shown, first = check.public or check.revealed, finding.message.partition("\n")[0]
            says = f"'{check.title}' shows how: {first}" if shown else "a hidden check shows it"
            wrong[finding.violation] = says
    return wrong


def _failed(check: Check, finding: Finding, wrong: Mapping[str, str]) -> Finding:
    name = check.subject
    if name not in wrong or not finding.share:
        return finding
    says = f"{name} is wrong in a larger run, so this earns nothing: {wrong[name]}"
    message = f"{finding.message}\n{says}".strip()
    return replace(finding, verdict="fail", share=0.0, message=message, tag="")
