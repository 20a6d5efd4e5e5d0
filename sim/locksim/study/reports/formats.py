"""The formats of lock reports: which are read, which are written, and on what they are tested."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from locksim.study.reports import lock_stat, lockmeter, perf_lock
from locksim.study.reports.detect import READERS
from locksim.study.reports.table import LockTable

WRITERS: dict[str, Callable[[LockTable], str]] = {
    "lockmeter": lockmeter.text,
    "lock_stat": lock_stat.text,
    "perf": perf_lock.text,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A real text.

    Arguments:
        name: of its file in the tests. source: where it was published. date: when, as exactly as
            the source says.
    """

    name: str
    source: str
    date: str


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Arguments:
        name: as ``--format`` takes it. title: the tool. samples: real texts of it.
    """

    name: str
    title: str
    samples: tuple[Sample, ...]

    @property
    def read(self) -> bool:
        """Whether ``locklab report`` reads it."""
        return self.name in READERS

    @property
    def written(self) -> bool:
        """Whether ``locklab run --report`` writes it."""
        return self.name in WRITERS


def formats() -> list[Format]:
    """All formats, in the order of ``formats.toml``."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return [
        Format(name, one["title"], tuple(Sample(**sample) for sample in one["samples"]))
        for name, one in tomllib.loads(text).items()
    ]
