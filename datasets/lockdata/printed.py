"""What a printed figure says: its number, and the interval that rounds to it.

A printed figure is a decimal number, perhaps with commas between thousands, a K for a thousand, a
unit mark (``%``, ``us``, ``GHz``) and square brackets. Everything else is no number.
"""

import re

_FIGURE = re.compile(
    r"\[?(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<fraction>\d+))?"
    r"(?P<thousand>K)?\s?(?:%|ns|us|ms|s|MHz|GHz)?\]?"
)


def number(printed: str) -> float | None:
    """Return the number that a printed figure shows, or None where it shows none.

    Args:
        printed: the figure as printed, for example ``"24.4%"``, ``"14K"`` or ``"500,000"``.

    Returns:
        The number in the figure's own unit; K counts as a thousand.
    """
    match = _FIGURE.fullmatch(printed.strip())
    if match is None:
        return None
    value = float(f"{match['whole'].replace(',', '')}.{match['fraction'] or '0'}")
    return value * 1000.0 if match["thousand"] else value


def interval(printed: str) -> tuple[float, float] | None:
    """Return the lowest and highest value that would be rounded to a printed figure.

    Args:
        printed: the figure as printed.

    Returns:
        The number less and plus half a unit of its last digit, never below zero; None where the
        figure shows no number. Zeros that a program did not print make the interval too wide, so
        it stays a safe bound.
    """
    value = number(printed)
    match = _FIGURE.fullmatch(printed.strip())
    if value is None or match is None:
        return None
    half: float = 0.5 * 10.0 ** -len(match["fraction"] or "")
    if match["thousand"]:
        half *= 1000.0
    return max(0.0, value - half), value + half
