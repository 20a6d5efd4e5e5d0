"""Percentages and times as lockmeter writes them, and their reader with the rounding error.

lockmeter gives two or three digits and never an exponent: ``0.34%``, ``26.2%``, ``271%``,
``1.6us``, ``499us``, ``2135us``, ``71ms``. Times below a microsecond, for which lockmeter has
``0.1us`` at best, are in nanoseconds here.
"""

from __future__ import annotations

import re

PERCENT = r"\d+(?:\.\d+)?%"
TIME = r"\d+(?:\.\d+)?(?:ns|us|ms|s)"

_UNITS_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}


def percent(share: float) -> str:
    """A share as a percentage: 0.0034 is ``0.34%``."""
    value = 100 * share
    if value == 0:
        return "0%"
    places = next((p for limit, p in ((99.95, 0), (0.995, 1)) if value >= limit), 2)
    return f"{value:.{places}f}%"


def time(time_ns: float) -> str:
    """A time with its unit: 1600 is ``1.6us``."""
    if time_ns == 0:
        return "0us"
    if time_ns < 999.5:
        return f"{time_ns:.1f}ns" if time_ns < 9.95 else f"{time_ns:.0f}ns"
    if time_ns < 9_950:
        return f"{time_ns / 1e3:.1f}us"
    for unit, size in (("us", 1e3), ("ms", 1e6)):
        if time_ns < 9_999.5 * size:
            return f"{time_ns / size:.0f}{unit}"
    return f"{time_ns / 1e9:.0f}s"


def read(text: str) -> tuple[float, float]:
    """The share of a percentage, or a time in ns, with half the unit of its last digit.

    Raises:
        ValueError: the text is neither.
    """
    found = re.fullmatch(r"(\d+(?:\.(\d+))?)\s*(%|ns|us|ms|s|m|h)", text)
    if found is None:
        raise ValueError(text)
    scale = 0.01 if found[3] == "%" else _UNITS_NS[found[3]]
    return float(found[1]) * scale, half(found[2], text) * scale


def half(decimals: str | None, text: str = "") -> float:
    """Half the unit of a number's last digit.

    Arguments:
        decimals: the digits after its point, or None.
        text: the whole text; a bare 0 stands for less than half of the finest digit.
    """
    if decimals is None and text.startswith("0"):
        return 0.005 if text.endswith("%") else 0.05
    return 0.5 * 10.0 ** -len(decimals or "")
