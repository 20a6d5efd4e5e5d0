"""Traces of runs: the actions of every CPU, lock and line, with their costs.

    from locksim.study.traces import record
    from locksim.library.workloads.critical_section import CriticalSection

    trace = record(CriticalSection(), machine="ideal-8")
    trace.ledger().table()          # line transfers per acquisition, by line and source line
    trace.save("ttas.html")         # the player; .json is for Perfetto, .parquet for pandas

The modules, from rows to pictures: :mod:`record` runs an engine, and :mod:`trace` holds the rows
and names. :mod:`transfers` finds the supplier and receiver of each line, and :mod:`acquisitions`
the threads that waited and held. All exporters read these: :mod:`ledger`, :mod:`frames` (tables),
:mod:`chrome` (Perfetto), :mod:`player` (the page and the widget). ``docs/use/traces.md``
explains them.
"""

from locksim.study.traces.errors import TraceError
from locksim.study.traces.ledger import Ledger
from locksim.study.traces.record import record
from locksim.study.traces.trace import Trace

__all__ = ["Ledger", "Trace", "TraceError", "record"]
