"""The errors of whatever runs ``locklab-native``; :mod:`locknative.errors` has the others."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class NativeError(Exception):
    """A request that this machine or this build cannot satisfy.

    The message says what was found, where, and what to do. ``exit_code`` is that of the command
    line.
    """

    exit_code = 2


class StuckError(NativeError):
    """Threads that compete for a lock did not all finish in time; ``exit_code`` is 1."""

    exit_code = 1

    def __init__(self, lock: str, threads: int, patience_s: float) -> None:
        super().__init__(
            f"lock '{lock}' is stuck: {threads} threads did not finish within {patience_s:g} s. "
            "Either no thread can enter any more (a lost handoff), or the machine is too busy: "
            "then ask for less work, or allow more time"
        )


def unknown(what: str, found: str, known: Iterable[str]) -> NativeError:
    """Return the error for a name that does not exist, with the nearest that does."""
    choices = sorted(known)
    close = get_close_matches(found, choices, n=1, cutoff=0.6)
    hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(choices)}"
    return NativeError(f"unknown {what} '{found}'; {hint}")
