"""The error of the checker's requests."""

from __future__ import annotations


class CheckError(Exception):
    """What the checker cannot take; the message says what, where, and how to fix it."""

    exit_code = 2


class UnfinishedError(CheckError):
    """A budget ended the search before it had the answer."""

    exit_code = 3
