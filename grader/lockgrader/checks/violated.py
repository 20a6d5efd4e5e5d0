"""A program with a run in which it is wrong earns nothing for its proofs and measurements.

A proof speaks of a few threads. If a larger run shows that the same class violates mutual
exclusion, uses freed memory or gives a decision that had been replaced, the proof is right and the
program is wrong. An unfair or a slow lock is not wrong. A class that fails in a proof from fresh
memory keeps what it has earned elsewhere: there a student sees the mistake, step by step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lockgrader.finding import Finding
from lockgrader.lab import Check, Proven, Simulated

__all__ = ["without_violated"]


def without_violated(judged: Sequence[tuple[Check, Finding]]) -> list[Finding]:
    """The findings of a submission; those of a class that was seen to be wrong have failed.

    Arguments:
        judged: the checks and their findings, in the checks' order.
    """
    wrong = _wrong(judged)
    return [_failed(check, finding, wrong) for check, finding in judged]


def _wrong(judged: Sequence[tuple[Check, Finding]]) -> Mapping[str, str]:
    """Class → what showed that it is wrong, without a hidden check's finding."""
    known: set[str] = set()
    wrong: dict[str, str] = {}
    for check, finding in judged:
        if not isinstance(check, Proven | Simulated):
            continue
        if finding.counterexample is not None:
            known.add(check.lock)
        if finding.violation and check.lock not in wrong:
            shown, first = check.public or check.revealed, finding.message.partition("\n")[0]
            says = f"'{check.title}' shows how: {first}" if shown else "a hidden check shows it"
            wrong[check.lock] = says
    return {name: says for name, says in wrong.items() if name not in known}


def _failed(check: Check, finding: Finding, wrong: Mapping[str, str]) -> Finding:
    if not isinstance(check, Proven | Simulated) or check.lock not in wrong or not finding.share:
        return finding
    says = f"{check.lock} is wrong in a larger run, so this earns nothing: {wrong[check.lock]}"
    message = f"{finding.message}\n{says}".strip()
    return replace(finding, verdict="fail", share=0.0, message=message, tag="")
