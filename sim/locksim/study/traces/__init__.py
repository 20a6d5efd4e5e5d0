"""Traces that one can look at: what every CPU, lock and line did, and why it took so long.

    from locksim.study.traces import record
    from locksim.library.workloads.critical_section import CriticalSection

    trace = record(CriticalSection(), machine="ideal-8")
    trace.ledger().table()          # transfers per acquisition: which line, which source line
    trace.save("ttas.html")         # the player; .json is for Perfetto, .parquet for pandas

From rows to pictures: :mod:`record` runs an engine, :mod:`trace` holds the rows and names,
:mod:`transfers` works out who supplied which line to whom, :mod:`acquisitions` finds who waited
and held. All exporters read these: :mod:`ledger`, :mod:`frames` (tables), :mod:`chrome` (Perfetto),
:mod:`player` (the page and the widget). How to read them is in ``docs/TRACES.md``.
"""

from locksim.study.traces.errors import TraceError
from locksim.study.traces.ledger import Ledger
from locksim.study.traces.record import record
from locksim.study.traces.trace import Trace

__all__ = ["Ledger", "Trace", "TraceError", "record"]
