"""The error of this package."""


class TraceError(Exception):
    """A trace cannot be recorded or written; the message says why."""

    exit_code = 2
