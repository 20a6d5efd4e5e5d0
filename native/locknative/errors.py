"""The errors of the native side."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from locknative.survey.errors import NativeError, StuckError, unknown

if TYPE_CHECKING:
    from locknative.results import Validation

__all__ = [
    "ExclusionError",
    "NativeError",
    "StuckError",
    "UrcuError",
    "not_pinned",
    "not_prepared",
    "not_started",
    "require",
    "unknown",
]


class ExclusionError(NativeError):
    """A lock violated mutual exclusion. ``validation`` holds the counts; ``exit_code`` is 1."""

    exit_code = 1

    def __init__(self, validation: Validation) -> None:
        self.validation = validation
        super().__init__(
            f"lock '{validation.lock}' violates mutual exclusion: in {validation.iterations} "
            f"acquisitions by {validation.threads} threads, {validation.lost_updates} updates were "
            f"lost, {validation.overlaps} times another thread was inside, {validation.torn} times "
            "half an update was seen. help: compare its memory orders and its waiting condition "
            "with the invariants in its header"
        )


class UrcuError(NativeError):
    """RCU was used against its rules; liburcu itself was not called."""


def require(ok: bool, what: str, rule: str, got: float) -> None:
    """Refuse a value that breaks a rule.

    Args:
        ok: whether it keeps the rule. what: its name. rule: such as "at least 1". got: the value.

    Raises:
        NativeError: it does not.
    """
    if not ok:
        raise NativeError(f"{what} must be {rule} (got {got:.12g})")


def not_pinned(thread: int, cpu: int, errno: int) -> NativeError:
    """Return the error for a thread that could not be pinned to its CPU."""
    return NativeError(
        f"thread {thread} could not be pinned to CPU {cpu}: {os.strerror(errno)}. The container or "
        "a cgroup may forbid it: choose other CPUs, run where pinning is allowed, or validate "
        "without pinning (cpus=[])"
    )


def not_started(thread: int, threads: int, errno: int) -> NativeError:
    """Return the error for a run of which only some threads could be created."""
    return NativeError(
        f"only {thread} of {threads} threads could be created: {os.strerror(errno)}. Ask for "
        "fewer, or raise the limit on processes (ulimit -u)"
    )


def not_prepared(kernel: str, threads: int, errno: int) -> NativeError:
    """Return the error for a run that could not get its memory, files or sockets."""
    return NativeError(
        f"'{kernel}' could not be prepared for {threads} threads: {os.strerror(errno)}. Ask for "
        "fewer threads, raise the limits (ulimit -n, ulimit -v), or run where the files and "
        "sockets that it needs are allowed"
    )
