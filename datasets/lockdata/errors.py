"""The errors of lockdata."""


class Error(Exception):
    """Base class of lockdata's errors: messages for a user."""

    exit_code = 2


class DatasetError(Error):
    """A table, reading or data file is unknown or malformed; the message says what to do."""
