"""A trace as one tidy table: one row for each row of the trace.

Columns: ``time_ps``, ``cpu``, ``agent`` ("core" or "buffer"), ``what``, ``word``, ``address``,
``value``. Where a line was served also ``line``, ``kind``, ``supplier`` (CPU; missing: memory),
``asked_ps``, ``ready_ps``. The row's acquisition: ``lock``, ``acquisition``, ``phase``. Its source:
``file``, ``line_number``, ``method``. Missing values are missing, not -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locksim.engine.trace import DRAINED, MARK, NAMES, SERVED
from locksim.lang.ops import Kind, Mark
from locksim.study.traces.acquisitions import PHASES

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
    found = trace.attribution
    whole = pd.DataFrame({"time_ps": time, "cpu": agent >> 1})
    whole["agent"] = pd.Categorical(np.where(agent & 1, "buffer", "core"))
    whole["what"] = pd.Categorical([what_name(int(w)) for w in what])
    has_word = np.isin(what, list(WITH_WORD))
    words = [trace.word(int(a)) if has else None for a, has in zip(address, has_word, strict=True)]
    whole["word"] = pd.Categorical(words)
    whole["address"], whole["value"] = address, value
    transfers = {transfer.row: transfer for transfer in trace.transfers}
    of = [transfers.get(k) for k in range(len(whole))]
    whole["line"] = pd.Categorical([t and trace.line(t.line) for t in of])
    whole["kind"] = pd.Categorical([t and t.kind for t in of])
    whole["supplier"] = pd.array([t.supplier if t else None for t in of], "Int64")
    whole["asked_ps"] = pd.array([t.asked_ps if t else None for t in of], "Int64")
    whole["ready_ps"] = whole["value"].where(what == SERVED).astype("Int64")
    numbers = found.of_row
    held = [found.acquisitions[n] if n >= 0 else None for n in numbers]
    whole["lock"] = pd.Categorical([a and trace.locks[a.lock] for a in held])
    whole["acquisition"] = pd.array([a.number if a else None for a in held], "Int64")
    whole["phase"] = pd.Categorical([PHASES[p] if p >= 0 else None for p in found.phase_of_row])
    places = [trace.place(p) if p >= 0 else None for p in trace.origins[:, 0].tolist()]
    whole["file"] = pd.Categorical([p and p.file for p in places])
    whole["line_number"] = pd.array([p.line if p else None for p in places], "Int64")
    whole["method"] = pd.Categorical([p and p.method for p in places])
    return whole
