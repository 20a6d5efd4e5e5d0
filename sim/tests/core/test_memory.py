"""The memory that a run starts from: addresses, homes, names, set-up, meters, and the heap."""

from __future__ import annotations

from types import FunctionType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_machine import Node, board, tables

from locksim.core.memory import Memory, allocate, build, new_value, release, wrap64
from locksim.core.result import SimulationError
from locksim.lang import (
    Lock,
    Struct,
    Workload,
    alloc,
    array,
    block,
    compute,
    cpu,
    n_cpus,
    node,
    param,
    part,
    pause,
    percpu,
    pernode,
    pointer,
    random_below,
    thread,
    word,
)
from locksim.lang.ops import Kind


class Ticket(Lock):
    """A metered struct."""

    next = word()
    serving = word(7)


class Slot(Struct):
    """An element with a lock."""

    lock = part(Ticket)
    count = word(3)


class Everything(Workload):
    """A workload with fields of every sort."""

    n = param(2)
    lock = part(Ticket, padded=True)
    slots = array("n", Slot)
    own = percpu(Node)
    numbers = array(3, word(5))
    head = pointer(Node)

    def setup(self):
        """Link an allocated node, and count what a set-up knows about itself."""
        node = yield alloc(Node)
        yield node.value.store(100 * n_cpus() + 10 * cpu() + thread())
        yield self.head.store(node)
        yield pause()
        yield compute(5)


def memory_of(workload: Workload, cpus: int = 4, heap_lines: int = 8) -> Memory:
    """The workload's memory on the tiny machine."""
    return build(workload, tables(cpus), [Node], heap_lines=heap_lines)


def test_words_have_their_initial_values():
    """Words, arrays of words and words of embedded structs start with what was declared."""
    memory = memory_of(Everything())
    root = memory.root
    assert 7 == memory.words[int(root.lock.serving)]
    assert [7, 7] == [memory.words[int(root.slots[i].lock.serving)] for i in range(2)]
    assert [3, 3] == [memory.words[int(root.slots[i].count)] for i in range(2)]
    assert [5, 5, 5] == [memory.words[int(root.numbers[i])] for i in range(3)]
    assert 0 == memory.words[int(root.lock.next)]


def test_nothing_lies_where_null_points():
    """Line 0 is nobody's; the workload begins on line 1; the heap is dead."""
    memory = memory_of(Everything())
    assert 8 == int(memory.root)
    assert not memory.live[0]
    assert memory.live[1]
    assert not any(memory.live[memory.heap_next :])
    assert len(memory.live) == memory.heap_next + 8 - 1


def test_per_cpu_words_are_at_home_with_their_cpu():
    """All others are at home in node 0."""
    memory = memory_of(Everything())
    assert [0, 0, 1, 1] == [memory.home[int(memory.root.own[c]) // 8] for c in range(4)]
    own = {int(memory.root.own[c]) // 8 for c in range(4)}
    assert not any(node for line, node in enumerate(memory.home) if line not in own)


def test_per_node_words_are_at_home_in_their_node():
    """Element k lies in node k, whatever the CPUs."""

    class Near(Workload):
        queues = pernode()

    memory = build(Near(), tables(4), [])
    assert [0, 1] == [memory.home[int(memory.root.queues[n]) // 8] for n in range(2)]


def test_pages_go_round_the_nodes_by_their_addresses():
    """Pages of two lines: gaps of alignments count, and what has a place of its own keeps it."""

    class Tables(Workload):
        slots = array(5, word(padded=True))
        own = pernode()
        far = array(2, word(), align=512)

    memory = build(Tables(), tables(4, interleave_lines=2), [Node], heap_lines=4)
    root = memory.root
    # Line 0 is NULL's, so the first page holds one slot.
    assert [0, 1, 1, 0, 0] == [memory.home[int(root.slots[k]) // 8] for k in range(5)]
    assert [0, 1] == [memory.home[int(root.own[n]) // 8] for n in range(2)]
    places = [memory.place[int(root.far[k]) // 8] for k in range(2)]
    assert [place // 2 % 2 for place in places] == [
        memory.home[int(root.far[k]) // 8] for k in range(2)
    ]
    assert 1 == memory.home[allocate(memory, 0, 2, 1)]


def test_setup_cannot_ask_for_its_node():
    """It runs before any thread; in a check the threads may be on any node."""

    class Asks(Workload):
        mine = word()

        def setup(self):
            yield self.mine.store(node())

    with pytest.raises(SimulationError, match=r"Asks.setup\(\) cannot ask for node\(\)"):
        build(Asks(), tables(4), [])


def test_words_are_named_as_a_programmer_writes_them():
    """Static words by their path, allocated ones by their struct, others by their number."""
    memory = memory_of(Everything())
    root = memory.root
    node = memory.words[int(root.head)]
    assert "lock.serving" == memory.name(int(root.lock.serving))
    assert "slots[1].lock.next" == memory.name(int(root.slots[1].lock.next))
    assert "own[2].other" == memory.name(int(root.own[2].other))
    assert "numbers[2]" == memory.name(int(root.numbers[2]))
    assert "head" == memory.name(int(root.head))
    assert f"Node@{node // 8}.other" == memory.name(int(node) + 1)
    assert ["NULL", "word 3", f"word {2**62}", "word -9"] == [
        memory.name(address) for address in (0, 3, 2**62, -9)
    ]


def test_metered_structs_are_numbered_by_address():
    """A struct's first word leads to its number, and its name is the path."""
    memory = memory_of(Everything())
    root = memory.root
    assert ["lock", "slots[0].lock", "slots[1].lock"] == memory.locks
    firsts = [int(root.lock), int(root.slots[0].lock), int(root.slots[1].lock)]
    assert [1, 2, 3] == [memory.lock_of[address] for address in firsts]
    assert 3 == sum(map(bool, memory.lock_of))


def test_setup_runs_before_time_0():
    """It allocates, stores, and sees CPU 0 of all; waiting there costs nothing."""
    memory = memory_of(Everything())
    node = int(memory.words[int(memory.root.head)])
    assert 400 == memory.words[node]
    assert memory.live[node // 8]


def test_parts_are_set_up_before_the_whole():
    """A whole's set-up finds what its parts' have done, in the order of declaration."""

    class Counter(Struct):
        n = word()

        def setup(self):
            yield self.n.fetch_add(1)

    class Whole(Workload):
        parts = array(2, Counter)
        total = word()

        def setup(self):
            first = yield self.parts[0].n.load()
            second = yield self.parts[1].n.swap(9)
            yield self.total.store(10 * first + second)

    memory = memory_of(Whole())
    assert [1, 9, 11] == [memory.words[8 + i] for i in range(3)]


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (lambda self: block(), r"Bad.setup\(\) cannot block: no other thread runs yet"),
        (lambda self: compute(random_below(3)), "cannot draw random numbers"),
        (
            lambda self: self._layout.space.view(Node, 0).other.load(),
            r"Bad.setup\(\): load of word 1, which is outside every live object",
        ),
    ],
)
def test_what_a_setup_must_not_do(operation: object, text: str):
    """Waiting, drawing random numbers and using dead memory are refused."""

    class Bad(Workload):
        x = word()

        def setup(self):
            yield operation(self)  # type: ignore[operator]

    with pytest.raises(SimulationError, match=text):
        memory_of(Bad())


def failing_assert(self):
    """Refuses what it finds."""
    yield self.x.load()
    raise AssertionError("x must be 1")


def failing_helper(self):
    """Divides by zero in its second operation."""
    yield self.x.store(1 // int(self) - 1)
    yield self.x.store(1 // (int(self) - int(self)))


def no_operation(self):
    """Yields a number."""
    yield 7


def endless(self):
    """Never returns."""
    while True:
        yield self.x.load()


def no_program(self):
    """Yields nothing."""
    return 3


@pytest.mark.parametrize(
    ("setup", "offset", "what"),
    [
        (failing_assert, 3, ": an assertion failed: x must be 1"),
        (failing_helper, 3, ": division by zero"),
        (no_operation, 2, ": 7 is yielded, which is not an operation"),
        (endless, 3, " runs for more than 1000 operations"),
    ],
)
def test_a_setup_that_fails_is_named(
    setup: FunctionType, offset: int, what: str, monkeypatch: pytest.MonkeyPatch
):
    """The message has the struct, what is wrong, file and line."""
    monkeypatch.setattr("locksim.core.memory.MAX_SETUP_STEPS", 1000)
    inner = type("Inner", (Struct,), {"x": word(), "setup": setup, "__module__": __name__})
    whole = type("Whole", (Workload,), {"inner": part(inner), "__module__": __name__})
    line = setup.__code__.co_firstlineno + offset
    with pytest.raises(SimulationError) as caught:
        memory_of(whole())
    where = f"test_memory.py:{line} in Inner.{setup.__name__}"
    assert f"Inner.setup(){what} ({where})" == str(caught.value)


def test_a_setup_that_yields_nothing_does_nothing():
    """A helper can not touch memory, so there is nothing to refuse."""
    quiet = type("Quiet", (Workload,), {"x": word(4), "setup": no_program, "__module__": __name__})
    assert 4 == memory_of(quiet()).words[8]


def test_a_lock_of_locks_has_a_meter_for_each():
    """No address stands for two: the outer lock's counts are not the inner one's."""

    class Outer(Lock):
        inner = part(Ticket)

        def acquire(self):
            yield from self.inner.acquire()

        def release(self):
            yield from self.inner.release()

    class Nested(Workload):
        lock = part(Outer)

    memory = memory_of(Nested())
    assert ["lock", "lock.inner"] == memory.locks
    assert [1, 2] == [memory.lock_of[int(s)] for s in (memory.root.lock, memory.root.lock.inner)]


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("alloc"), st.integers(0, 3)),
            st.tuples(st.just("free"), st.integers(0, 3), st.integers(0, 30)),
        ),
        max_size=60,
    )
)
def test_the_heap_never_hands_out_an_object_twice(steps: list[tuple[object, ...]]):
    """Live objects are distinct and zeroed; NULL means that this CPU can get no more."""
    memory = board(heap_lines=6)
    machine = tables()
    live: list[int] = []
    freed: dict[int, list[int]] = {c: [] for c in range(4)}
    first = memory.heap_next
    for step in steps:
        cpu_number = int(step[1])  # type: ignore[call-overload]
        if step[0] == "alloc":
            fresh = memory.heap_next
            line = allocate(memory, 0, cpu_number, machine.node_of[cpu_number])
            if freed[cpu_number]:
                assert line == freed[cpu_number].pop()
            elif fresh < len(memory.live):
                assert line == fresh
                assert memory.home[line] == machine.node_of[cpu_number]
            else:
                assert line == 0
                continue
            assert line not in live
            assert not any(memory.words[line * 8 : line * 8 + 8])
            memory.words[line * 8] = 1
            live.append(line)
        elif live:
            line = live.pop(int(step[2]) % len(live))  # type: ignore[misc, call-overload]
            assert release(memory, line * 8, cpu_number)
            assert not release(memory, line * 8, cpu_number)
            freed[cpu_number].append(line)
    assert sorted(live) == [i for i in range(first, len(memory.live)) if memory.live[i]]


def test_only_a_live_object_s_start_can_be_released():
    """Its middle, a static word, NULL, and addresses outside memory can not."""
    memory = board()
    line = allocate(memory, 0, 0, 0)
    for address in (line * 8 + 1, 8, 0, -8, 2**50):
        assert not release(memory, address, 0)
    assert release(memory, line * 8, 0)


@given(st.integers(-(2**70), 2**70))
def test_wrapping_keeps_64_bits(value: int):
    """The result is a signed 64-bit number that differs by a multiple of 2**64."""
    wrapped = wrap64(value)
    assert -(2**63) <= wrapped < 2**63
    assert 0 == (wrapped - value) % 2**64


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Kind.LOAD, 12),
        (Kind.STORE, 10),
        (Kind.SWAP, 10),
        (Kind.COMPARE_SWAP, 12),
        (Kind.FETCH_ADD, 22),
        (Kind.FETCH_AND, 8),
        (Kind.FETCH_OR, 14),
        (Kind.FETCH_XOR, 6),
    ],
)
def test_what_operations_leave(kind: Kind, expected: int):
    """The new value of a word that holds 12, with 10 as the operand."""
    assert expected == new_value(kind, 12, 10, 1)


def test_a_compare_swap_that_succeeds():
    """It leaves the desired value."""
    assert 1 == new_value(Kind.COMPARE_SWAP, 12, 12, 1)


def test_an_operation_that_leaves_no_value():
    """A pause has none."""
    with pytest.raises(ValueError, match="10"):
        new_value(Kind.PAUSE, 0, 0, 0)
