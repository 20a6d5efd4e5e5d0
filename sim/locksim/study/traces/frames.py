"""A trace as one tidy table: one row for each row of the trace.

Columns: ``time_ps``, ``cpu``, ``agent`` ("core" or "buffer"), ``what``, ``word``, ``address``,
``value``. Where a line was served also ``line``, ``kind``, ``supplier`` (CPU; missing: memory),
``asked_ps``, ``ready_ps``. The row's acquisition: ``lock``, ``acquisition``, ``phase``. Its source:
``file``, ``line_number``, ``method``. Missing values are missing, not -1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from locksim.engine.trace import DRAINED, MARK, NAMES, SERVED
from locksim.lang.ops import Kind, Mark
from locksim.study.traces.acquisitions import NOTHING, PHASES

if TYPE_CHECKING:
    import pandas as pd

    from locksim.study.traces.trace import Trace

WITH_WORD = frozenset([*range(Kind.LOAD, Kind.FETCH_XOR + 1), DRAINED])
"""Kinds of rows about a word: operations on memory, and DRAINED."""


def what_name(what: int) -> str:
    """A row's kind as text: "load", "served", "acquired"."""
    return Mark(what - MARK).name.lower() if what > MARK else NAMES[what]


def frame(trace: Trace) -> pd.DataFrame:
    """The table of a trace."""
    import pandas as pd

    time, agent, what, address, value = trace.rows.T
    whole = pd.DataFrame({"time_ps": time, "cpu": agent >> 1})
    whole["agent"] = pd.Categorical(np.where(agent & 1, "buffer", "core"))
    whole["what"] = pd.Categorical([what_name(int(w)) for w in what])
    has_word = np.isin(what, list(WITH_WORD))
    words = [trace.word(int(a)) if has else None for a, has in zip(address, has_word, strict=True)]
    whole["word"] = pd.Categorical(words)
    whole["address"], whole["value"] = address, value
    transfers = {transfer.row: transfer for transfer in trace.transfers}
    of = [transfers.get(k) for k in range(len(whole))]
    whole["line"] = pd.Categorical(_each(lambda transfer: trace.line(transfer.line), of))
    whole["kind"] = pd.Categorical(_each(attrgetter("kind"), of))
    whole["supplier"] = pd.array(_each(attrgetter("supplier"), of), "Int64")
    whole["asked_ps"] = pd.array(_each(attrgetter("asked_ps"), of), "Int64")
    whole["ready_ps"] = whole["value"].where(what == SERVED).astype("Int64")
    held = _each(trace.attribution.acquisitions.__getitem__, trace.attribution.of_row)
    whole["lock"] = pd.Categorical(_each(lambda one: trace.locks[one.lock], held))
    whole["acquisition"] = pd.array(_each(attrgetter("number"), held), "Int64")
    whole["phase"] = pd.Categorical(_each(PHASES.__getitem__, trace.attribution.phase_of_row))
    places = _each(trace.place, trace.origins[:, 0].tolist())
    whole["file"] = pd.Categorical(_each(attrgetter("file"), places))
    whole["line_number"] = pd.array(_each(attrgetter("line"), places), "Int64")
    whole["method"] = pd.Categorical(_each(attrgetter("method"), places))
    return whole


def _each(get: Callable[[Any], Any], things: Iterable[Any]) -> list[Any]:
    """What a function gives for each thing, None for a missing one (None or -1)."""
    return [None if thing in (None, NOTHING) else get(thing) for thing in things]
