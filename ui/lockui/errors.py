"""Errors of commands: one message, an exit code, no traceback.

Exit codes: 0 for success; 1 if the program under test is wrong; 2 for a mistake in the arguments or
in the user's program; 130 after Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from lockui.console import stderr

#: 128 + SIGINT, as shells report it.
INTERRUPTED = 130


class UsageError(Exception):
    """Wrong arguments; the message says what is wrong and what to write."""

    exit_code = 2


@contextmanager
def reported() -> Iterator[None]:
    """Turn an error with an integer ``exit_code`` into one message and that exit code.

    Usable as a decorator of a command. The umbrella does the same for every command; this does it
    for an app that is called by itself. An uncaught Ctrl-C ends with a line that says so and with
    exit code 130.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise interrupted("nothing was finished") from None
    except Exception as error:
        code = getattr(error, "exit_code", None)
        if not isinstance(code, int) or isinstance(error, typer.Exit | typer.TyperException):
            raise  # a bug, or what typer itself reports
        stderr().print(f"error: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(code) from error


def interrupted(what: str) -> typer.Exit:
    """Say on stderr that Ctrl-C ended the command, and return the exit to raise.

    Arguments:
        what: which results were printed, such as "the points above are complete".
    """
    stderr().print(f"interrupted: {what}", markup=False, soft_wrap=True)
    return typer.Exit(INTERRUPTED)


@contextmanager
def saving(option: str) -> Iterator[None]:
    """Turn a failure to write a file into a message that names the option.

    Raises:
        UsageError: an ``OSError`` was raised inside.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{option}: cannot be written ({reason}); choose a path that you may write to"
        ) from error
