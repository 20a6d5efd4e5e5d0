"""The meaning of a printed value: its number, and the interval that rounds to it.

A printed value is a decimal number. It may have commas between thousands, a K for a thousand, a
unit (``%``, ``us``, ``GHz``) and square brackets. Everything else is not a number.
"""

import re

_FIGURE = re.compile(
    r"\[?(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<fraction>\d+))?"
    r"(?P<thousand>K)?\s?(?:%|ns|us|ms|s|MHz|GHz)?\]?"
)


def number(printed: str) -> float | None:
    """Return the number that a printed value shows, or None.

    Arguments:
        printed: the value as printed, for example ``"24.4%"``, ``"14K"`` or ``"500,000"``.

    Returns:
        The number in the value's own unit; K is a factor of 1000.
    """
    match = _FIGURE.fullmatch(printed.strip())
    if match is None:
        return None
    value = float(f"{match['whole'].replace(',', '')}.{match['fraction'] or '0'}")
    return value * 1000.0 if match["thousand"] else value


def interval(printed: str) -> tuple[float, float] | None:
    """Return the lowest and highest number that rounds to a printed value.

    Arguments:
        printed: the value as printed.

    Returns:
        The number minus and plus half a unit of its last digit, never below zero; None if the
        value is not a number. A program may have printed zeros that it did not measure; then the
        true interval is wider.
    """
    value = number(printed)
    match = _FIGURE.fullmatch(printed.strip())
    if value is None or match is None:
        return None
    half: float = 0.5 * 10.0 ** -len(match["fraction"] or "")
    if match["thousand"]:
        half *= 1000.0
    return max(0.0, value - half), value + half
