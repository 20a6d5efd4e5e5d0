"""What must run before a check."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lockgrader.check import Check


def with_needs(names: Collection[str], checks: Sequence[Check]) -> set[str]:
    """Checks, and all that must run before them: what they need, and proofs before a measurement.

    A measurement compares itself with what the proofs of its classes have reached.

    Arguments:
        names: of some of the checks. checks: of the lab, in their order.
    """
    found = set(names)
    for number, check in reversed([*enumerate(checks)]):  # it comes after those that it needs
        if check.name in found:
            proofs = {c.name for c in checks[:number] if c.proven_class in check.measured_classes}
            found |= {*check.needs} | proofs
    return found
