"""Proofs that do not depend on the sizes of the model."""

from locksim.checker.limits import LIMITS

_SIZES = tuple(LIMITS[name].partition("{")[0] for name in ("buffers", "history"))


def for_all_sizes(verdict):
    """Whether a verdict is a proof for store buffers of any size and values of any age."""
    return verdict.is_proof() and not any(each.startswith(_SIZES) for each in verdict.limits)
