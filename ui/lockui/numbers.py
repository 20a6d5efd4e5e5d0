"""Numbers in sentences and tables for people."""

MOST = 1e12
"""Above it people read a power of ten faster than the digits."""


def significant(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits, or all before the point: 0.167, 2,398.

    From 1,000 to 10^12 there are commas and no exponent. Not finite: ``inf``, ``nan``.

    Arguments:
        value: any unit. digits: at least 3.
    """
    # What rounds up to 1,000 must not become 1e+03.
    whole = 1000 - 0.5 * 10.0 ** (3 - digits) <= abs(value) <= MOST
    return f"{value:,.0f}" if whole else f"{value:.{digits}g}"
