"""Fields, structs and operations: what descriptions accept, and what programs get from them."""

from __future__ import annotations

import pytest

from locksim.lang import (
    ACQUIRE,
    NULL,
    RELAXED,
    SEQ_CST,
    Lock,
    RWLock,
    Struct,
    Workload,
    alloc,
    array,
    block,
    cast,
    compute,
    cpu,
    done,
    fence,
    free,
    n_cpus,
    note,
    param,
    part,
    pause,
    percpu,
    pointer,
    random_below,
    thread,
    wake,
    word,
)
from locksim.lang.layout import Space
from locksim.lang.ops import Kind, Mark, Op


class Node(Struct):
    """A list's node."""

    value = word()
    next = pointer("Node")


class Inner(Struct):
    """What can be replaced."""

    size = param(2)
    state = word()


class Other(Inner):
    """What may replace it."""


class Outer(Struct):
    """One field of each sort."""

    n = param(3)
    head = pointer(Node)
    inner = part(Inner)
    nodes = array("n", Node)
    links = array(2, pointer(Node))
    own = percpu(Node)


def placed(description: Struct, base: int = 16) -> Struct:
    """A description at an address of a machine with two CPUs and eight words a line."""
    return description.placed(base, Space(8, 2))


def marks(program: object) -> list[tuple[str, int]]:
    """What a program yields, with 0 sent back: (kind or mark, address)."""
    return [
        (Mark(op.a).name if op.kind == Kind.MARK else op.kind.name, op.address)
        for op in program  # type: ignore[attr-defined]
    ]


def test_words_and_their_operations():
    """A placed word's methods make operations with its address, values and order."""
    node = placed(Node())
    assert Op(Kind.LOAD, 16, order=ACQUIRE) == node.value.load(ACQUIRE)
    assert Op(Kind.STORE, 16, 5, order=RELAXED) == node.value.store(5, RELAXED)
    assert Op(Kind.SWAP, 16, 5, order=SEQ_CST) == node.value.swap(5)
    assert Op(Kind.COMPARE_SWAP, 16, 5, 6) == node.value.compare_swap(5, 6)
    for name in ("fetch_add", "fetch_and", "fetch_or", "fetch_xor"):
        assert Op(Kind[name.upper()], 16, 5) == getattr(node.value, name)(5)
    assert 16 == int(node.value)


def test_operations_that_are_no_word_s():
    """The free functions make the other operations."""
    node = placed(Node())
    assert Op(Kind.FENCE, order=SEQ_CST) == fence()
    assert Op(Kind.PAUSE) == pause()
    assert Op(Kind.COMPUTE, a=7) == compute(7)
    assert Op(Kind.BLOCK) == block()
    assert Op(Kind.WAKE, a=2) == wake(2)
    assert Op(Kind.ALLOC, target=Node) == alloc(Node)
    assert Op(Kind.FREE, a=16) == free(node)
    assert Op(Kind.MARK, a=Mark.DONE) == done()
    assert Op(Kind.MARK, address=9, a=Mark.NOTE) == note(9)


def test_a_pointer_gives_a_struct():
    """A loaded, swapped or compared pointer is a view of its target; a store takes one."""
    node = placed(Node())
    for op in (node.next.load(), node.next.swap(NULL), node.next.compare_swap(NULL, node)):
        assert op.wrap is not None
        assert isinstance(op.wrap(40), Node)
        assert 40 == int(op.wrap(40))
    assert 16 == node.next.store(node).a


def test_structs_compare_by_address():
    """Views of one address are equal, to each other and to the number; NULL is false."""
    one, same, other, null = (placed(Node(), base) for base in (16, 16, 24, 0))
    assert one == same
    assert one != other
    assert one == 16
    assert null == NULL
    assert not null
    assert one
    assert 1 == len({one, same})
    assert ["<Node at 16>", "NULL"] == [repr(one), repr(null)]


def test_parts_and_arrays():
    """They are at the address that the layout says, and know their type."""
    outer = placed(Outer())
    assert isinstance(outer.inner, Inner)
    assert 17 == int(outer.inner.state)
    assert [18, 20, 22] == [int(outer.nodes[i]) for i in range(3)]
    assert 23 == int(outer.nodes[2].next)
    assert isinstance(outer.links[1].load().wrap(40), Node)
    assert [32, 40] == [int(outer.own[c]) for c in range(2)]


@pytest.mark.parametrize("index", [-1, 3])
def test_an_index_outside_an_array(index: int):
    """Negative ones are refused too: there is no counting from the end."""
    with pytest.raises(IndexError, match=rf"Outer.nodes\[{index}\]: the index is outside 0..2"):
        placed(Outer()).nodes[index]


def test_settings():
    """Parameters and parts can be set; the rest, and wrong kinds, are refused."""
    assert 5 == Outer(n=5).n
    assert isinstance(Outer(inner=Other).inner, Other)
    assert 7 == Outer(inner=Inner(size=7)).inner.size
    assert "Outer(n=5, inner=Inner(size=2), nodes=Node(), own=Node())" == repr(Outer(n=5))
    for settings, text in (
        ({"n": "5"}, r"Outer\(n=...\) takes a whole number, not '5'"),
        ({"n": True}, r"Outer\(n=...\) takes a whole number, not True"),
        ({"inner": 5}, r"Outer\(inner=...\) takes a struct, not 5"),
        ({"head": 5}, "Outer.head is a pointer: it cannot be set here"),
        ({"m": 5}, r"Outer has no setting 'm' \(it has: n, inner, nodes, own\)"),
    ):
        with pytest.raises(TypeError, match=text):
            Outer(**settings)


def test_fields_are_inherited():
    """A subclass has its base's fields first."""

    class Longer(Node):
        more = word()

    assert ["value", "next", "more"] == list(Longer.FIELDS)
    assert 18 == int(placed(Longer()).more)


def test_a_description_has_no_address():
    """Words and addresses exist only on a placed struct."""
    with pytest.raises(TypeError, match=r"Node.value has no address yet"):
        _ = Node().value
    with pytest.raises(TypeError, match="Node has no address yet"):
        int(Node())


def test_a_word_is_not_assigned():
    """The message says how to store."""
    with pytest.raises(AttributeError, match=r"yield self.value.store\(...\)"):
        placed(Node()).value = 3


def test_an_unknown_pointer_target():
    """A name that no struct has is found when the pointer is used."""

    class Lost(Struct):
        next = pointer("Nowhere")

    with pytest.raises(TypeError, match=r"Lost.next: there is no struct 'Nowhere'"):
        placed(Lost()).next.load()


def test_questions_need_a_running_program():
    """Outside an engine nobody knows which CPU asks."""
    for question in (cpu, thread, n_cpus, lambda: random_below(3), lambda: cast(Node, 8)):
        with pytest.raises(RuntimeError, match="only in a running program"):
            question()


class Simple(Lock):
    """A lock whose try fails."""

    locked = word()

    def acquire(self):
        """Take it."""
        yield self.locked.swap(1)

    def try_acquire(self):
        """Fail when the answer is 0."""
        return (yield self.locked.load())

    def release(self):
        """Free it."""
        yield self.locked.store(0)


def test_a_lock_s_programs_are_marked():
    """The start before the body, the success after it, and the release before its body."""
    lock = placed(Simple())
    assert [("ACQUIRE_START", 16), ("SWAP", 16), ("ACQUIRED", 16)] == marks(lock.acquire())
    assert [("RELEASED", 16), ("STORE", 16)] == marks(lock.release())
    assert "Take it." == Simple.acquire.__doc__


@pytest.mark.parametrize(("answer", "mark"), [(0, "TRY_FAILED"), (1, "ACQUIRED")])
def test_a_try_is_marked_by_its_result(answer: int, mark: str):
    """A result of 0 is a failure."""
    program = placed(Simple()).try_acquire()
    ops = [next(program), program.send(0), program.send(answer)]
    assert ["ACQUIRE_START", mark] == [Mark(op.a).name for op in (ops[0], ops[2])]
    with pytest.raises(StopIteration) as end:
        program.send(0)
    assert answer == end.value.value


def test_a_reader_writer_lock_s_programs_are_marked():
    """Readers and writers have marks of their own."""

    class Both(RWLock):
        state = word()

        def read_acquire(self):
            yield pause()

        def read_release(self):
            yield pause()

        def write_acquire(self):
            yield pause()

        def write_release(self):
            yield pause()

    both = placed(Both())
    names = [
        [name for name, _ in marks(getattr(both, method)())]
        for method in ("read_acquire", "read_release", "write_acquire", "write_release")
    ]
    assert names == [
        ["READ_START", "PAUSE", "READ_ACQUIRED"],
        ["READ_RELEASED", "PAUSE"],
        ["ACQUIRE_START", "PAUSE", "ACQUIRED"],
        ["RELEASED", "PAUSE"],
    ]


def test_an_inherited_program_is_marked_once():
    """A subclass that changes nothing has its base's marks; one that overrides has its own."""

    class Same(Simple):
        pass

    class New(Simple):
        def acquire(self):
            yield self.locked.load()

    acquired = ["ACQUIRE_START", "ACQUIRED"]
    for cls, operation in ((Same, "SWAP"), (New, "LOAD")):
        names = [name for name, _ in marks(placed(cls()).acquire())]
        assert [acquired[0], operation, acquired[1]] == names


def test_a_workload_needs_a_thread():
    """The base's program only says so."""
    with pytest.raises(NotImplementedError, match=r"Workload needs a thread\(\) program"):
        next(Workload().thread())
