"""The errors of the native side; those of a trial stand beside the one runner of trials."""

from locknative.survey.errors import NativeError, StuckError, unknown

__all__ = ["NativeError", "StuckError", "UrcuError", "require", "unknown"]


class UrcuError(NativeError):
    """RCU was used against its rules; liburcu itself was not called."""


def require(ok: bool, what: str, rule: str, got: float) -> None:
    """Refuse a value that breaks a rule.

    Args:
        ok: whether it keeps the rule. what: its name. rule: such as "at least 1". got: the value.

    Raises:
        NativeError: it does not.
    """
    if not ok:
        raise NativeError(f"{what} must be {rule} (got {got:.12g})")
