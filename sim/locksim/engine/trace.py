"""Trace rows: what both engines record, event for event, in the order in which it takes effect.

A row is (time_ps, agent, what, address, value). ``agent`` is 2c for CPU c's core, 2c + 1 for its
store buffer.

| what | recorded when | address | value |
|---|---|---|---|
| a Kind's number, LOAD | it takes effect | word | value read |
| STORE | it is issued (enters the buffer, or takes effect at once) | word | value |
| SWAP, COMPARE_SWAP, FETCH_* (a SEQ_CST store is a SWAP) | it takes effect | word | old value |
| FENCE (SEQ_CST), PAUSE, BLOCK | it is issued (after any wait for the store buffer) | 0 | 0 |
| COMPUTE | it is issued | 0 | picoseconds asked for |
| WAKE | it is issued | 0 | CPU |
| SWITCH (to another thread) | it is issued (after any wait for the store buffer) | 0 | thread |
| ALLOC, FREE | it is issued | object | 0 |
| DRAINED | a buffered store takes effect | word | value |
| SERVED | a request for a line is served | line | ready_at (the time of completion) |
| EVICTED | the request served in the row before made room | line | 1 if written back, else 0 |
| MARK + a Mark's number | the mark is passed | its subject's address (NOTE: the number) | 0 |

Beside every row stands its origin, (place, asked_ps, exclusive): where in the program the operation
stands, as an index into the result's ``places`` (for DRAINED: the store's; a mark has none: -1);
for SERVED the time at which the line was asked for, else the row's own; and 1 where an exclusive
copy was asked for, else 0.
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
