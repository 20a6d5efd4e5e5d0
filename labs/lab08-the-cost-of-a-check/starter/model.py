"""Your model of the cost of a check. Try: locklab lab check model

You may import numpy and anything of the standard library.
"""

FIRST_MHZ = 333
CHECKS = {"null I/O": 1, "stat": 5, "open/close": 6}
NAMES = {"null_io": "null I/O", "stat": "stat", "open_close": "open/close"}
"""The rows of the second table → the rows of the first."""


def model(known, other):
    """The times with SELinux on the other machine.

    Arguments:
        known: the first table, each row {"section", "test", "measure": "base" or "selinux",
            "value": microseconds}.
        other: the second one without SELinux, each row {"kernel": "vanilla", "measure", "value"}:
            microseconds, and for "mhz" the clock rate.

    Returns:
        a list of {"measure", "value"}: for each row of `other` that NAMES holds, the predicted
        time with SELinux in microseconds.
    """
    return []
