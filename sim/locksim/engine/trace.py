"""Trace rows: records of both engines, event for event, in the order of their effects.

A row is (time_ps, agent, what, address, value). ``agent`` is 2c for CPU c's core, 2c + 1 for its
store buffer.

| what | recorded when | address | value |
|---|---|---|---|
| a Kind's number, LOAD | it takes effect | word | value read |
| STORE | it is issued (enters the buffer, or takes effect at once) | word | value |
| SWAP, COMPARE_SWAP, FETCH_* (a SEQ_CST store is a SWAP) | it takes effect | word | old value |
| FENCE (SEQ_CST), PAUSE, BLOCK | it is issued (after any wait for the store buffer) | 0 | 0 |
| COMPUTE | it is issued | 0 | requested picoseconds |
| WAKE | it is issued | 0 | CPU |
| TIMER | it is issued | 0 | time |
| SWITCH (to another thread), the timer's | it is issued (the store buffer is empty) | 0 | thread |
| ALLOC, FREE | it is issued | object | 0 |
| DRAINED | a buffered store takes effect | word | value |
| SERVED | a request for a line is served | line | ready_at (the time of completion) |
| EVICTED | the request served in the row before made room | line | 1 if written back, else 0 |
| MARK + a Mark's number | the mark is passed | its subject's address (NOTE: the number) | 0 |

Every row has a provenance, (place, asked_ps, exclusive). The place of the operation in the program
is an index into the result's ``places``; for DRAINED it is that of the store, for a mark -1. For
SERVED the time is that of the request, otherwise the row's own. The last number is 1 if an
exclusive copy was requested, 2 for a far atomic, else 0.
"""

from __future__ import annotations

from locksim.lang.ops import Kind

DRAINED = 32
SERVED = 33
EVICTED = 34
MARK = 64

NAMES = {
    **{int(kind): kind.name.lower() for kind in Kind},
    DRAINED: "drained",
    SERVED: "served",
    EVICTED: "evicted",
}
