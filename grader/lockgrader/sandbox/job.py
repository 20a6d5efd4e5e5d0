"""A job for a sandbox, and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Profile = Literal["namespaces", "platform", "unconfined"]
PROFILES: tuple[Profile, ...] = ("namespaces", "platform")
"""Profiles that a grader may use. ``unconfined`` is for students' own work on their machine."""


class SandboxError(Exception):
    """No sandbox could be made, so nothing was run; the message says what is missing."""

    exit_code = 2


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a job, for all its processes together unless stated otherwise.

    Arguments:
        wall_s: time on the clock. cpu_s: processor time.
        memory_bytes: anonymous and shared memory.
        address_space_bytes: of one process; None for no limit, which sanitizers need.
        tmp_bytes: files in /tmp together, and so the largest file. tmp_files: how many files and
            folders there, empty ones too, where /tmp is the job's own.
        output_bytes: of standard output, and the same of standard error.
        processes: at one time, threads too.
        asleep_s: how long all its threads may sleep or be stopped at once, and six times as long
            altogether (:mod:`lockgrader.sandbox.asleep`).
    """

    wall_s: float = 10.0
    cpu_s: float = 5.0
    memory_bytes: int = 256 << 20
    address_space_bytes: int | None = 2 << 30
    tmp_bytes: int = 16 << 20
    tmp_files: int = 4096
    output_bytes: int = 1 << 20
    processes: int = 8
    asleep_s: float = 10.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise SandboxError(f"a sandbox's {name} must be above 0 (got {value})")


@dataclass(frozen=True)
class Job:
    """A program and what it may see.

    Arguments:
        argv: program and arguments, by their paths inside.
        read: path inside → file or folder outside, read-only there.
        stdin: what it can read from standard input.
        environment: all of its environment; nothing of ours is passed on.
        limits: see :class:`Limits`.
    """

    argv: tuple[str, ...]
    read: Mapping[str, Path] = field(default_factory=dict)
    stdin: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
