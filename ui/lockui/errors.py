"""How a command fails: one message, an exit code, no traceback.

Exit codes: 0; 1 where what was run turned out to be wrong; 2 for a mistake in the arguments or in
the user's program; 130 after Ctrl-C, whether or not there was something to print.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from lockui.console import stderr

__all__ = ["INTERRUPTED", "UsageError", "interrupted", "reported", "saving"]

#: 128 + SIGINT, as shells report it.
INTERRUPTED = 130


class UsageError(Exception):
    """Arguments that make no sense; the message says what is wrong and what to write."""

    exit_code = 2


@contextmanager
def reported() -> Iterator[None]:
    """Turn an error that has an integer ``exit_code`` into one message and that exit code.

    Usable as a decorator of a command. The umbrella does the same for every command; this makes
    an app that is called by itself fail equally well. A Ctrl-C that nothing has caught ends with
    a line that says so and exit code 130.

    Raises:
        typer.Exit: with the error's exit code. Every other exception passes.
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

    Args:
        what: what there is to show for it, such as "these are the points that were finished".
    """
    stderr().print(f"interrupted: {what}", markup=False, soft_wrap=True)
    return typer.Exit(INTERRUPTED)


@contextmanager
def saving(option: str) -> Iterator[None]:
    """Turn the system's refusal to write a file into a message that names the option.

    Raises:
        UsageError: for an ``OSError`` inside.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{option}: can not be written ({reason}); name a place that you may write to"
        ) from error
