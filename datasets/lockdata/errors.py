"""The errors of lockdata."""


class Error(Exception):
    """Base of every error that lockdata raises on purpose."""


class DatasetError(Error):
    """A table, reading or data file is unknown or malformed; the message says what to do."""
