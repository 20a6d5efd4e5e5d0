"""Where fields lie: offsets, strides, padding, and what makes two descriptions the same layout."""

from __future__ import annotations

import pytest
from arrays import reference_run
from hypothesis import given
from hypothesis import strategies as st

from locksim.engine.counters import LOCK_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.lang import Lock, Struct, array, param, part, percpu, pernode, pointer, word
from locksim.lang.layout import Layout, Slot, Space
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.machine import load


class Plain(Struct):
    """Three words in a row."""

    first = word()
    second = pointer("Plain")
    third = word()


class Padded(Struct):
    """A word on its own line between two others."""

    first = word()
    alone = word(padded=True)
    last = word()


def layout(struct: Struct, words_per_line: int = 8, n_cpus: int = 3) -> Layout:
    """A description's layout on a machine."""
    return Space(words_per_line, n_cpus).layout(struct)


def test_fields_follow_one_another():
    """Unpadded words and pointers lie together in the order of their declaration."""
    plain = layout(Plain())
    assert [0, 1, 2] == [plain.offset(name) for name in ("first", "second", "third")]
    assert 3 == plain.size
    assert not plain.aligned


def test_a_padded_word_has_a_line_of_its_own():
    """It starts on a new line, and the next field on the one after."""
    padded = layout(Padded())
    assert [0, 8, 16] == [padded.offset(name) for name in ("first", "alone", "last")]
    assert 24 == padded.size
    assert padded.aligned


def test_a_struct_that_holds_a_padded_field_starts_on_a_line():
    """Wherever it is embedded, and though the part itself is not padded."""

    class Outer(Struct):
        before = word()
        inner = part(Padded)
        after = word()

    assert [0, 8, 32] == [layout(Outer()).offset(name) for name in ("before", "inner", "after")]


def test_a_plain_part_lies_between_its_neighbours():
    """A part without padding shares their lines; a padded one does not."""

    class Outer(Struct):
        before = word()
        close = part(Plain)
        between = word()
        apart = part(Plain, padded=True)
        after = word()

    outer = layout(Outer())
    names = ("before", "close", "between", "apart", "after")
    assert [0, 1, 4, 8, 16] == [outer.offset(name) for name in names]


def test_arrays():
    """Elements follow at their stride: one word, a struct's size, or a line where padded."""

    class Arrays(Struct):
        words = array(5)
        structs = array(2, Plain)
        lines = array(2, word(), padded=True)
        big = array(2, Padded)

    arrays = layout(Arrays())
    assert Slot(0, 1, 5) == arrays.slot("words")
    assert Slot(5, 3, 2) == arrays.slot("structs")
    assert Slot(16, 8, 2) == arrays.slot("lines")
    assert Slot(32, 24, 2) == arrays.slot("big")


def test_an_array_s_length_may_be_a_parameter():
    """It is the description's number; an unknown name and an empty array are refused."""

    class Sized(Struct):
        n = param(4)
        words = array("n")

    class Nameless(Struct):
        words = array("m")

    assert 4 == layout(Sized()).slot("words").count
    assert 9 == layout(Sized(n=9)).size
    with pytest.raises(TypeError, match="there is no param 'm'"):
        layout(Nameless())
    with pytest.raises(TypeError, match="has 0 elements; it needs at least 1"):
        layout(Sized(n=0))


def test_per_cpu_elements_have_lines_of_their_own():
    """One for each CPU that takes part."""

    class PerCpu(Struct):
        nodes = percpu(Plain)
        count = percpu()

    per_cpu = layout(PerCpu(), n_cpus=3)
    assert Slot(0, 8, 3, local="cpu") == per_cpu.slot("nodes")
    assert Slot(24, 8, 3, local="cpu") == per_cpu.slot("count")


def test_per_node_elements_have_lines_of_their_own():
    """One for each node of the machine, also where no CPU takes part."""

    class PerNode(Struct):
        queues = pernode(Plain)

    space = Space(8, n_cpus=1, n_nodes=4)
    assert Slot(0, 8, 4, local="node") == space.layout(PerNode()).slot("queues")


def test_a_struct_without_fields_takes_one_word():
    """So that two of them have two addresses."""

    class Empty(Struct):
        pass

    assert 1 == layout(Empty()).size


def test_a_space_keeps_one_layout_for_equal_descriptions():
    """Class, parameters and parts make a description; which instance it is does not matter."""

    class Sized(Struct):
        n = param(4)
        words = array("n")

    space = Space(8, 2)
    assert space.layout(Sized()) is space.layout(Sized(n=4))
    assert space.layout(Sized()) is not space.layout(Sized(n=5))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["word", "array", "part", "aligned", "percpu"]),
            st.booleans(),
            st.integers(1, 5),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([2, 4, 8, 16]),
    st.integers(1, 4),
)
def test_fields_never_overlap(
    fields: list[tuple[str, bool, int]], words_per_line: int, n_cpus: int
):
    """Elements are disjoint and inside the struct; what is padded shares no line with another."""
    made = {
        "word": lambda padded, n: word(padded=padded),
        "array": lambda padded, n: array(n, padded=padded),
        "part": lambda padded, n: part(Plain, padded=padded),
        "aligned": lambda padded, n: part(Padded),
        "percpu": lambda padded, n: percpu(),
    }
    members = {f"f{i}": made[kind](padded, n) for i, (kind, padded, n) in enumerate(fields)}
    placed = layout(type("Random", (Struct,), members)(), words_per_line, n_cpus)
    users: dict[int, set[tuple[str, int]]] = {}
    alone = set()
    for i, (kind, padded, _) in enumerate(fields):
        slot = placed.slot(f"f{i}")
        size = {"part": 3, "aligned": 2 * words_per_line + 1}.get(kind, 1)
        for element in range(slot.count):
            start = slot.offset + element * slot.stride
            for address in range(start, start + size):
                assert 0 <= address < placed.size
                users.setdefault(address, set()).add((f"f{i}", element))
            if padded or kind in ("aligned", "percpu"):
                assert 0 == start % words_per_line
                alone.add((f"f{i}", element))
    assert all(len(who) == 1 for who in users.values())
    lines: dict[int, set[tuple[str, int]]] = {}
    for address, who in users.items():
        lines.setdefault(address // words_per_line, set()).update(who)
    assert all(len(who) == 1 or not who & alone for who in lines.values())


class Simple(Lock):
    """A metered struct of two words."""

    first = word()
    second = word()


class Holder(Struct):
    """A struct that is not metered and begins with one that is."""

    lock = part(Simple)
    count = word()


def test_no_two_metered_structs_begin_at_one_word():
    """A metered struct whose first field begins with one has a word of its own before it."""

    class Direct(Lock):
        inner = part(Simple)
        after = word()

    class Deep(Lock):
        inner = part(Holder)

    class Many(Lock):
        n = param(1)
        inner = array(2, Simple)

    class Twice(Lock):
        inner = part(Direct)

    assert [1, 3] == [layout(Direct()).offset(name) for name in ("inner", "after")]
    assert [4, 4, 5, 5] == [layout(s()).size for s in (Direct, Deep, Many, Twice)]
    assert [1, 1, 1] == [layout(s()).offset("inner") for s in (Deep, Many, Twice)]


def test_a_padded_metered_part_moves_to_the_next_line():
    """It keeps its own line, and so does what it begins with."""

    class Padded(Lock):
        inner = part(Simple, padded=True)

    assert (8, 16) == (layout(Padded()).offset("inner"), layout(Padded()).size)


def test_other_structs_begin_with_their_first_field():
    """Where only one of the two is metered, or the metered one is not first, nothing moves."""

    class Later(Lock):
        before = word()
        inner = part(Simple)

    assert [0, 1] == [layout(Later()).offset(name) for name in ("before", "inner")]
    assert [0, 2] == [layout(Holder()).offset(name) for name in ("lock", "count")]
    assert 0 == layout(Simple()).offset("first")


class Shell(Lock):
    """A lock that is nothing but another one."""

    inner = part(TicketLock)

    def acquire(self):
        yield from self.inner.acquire()

    def release(self):
        yield from self.inner.release()


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_a_lock_of_locks_is_metered_twice_and_apart(engine: str):
    """Each counts every acquisition once, and neither sees a violation."""
    tables = load("desktop-4").tables(3, "compact")
    image, memory = prepare(CriticalSection(lock=Shell), tables)
    if engine == "fast":
        result = fast.run(image, memory, tables, seed=1, until_ps=10**7)
    else:
        result = reference_run(memory, tables, seed=1, until_ps=10**7)
    assert ["lock", "lock.inner"] == memory.locks
    total, violations = (LOCK_COUNTERS.index(name) for name in ("total", "violations"))
    outer, inner = (int(row[total]) for row in result.locks)
    assert outer > 10
    assert outer <= inner <= outer + 3
    assert [0, 0] == result.locks[:, violations].tolist()
