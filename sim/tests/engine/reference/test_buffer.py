"""The reference engine's store buffer: order, draining, capacity, and waits for fills."""

from __future__ import annotations

from typing import Any

from tiny_machine import A2, L1, MEMORY, STORE, A, B, C, counts, notes, rows_of, run, timeline

from locksim.lang import RELAXED, compute, note

FILL = MEMORY


def test_stores_drain_in_order():
    """A later store to a line that is here already still waits for the earlier one."""

    def program(self: Any):
        yield self.b.load()
        yield self.a.store(1, RELAXED)
        yield self.b.store(2, RELAXED)

    drained = [row for row in rows_of(program) if row[2] == "drained"]
    assert drained == [
        (FILL + FILL, 1, "drained", A, 1),
        (FILL + FILL + STORE, 1, "drained", B, 2),
    ]


def test_a_store_to_the_line_of_the_one_before_hits():
    """The buffer writes one entry each store time once it has the line."""

    def program(self: Any):
        for value in (1, 2, 3):
            yield self.a.store(value, RELAXED)

    result = run(program)
    drained = [row for row in timeline(result) if row[2] == "drained"]
    assert drained == [
        (FILL, 1, "drained", A, 1),
        (FILL + STORE, 1, "drained", A, 2),
        (FILL + 2 * STORE, 1, "drained", A, 3),
    ]
    assert counts(result, 0) == {"stores": 3, "hits": 2, "memory": 1, "miss_ps": FILL}


def test_a_full_buffer_holds_the_core_up():
    """A store waits until an entry is free, and is issued an L1 hit's time later."""

    def program(self: Any):
        yield self.a.store(1, RELAXED)
        yield self.b.store(2, RELAXED)
        yield note(1)

    assert rows_of(program, store_buffer_entries=1) == [
        (0, 0, "store", A, 1),
        (0, 1, "served", 1, FILL),
        (FILL, 1, "drained", A, 1),
        (FILL + L1, 0, "store", B, 2),
        (FILL + L1, 1, "served", 2, 2 * FILL + L1),
        (FILL + L1 + STORE, 0, "note", 1, 0),
        (2 * FILL + L1, 1, "drained", B, 2),
    ]


def test_the_head_takes_up_an_entry_until_it_is_drained():
    """Of three stores into two entries the third waits for the first's line."""

    def program(self: Any):
        for word in (self.a, self.b, self.c):
            yield word.store(1, RELAXED)
        yield note(1)

    assert notes(program, store_buffer_entries=2) == [(FILL + L1 + STORE, 0, 1)]
    assert notes(program, store_buffer_entries=3) == [(3 * STORE, 0, 1)]


def test_a_load_waits_for_the_fill_that_the_buffer_asked_for():
    """The line is the CPU's own but under way: the load is issued again when it arrives."""

    def program(self: Any):
        yield self.a.store(1, RELAXED)
        yield self.a2.load()
        yield note(1)

    result = run(program)
    assert timeline(result) == [
        (0, 0, "store", A, 1),
        (0, 1, "served", 1, FILL),
        # At the arrival the core comes before the buffer.
        (FILL, 0, "load", A2, 0),
        (FILL, 1, "drained", A, 1),
        (FILL + L1, 0, "note", 1, 0),
    ]
    assert counts(result, 0) == {
        "loads": 1,
        "stores": 1,
        "hits": 1,
        "memory": 1,
        "miss_ps": FILL,
    }


def test_the_buffer_waits_for_the_fill_that_the_core_asked_for():
    """A load has the line exclusive and under way; the store behind it waits for the arrival."""

    def program(self: Any):
        yield self.b.store(1, RELAXED)
        yield self.a.store(2, RELAXED)
        yield self.a2.load()

    read = 2 * STORE
    assert rows_of(program)[2:] == [
        (STORE, 0, "store", A, 2),
        (read, 0, "served", 1, read + FILL),
        (FILL, 1, "drained", B, 1),
        (read + FILL, 0, "load", A2, 0),
        (read + FILL, 1, "drained", A, 2),
    ]


def test_what_the_other_agent_has_fetched_needs_no_transaction():
    """A load queued behind the own buffer's request finds the line there: a hit after the wait."""

    def owner(self: Any):
        yield self.a.fetch_add(1)

    def program(self: Any):
        yield self.a.store(1, RELAXED)
        yield self.a2.load()
        yield note(1)

    transfer = 100
    busy = FILL + transfer
    result = run(owner, program, tenure_ps=0)
    assert timeline(result)[2:] == [
        (FILL, 0, "fetch_add", A, 0),
        (FILL, 3, "served", 1, busy),
        # The load is served as soon as the line is free, the store drained after it.
        (busy, 2, "served", 1, busy + L1),
        (busy, 3, "drained", A, 1),
        (busy + L1, 2, "load", A2, 0),
        (busy + L1, 2, "note", 1, 0),
    ]
    asked = STORE
    assert counts(result, 1) == {
        "loads": 1,
        "stores": 1,
        "hits": 1,
        "from_node": 1,
        "miss_ps": busy + busy + L1 - asked,
        "queue_ps": FILL + busy - asked,
    }
    assert 2 == result.lines[1]


def test_others_see_a_store_only_when_it_has_drained():
    """Both threads store, then load the other's word: both can miss the other's store (TSO).

    A store before it keeps the line of ``c`` busy, so each CPU's copy of the other's word lives.
    """

    def program(mine: str, other: str) -> Any:
        def run_it(self: Any):
            yield getattr(self, other).load()
            yield compute(10_000)
            yield self.c.store(1, RELAXED)
            yield getattr(self, mine).store(1, RELAXED)
            yield note((yield getattr(self, other).load()))

        return run_it

    assert [at for _, _, at in notes(program("a", "b"), program("b", "a"))] == [0, 0]


def test_the_buffer_drains_after_its_thread_has_returned():
    """What was stored becomes visible though nobody waits for it."""

    def program(self: Any):
        yield self.c.store(8, RELAXED)

    result = run(program)
    assert 8 == result.memory[C]
    assert (FILL, 4) == (result.end_ps, result.finished)
    cut = run(program, until_ps=FILL)
    assert 0 == cut.memory[C]
    assert (FILL, 4) == (cut.end_ps, cut.finished)
