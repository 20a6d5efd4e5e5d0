"""How the checker says that it can not do what it is asked."""

from __future__ import annotations


class CheckError(Exception):
    """What the checker can not take; the message says what, where, how to mend it."""

    exit_code = 2
