"""A trace: the rows of a run, with the names that explain them."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from locksim.core.memory import Memory
from locksim.core.places import Place
from locksim.core.result import RunResult
from locksim.machine import MachineTables
from locksim.study.traces.acquisitions import Attribution, attribute
from locksim.study.traces.errors import TraceError
from locksim.study.traces.transfers import Transfer, transfers

if TYPE_CHECKING:
    import pandas as pd

    from locksim.study.traces.ledger import Ledger


@dataclass
class Trace:
    """A run's rows from time 0, with their meaning.

    Arguments:
        result: of either engine, run with ``trace=True``.
        memory: its memory, which gives the names of words and locks.
        tables: the machine. seed: of the run.
        title: one line for people.

    Raises:
        TraceError: the result has no trace.
    """

    result: RunResult
    memory: Memory
    tables: MachineTables
    seed: int
    title: str = ""
    _words: dict[int, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.result.trace is None or self.result.origins is None:
            raise TraceError("the run was not traced\nhelp: run it with trace=True")

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """int64[n, 5], the rows; see :mod:`locksim.engine.trace`."""
        assert self.result.trace is not None
        found: npt.NDArray[np.int64] = self.result.trace
        return found

    @property
    def origins(self) -> npt.NDArray[np.int64]:
        """int64[n, 3], the provenance of the rows."""
        assert self.result.origins is not None
        found: npt.NDArray[np.int64] = self.result.origins
        return found

    @property
    def locks(self) -> list[str]:
        """Names of the metered locks."""
        return self.memory.locks

    @cached_property
    def transfers(self) -> list[Transfer]:
        """Every served request for a line, in the order of service."""
        return transfers(self)

    @cached_property
    def attribution(self) -> Attribution:
        """The acquisitions of locks, and the acquisition of each row."""
        return attribute(self)

    def word(self, address: int) -> str:
        """A word's name."""
        if address not in self._words:
            self._words[address] = self.memory.name(address)
        return self._words[address]

    def line(self, number: int) -> str:
        """A line's name, made of the names of its words: ``lock.nodes[3].{next, locked}``."""
        wpl = self.memory.space.words_per_line
        names = [self.word(a) for a in range(number * wpl, (number + 1) * wpl)]
        known = [name for name in names if not name.startswith("word ")]
        return _together(known) or f"line {number}"

    def place(self, number: int) -> Place:
        """The place in the program for a place number."""
        return self.result.places[number]

    def source(self, number: int) -> str:
        """The source line of a place."""
        place = self.place(number)
        return linecache.getline(place.file, place.line).strip()

    def ledger(self) -> Ledger:
        """The coherence ledger: the line transfers of each acquisition."""
        from locksim.study.traces.ledger import Ledger

        return Ledger(self)

    def frame(self) -> pd.DataFrame:
        """The rows as a tidy table; see :mod:`locksim.study.traces.frames`."""
        from locksim.study.traces.frames import frame

        return frame(self)

    def to_chrome(self) -> dict[str, Any]:
        """The trace in the trace-event format of Perfetto and Chrome."""
        from locksim.study.traces.chrome import document

        return document(self)

    def player(self) -> Any:
        """The player, for a notebook's cell; ``save(path)`` writes it as a page."""
        from locksim.study.traces.player import Player

        return Player.of_trace(self)

    def save(self, path: str | Path) -> Path:
        """Write the trace; the suffix decides: .html, .json (Perfetto), .parquet.

        Raises:
            TraceError: the suffix is unknown. OSError: the file cannot be written.
        """
        from locksim.study.traces.save import save

        return save(self, Path(path))


def _together(names: list[str]) -> str:
    """Several words' names as one, with the common part written once."""
    if len(names) < 2:
        return "".join(names)
    split = [name.rpartition(".") for name in names]
    prefixes = {prefix for prefix, _, _ in split}
    lasts = [last for _, _, last in split]
    if len(prefixes) > 1:
        lasts, prefix = names, ""
    else:
        prefix = split[0][0] and split[0][0] + "."
    short = lasts if len(lasts) <= 3 else [lasts[0], "…", lasts[-1]]
    if len(short) == 3 and short[1] == "…":
        return f"{prefix}{short[0]} … {short[2]}"
    return f"{prefix}{{{', '.join(short)}}}" if prefix else ", ".join(short)
