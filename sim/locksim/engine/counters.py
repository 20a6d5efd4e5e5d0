"""Names of the engines' counters for each CPU and each lock, the columns of their arrays."""

from __future__ import annotations

CPU_COUNTERS = (
    "done",  # units of work
    "loads",  # loads that took effect, forwarded and spinning ones included
    "stores",  # plain stores issued
    "rmws",  # swaps (SEQ_CST stores too), compare_swaps, fetch_*: including failed ones
    "fences",  # SEQ_CST fences
    "pauses",
    "compute_ps",  # picoseconds requested by compute (at least 1 each)
    "allocs",
    "frees",
    "blocks",
    "wakes",
    "switches",  # to another thread
    "forwarded",  # loads served from the own store buffer
    "hits",  # loads, immediate stores, drained stores and RMWs that needed no transfer
    "beyond_l1",  # hits that were not in L1
    "evictions",  # lines that the CPU evicted to make room
    "writebacks",  # lines written back to memory to make room for its requests
    "capacity",  # transfers of a line that the CPU evicted and no CPU wrote since
    "upgrades",  # exclusive requests of a CPU that held a shared copy
    "memory",  # transfers supplied by memory
    "from_core",  # … by a cache of distance class 1
    "from_node",  # … class 2
    "from_far1",  # … class 3
    "from_far2",  # … class 4
    "from_far3",  # … class 5 and beyond
    "invalidated",  # copies lost to other CPUs' writes, or with a line of a shared cache
    "miss_ps",  # from a request for a line to its completion, including queueing and store buffers
    "queue_ps",  # … the part of it spent in the line's queue before being served
)
"""Columns of ``cpu`` in a result: one row for each CPU. ``notes`` and marks are not counted.

Distance class k (2 …) of a cache supplier counts in ``from_node`` + (k - 2), capped; class 1 in
``from_core``."""

LOCK_COUNTERS = (
    "total",  # exclusive acquisitions (successful)
    "contended",  # … that executed at least one pause or block between start and success
    "wait_ps",  # sum over contended acquisitions of success - start
    "wait_max_ps",
    "hold_ps",  # sum of release - success
    "hold_max_ps",
    "rejected",  # failed tries
    "read_total",
    "read_contended",
    "read_wait_ps",
    "read_wait_max_ps",
    "read_hold_ps",  # sum over readers of release - success
    "read_hold_max_ps",
    "readers_max",  # most readers at once
    "busy_periods",  # periods during which at least one reader held it
    "busy_ps",  # their total length
    "busy_max_ps",  # the longest
    "contended_ww",  # contended exclusive acquisitions that waited for another exclusive holder
    "wait_ww_ps",  # their waits
    "wait_ww_max_ps",
    "violations",  # acquisitions in violation of mutual exclusion
    "owner",  # state: thread that holds it exclusively + 1, or 0
    "readers",  # state: readers now
    "since_ps",  # state: when the exclusive hold began
    "busy_since_ps",  # state: when the reader busy period began
    "nesting",  # state: 0 if the lock is not recursive, else 1 + the owner's further entries
)
"""Columns of ``locks`` in a result: one row for each metered struct, in the order of addresses."""

LOCK_STATE = ("owner", "readers", "since_ps", "busy_since_ps", "nesting")
"""The lock columns with the present state instead of counts."""

LOCK_MAXIMA = (
    "wait_max_ps",
    "hold_max_ps",
    "read_wait_max_ps",
    "read_hold_max_ps",
    "readers_max",
    "busy_max_ps",
    "wait_ww_max_ps",
)
"""The lock columns that are maxima, which must not be summed over runs."""
