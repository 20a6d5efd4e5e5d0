"""The errors of lockdata."""


class Error(Exception):
    """Base class of lockdata's errors."""


class DatasetError(Error):
    """A table, reading or data file is unknown or malformed; the message says how to fix it."""
