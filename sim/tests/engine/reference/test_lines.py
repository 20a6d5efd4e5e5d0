"""The reference engine's lines and buses: who supplies, who loses, who waits, on computed times."""

from __future__ import annotations

from typing import Any

from tiny_machine import (
    EACH,
    INVALIDATE,
    INVALIDATE_FAR,
    L1,
    MEMORY,
    MEMORY_FAR,
    RMW,
    TRANSFER,
    TRANSFER_FAR,
    A,
    after,
    counts,
    rows_of,
    run,
    served,
)

from locksim.lang import RELAXED, compute, now, pause
from locksim.lang.randomness import TRANSACTIONS, below, draw

OVERLAP = [0, 0, 15, 25]


def read(self: Any):
    """Load a."""
    yield self.a.load()


def write(self: Any):
    """Change a."""
    yield self.a.fetch_add(1)


def put(self: Any):
    """Store to a."""
    yield self.a.store(1, RELAXED)


def idle(self: Any):
    """Do nothing."""
    yield pause()


def test_memory_supplies_what_nobody_has():
    """Its time depends on the home's distance; lines of CPU 2's own words are at home with it."""

    def own(self: Any):
        yield self.own[2].load()

    assert served(read) == [(0, 0, 1, MEMORY)]
    assert served(idle, idle, read) == [(0, 4, 1, MEMORY_FAR)]
    assert served(idle, idle, own) == [(0, 4, 6, MEMORY)]
    assert served(own) == [(0, 0, 6, MEMORY_FAR)]


def test_the_only_reader_may_write_without_a_transaction():
    """Who reads what nobody has gets it exclusive."""

    def program(self: Any):
        yield self.a.load()
        yield self.a.fetch_add(1)

    assert 1 == len(served(program))


def test_an_owner_supplies_and_loses_its_copy_to_a_writer():
    """A write takes the line from its owner; the owner's next load misses."""

    def first(self: Any):
        yield self.a.fetch_add(1)
        yield from after(5_000, read)(self)

    result = run(first, after(1_000, write))
    assert served(first, after(1_000, write)) == [
        (0, 0, 1, MEMORY),
        (1_000, 2, 1, 1_000 + TRANSFER),
        (5_000 + MEMORY + RMW, 0, 1, 5_000 + MEMORY + RMW + TRANSFER),
    ]
    assert 1 == counts(result, 0)["invalidated"]
    assert 1 == counts(result, 0)["from_node"]
    assert 3 == result.lines[1]


def test_an_owner_supplies_and_shares_with_a_reader():
    """After a read of an owned line both read it for nothing, and neither may write."""

    def first(self: Any):
        yield self.a.fetch_add(1)
        yield from after(5_000, read)(self)
        yield from after(100, write)(self)

    upgrade = 5_000 + MEMORY + RMW + L1 + 100
    result = run(first, after(1_000, read))
    assert served(first, after(1_000, read)) == [
        (0, 0, 1, MEMORY),
        (1_000, 2, 1, 1_000 + TRANSFER),
        (upgrade, 0, 1, upgrade + INVALIDATE),
    ]
    assert {"hits": 1, "upgrades": 1, "memory": 1}.items() <= counts(result, 0).items()
    assert {"invalidated": 1, "from_node": 1}.items() <= counts(result, 1).items()


def test_a_far_owner_takes_longer():
    """The transfer's class is the distance between the two CPUs."""
    assert served(write, idle, after(1_000, write))[1] == (1_000, 4, 1, 1_000 + TRANSFER_FAR)
    far = run(write, idle, after(1_000, write))
    assert 1 == counts(far, 2)["from_far1"]


def test_a_clean_line_comes_from_its_home_or_the_nearest_sharer():
    """CPU 3 reads what CPUs 0 and 2 share: its home is far, CPU 2 is near."""
    programs = (read, idle, after(1_000, read), after(5_000, read))
    assert served(*programs)[2] == (5_000, 6, 1, 5_000 + MEMORY_FAR)
    assert served(*programs, clean_nearest=1)[2] == (5_000, 6, 1, 5_000 + TRANSFER)
    assert 1 == counts(run(*programs), 3)["memory"]
    assert 1 == counts(run(*programs, clean_nearest=1), 3)["from_node"]


def test_an_upgrade_asks_the_home_and_invalidates_the_others():
    """It takes the longer of the home's permission and the farthest sharer's acknowledgement."""

    def upgrade(self: Any):
        yield self.a.load()
        yield from after(10_000, write)(self)

    def latency(*programs: Any) -> int:
        time, _, _, ready = served(*programs)[-1]
        return ready - time

    later = after(1_000, read)
    assert INVALIDATE == latency(upgrade, later)
    assert INVALIDATE_FAR == latency(upgrade, idle, later)
    assert INVALIDATE_FAR + EACH == latency(upgrade, idle, later, later)
    assert INVALIDATE_FAR + 2 * EACH == latency(upgrade, later, later, later)
    # CPU 2's permission comes from far away, though the other sharer is near.
    assert INVALIDATE_FAR == latency(idle, idle, upgrade, later)


def test_a_writer_without_a_copy_waits_for_data_and_invalidations():
    """CPU 1 writes what others share: the longer of the two counts, and all sharers lose it."""
    near = served(read, after(10_000, write), after(1_000, read))
    assert near[-1] == (10_000, 2, 1, 10_000 + INVALIDATE_FAR + EACH)
    cheap = served(read, after(10_000, write), after(1_000, read), invalidate_ps=[0, 1, 2, 3])
    assert cheap[-1] == (10_000, 2, 1, 10_000 + MEMORY)
    result = run(read, after(10_000, write), after(1_000, read))
    assert [1, 0, 1] == [counts(result, c).get("invalidated", 0) for c in range(3)]
    assert "upgrades" not in counts(result, 1)


def test_requests_for_a_busy_line_queue_up():
    """Four writers at once are served one after the other, in the order of arrival."""
    far = MEMORY + TRANSFER
    assert served(after(3, write), after(2, write), after(1, write), after(4, write)) == [
        (1, 4, 1, 1 + MEMORY_FAR),
        (1 + MEMORY_FAR, 2, 1, 1 + MEMORY_FAR + TRANSFER_FAR),
        (1 + MEMORY_FAR + TRANSFER_FAR, 0, 1, 1 + MEMORY_FAR + TRANSFER_FAR + TRANSFER),
        (
            1 + MEMORY_FAR + TRANSFER_FAR + TRANSFER,
            6,
            1,
            1 + MEMORY_FAR + TRANSFER_FAR + TRANSFER + TRANSFER_FAR,
        ),
    ]
    assert far == served(write, write)[-1][3]


def test_time_in_the_queue_is_counted():
    """The second of two writers waits for the first's line."""
    result = run(write, write)
    assert {"queue_ps": MEMORY, "miss_ps": MEMORY + TRANSFER}.items() <= counts(result, 1).items()


def test_a_request_at_the_moment_of_arrival_joins_the_queue_s_end():
    """A line that is free again is still the head's, who waits longer."""
    late = after(MEMORY, write)
    requests = served(write, after(MEMORY - 1, write), late)
    assert [0, 2, 4] == [agent for _, agent, _, _ in requests]
    # Without a head the same request is served at once.
    assert (MEMORY, 4, 1, MEMORY + TRANSFER_FAR) == served(write, idle, late)[1]


def test_equal_times_are_ordered_by_agent():
    """Two requests of one moment: the lower CPU's is first, whatever the programs did before."""
    requests = served(after(7, write), after(7, write), idle)
    assert [(7, 0), (7 + MEMORY, 2)] == [(time, agent) for time, agent, _, _ in requests]


def test_a_transfer_is_shorter_by_the_wait_for_the_line():
    """By no more than the overlap of its distance, and not at all if nobody waited."""
    for wait, done in ((0, 0), (6, 6), (15, 15), (MEMORY, 15)):
        requests = served(write, after(MEMORY - wait, write), overlap_ps=OVERLAP)
        assert (MEMORY, 2, 1, MEMORY + TRANSFER - done) == requests[1]
    far = served(write, idle, write, overlap_ps=OVERLAP)[1]
    assert (MEMORY, 4, 1, MEMORY + TRANSFER_FAR - 25) == far


def test_an_upgrade_is_shorter_by_the_wait_for_the_line():
    """The home's permission and the invalidation each by the overlap of its own distance."""

    def latency(wait: int, upgrader: int, reader: int, transfer: int) -> int:
        """Of an upgrade that is asked for ``wait`` before the reader's copy has arrived."""
        arrival = 1_000 + transfer

        def upgrade(self: Any):
            yield self.a.load()
            yield compute(arrival - wait - now())
            yield self.a.fetch_add(1)

        programs = [idle] * 4
        programs[upgrader], programs[reader] = upgrade, after(1_000, read)
        time, agent, _, ready = served(*programs, overlap_ps=OVERLAP)[-1]
        assert (arrival, 2 * upgrader) == (time, agent)
        return ready - time

    assert INVALIDATE - 6 == latency(6, 0, 1, TRANSFER)
    assert INVALIDATE - 15 == latency(40, 0, 1, TRANSFER)
    assert INVALIDATE_FAR - 25 == latency(40, 0, 2, TRANSFER_FAR)
    # CPU 2's permission comes from far away, though the other sharer is near.
    assert INVALIDATE_FAR - 25 == latency(40, 2, 3, TRANSFER)


def test_memory_is_not_sooner_for_a_wait():
    """The third reader waits for two others and has the whole latency before it."""
    requests = served(read, read, read, overlap_ps=OVERLAP)
    shared = MEMORY + TRANSFER - 15
    assert (shared, 4, 1, shared + MEMORY_FAR) == requests[2]


def test_tenure_keeps_a_line_after_a_fill():
    """The next request waits until the owner has had the line for its tenure."""
    held = MEMORY + 33
    assert (held, 2, 1, held + TRANSFER) == served(write, write, tenure_ps=33)[1]
    assert (held, 2, 1, held + TRANSFER) == served(write, read, tenure_ps=33)[1]


def test_plain_tenure_is_of_loads_and_stores():
    """What atomics brought is held for the tenure, what loads and stores brought for less."""
    apart = {"tenure_ps": 33, "tenure_plain_ps": 5}
    assert MEMORY + 33 == served(write, write, **apart)[1][0]
    assert MEMORY + 5 == served(read, write, **apart)[1][0]
    assert MEMORY + 5 == served(put, write, **apart)[1][0]
    assert MEMORY + 33 == served(write, write, tenure_ps=33, tenure_plain_ps=0)[1][0]


def test_tenure_of_a_reader_holds_up_writers_only():
    """A copy that was read is kept for the tenure too, but others may share it at once."""
    held = MEMORY + 33
    assert (held, 2, 1, held + TRANSFER) == served(read, write, tenure_ps=33)[1]
    assert (MEMORY, 2, 1, MEMORY + TRANSFER) == served(read, read, tenure_ps=33)[1]


def test_jitter_lengthens_each_transaction():
    """The k-th transaction of a run takes the k-th draw longer, and keeps its line as long."""
    extra = [below(int(draw(5, TRANSACTIONS, k)), 91) for k in range(2)]
    arrival = MEMORY + extra[0]
    assert served(write, write, jitter_ps=90, seed=5) == [
        (0, 0, 1, arrival),
        (arrival, 2, 1, arrival + TRANSFER + extra[1]),
    ]
    assert 0 < max(extra) <= 90


def test_jitter_is_the_seed_s():
    """Over some seeds it takes many values, none of them negative or above the machine's."""
    extra = {served(read, jitter_ps=9, seed=seed)[0][3] - MEMORY for seed in range(100)}
    assert set(range(10)) == extra


def test_jitter_of_a_pipelined_read_does_not_hold_up_the_next():
    """It delays the reader's data; the line is free after the same short time."""
    programs = (read, after(1_000, read), after(2_000, read), after(2_000, read))
    requests = served(*programs, jitter_ps=90, seed=5)
    assert [2_000, 2_040] == [time for time, _, _, _ in requests[2:]]


def test_reads_of_a_clean_line_are_pipelined():
    """They occupy the line for a short time only, unless the directory blocks."""
    programs = (read, after(1_000, read), after(2_000, read), after(2_000, read))
    assert served(*programs)[2:] == [
        (2_000, 4, 1, 2_000 + MEMORY_FAR),
        (2_040, 6, 1, 2_040 + MEMORY_FAR),
    ]
    assert served(*programs, blocking=1)[2:] == [
        (2_000, 4, 1, 2_000 + MEMORY_FAR),
        (2_000 + MEMORY_FAR, 6, 1, 2_000 + 2 * MEMORY_FAR),
    ]


def test_a_read_from_an_owner_occupies_the_line():
    """It is never pipelined: the owner's copy has to be written back."""
    requests = served(write, after(1_000, read), after(1_000, read))
    assert requests[2][0] == 1_000 + TRANSFER


def test_a_writer_waits_for_the_reads_under_way():
    """Nobody is asked to give a line up before it has arrived: the readers see the old value."""
    programs = (read, after(1_000, read), after(2_000, read), after(2_001, write))
    arrival = 2_000 + MEMORY_FAR
    rows = rows_of(*programs)
    assert [(arrival, 4, "load", A, 0)] == [r for r in rows if r[1] == 4 and r[2] == "load"]
    assert (arrival, 6) == served(*programs)[-1][:2]
    assert (arrival + 33, 6) == served(*programs, tenure_ps=33)[-1][:2]


def test_a_read_behind_a_waiting_writer_waits_for_it():
    """First come, first served: a read that could be pipelined does not overtake a writer."""

    def upgrade(self: Any):
        yield self.a.load()
        yield from after(2_000, write)(self)

    # CPU 1 gets a copy and upgrades it 2,000 ps later, while CPU 2's read is under way.
    upgraded = 3_000 + TRANSFER
    late = after(upgraded + 50, read)
    requests = served(read, after(1_000, upgrade), after(upgraded - 50, read), late)
    arrival = upgraded - 50 + MEMORY_FAR
    assert requests[2:] == [
        (upgraded - 50, 4, 1, arrival),
        (arrival, 2, 1, arrival + INVALIDATE_FAR + EACH),
        (arrival + INVALIDATE_FAR + EACH, 6, 1, arrival + INVALIDATE_FAR + EACH + TRANSFER_FAR),
    ]


def test_one_bus_takes_one_transaction_at_a_time():
    """With a global bus transactions on different lines wait for one another."""

    def other(self: Any):
        yield self.b.load()

    assert served(read, other, bus_kind=2) == [(0, 0, 1, MEMORY), (0, 2, 2, 50 + MEMORY)]
    assert served(read, other, bus_kind=0)[1] == (0, 2, 2, MEMORY)


def test_waiting_for_a_bus_is_no_queueing_for_the_line():
    """It is part of the miss, and the line is busy the later."""

    def other(self: Any):
        yield self.b.load()

    result = run(read, other, bus_kind=2)
    assert {"miss_ps": 50 + MEMORY}.items() <= counts(result, 1).items()
    assert "queue_ps" not in counts(result, 1)


def test_a_pipelined_read_occupies_its_line_from_the_start_on_the_bus():
    """CPU 2's read waits for the bus of b's read; the next read of a waits that much longer."""

    def other(self: Any):
        yield self.b.load()

    def first(self: Any):
        yield self.a.load()
        yield from after(5_000 - MEMORY, other)(self)

    readers = (after(1_000, read), after(5_000, read), after(5_000, read))
    requests = served(first, *readers, bus_kind=2)
    # b's read takes the bus at 5,000, a's first one at 5,050, and a is free again 40 ps later.
    assert requests[2:] == [
        (5_000, 0, 2, 5_000 + MEMORY),
        (5_000, 4, 1, 5_050 + MEMORY_FAR),
        (5_090, 6, 1, 5_100 + MEMORY_FAR),
    ]


def test_buses_of_nodes_join_requester_and_supplier():
    """A transaction inside one node leaves the other node's bus alone; one across takes both."""

    def own(self: Any):
        yield self.own[2].load()

    def other(self: Any):
        yield self.b.load()

    apart = served(read, idle, own, bus_kind=1)
    assert apart == [(0, 0, 1, MEMORY), (0, 4, 6, MEMORY)]
    across = served(read, idle, other, own, bus_kind=1)
    # CPU 2's b is at home in node 0: it waits for node 0's bus and then holds both.
    assert across == [
        (0, 0, 1, MEMORY),
        (0, 4, 2, 50 + MEMORY_FAR),
        (0, 6, 6, 100 + MEMORY),
    ]


def test_the_supplier_of_a_clean_line_names_its_bus():
    """CPU 3's read from CPU 2 keeps to their node's bus; one from memory takes node 0's too."""

    def busy(self: Any):
        yield self.b.load()

    programs = (read, after(5_000, busy), after(1_000, read), after(5_000, read))
    assert served(*programs, bus_kind=1, clean_nearest=1)[3] == (5_000, 6, 1, 5_000 + TRANSFER)
    assert served(*programs, bus_kind=1)[3] == (5_000, 6, 1, 5_050 + MEMORY_FAR)


def test_an_upgrade_takes_the_home_s_bus():
    """CPU 2's upgrade of a line at home in node 0 waits for node 0's bus."""

    def busy(self: Any):
        yield self.b.load()

    upgrade = after(10_000 - 1_000 - TRANSFER_FAR, write)

    def program(self: Any):
        yield self.a.load()
        yield from upgrade(self)

    requests = served(read, after(10_000, busy), after(1_000, program), bus_kind=1)
    assert requests[-1] == (10_000, 4, 1, 10_050 + INVALIDATE_FAR)
