"""The error of twins."""


class TwinError(Exception):
    """A table that no load can be fitted to, or a change that makes no sense.

    The message says which value is missing, and which option gives it.
    """

    exit_code = 2
