"""What goes wrong with a machine profile, and the exception that says so."""

from __future__ import annotations


class MachineError(Exception):
    """A machine profile, a machine's name or a request for CPUs that cannot be honoured.

    The message says what was found, where, and what to do. ``exit_code`` is what the command
    line exits with.
    """

    exit_code = 2


class Refusal(ValueError):
    """One fault inside a profile: the key below the table under validation, and the message.

    Validators raise it; :mod:`locksim.machine.messages` turns it into a :class:`MachineError` that
    also names the file.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
        self.message = message
