"""How making or writing a trace goes wrong."""


class TraceError(Exception):
    """A trace that can not be made, or not written as asked: the message says why."""

    exit_code = 2
