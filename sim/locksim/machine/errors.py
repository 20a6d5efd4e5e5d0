"""What goes wrong with a machine profile, and the exception that says so."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class MachineError(Exception):
    """A machine profile, a machine's name or a request for CPUs that cannot be honoured.

    The message says what was found, where, and how to mend it. ``exit_code`` is what the command
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


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """Return ``"did you mean 'x'?"``, or the list of what exists when nothing is close."""
    choices = sorted(known)
    close = get_close_matches(found, choices, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"known are: {', '.join(choices)}"
