"""Numbers in sentences and tables for people."""

import math


def significant(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits, or all before the point: 0.167, 2,398.

    From 1,000 on there are commas and no exponent. Infinities and NaN are ``inf`` and ``nan``.

    Arguments:
        value: any unit. digits: at least 3.
    """
    # What rounds up to 1,000 must not become 1e+03.
    whole = math.isfinite(value) and abs(value) >= 1000 - 0.5 * 10.0 ** (3 - digits)
    return f"{value:,.0f}" if whole else f"{value:.{digits}g}"
