"""The way down in the lattice of orders."""

from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.checker.weakest.descent import Memory, descend, settle, with_order
from locksim.compiler.orders import Operation, is_weaker
from locksim.lang.ops import ACQ_REL, SEQ_CST

NAMES = ("load", "store", "swap", "fence")


def named(name, line=1, order=SEQ_CST):
    """An operation."""
    return Operation(("lock.py", line, 0), "Lock.acquire", name, name, order)


@st.composite
def questions(draw):
    """Operations, and orders each of which is enough: what is stronger than one of them holds."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6))
    found = [named(name, line) for line, name in enumerate(names)]
    enough = st.tuples(*(st.sampled_from([*op.weaker(), op.order]) for op in found))
    return found, draw(st.lists(enough, min_size=1, max_size=3))


def holds_above(enough, asked):
    """An oracle that writes down what it is asked."""

    def holds(orders):
        asked.append(orders)
        return any(all(map(is_weaker, least, orders)) for least in enough)

    return holds


@given(questions())
@settings(max_examples=200)
def test_the_result_holds_and_no_single_order_can_be_weaker(question):
    """Whatever holds, as long as stronger orders hold too; no orders are asked for twice."""
    found, enough = question
    asked = []
    holds = holds_above(enough, asked)
    top = tuple(op.order for op in found)
    floor = tuple([*op.weaker(), op.order][0] for op in found)
    orders = descend(found, Memory(holds), top, floor)
    assert len(asked) == len(set(asked))
    assert holds(orders)
    assert orders == settle(found, holds, orders)
    for k, op in enumerate(found):
        assert not any(holds(with_order(orders, k, o)) for o in op.next_weaker(orders[k]))


@given(questions())
def test_the_floor_is_not_crossed(question):
    """With a floor that holds the way ends there."""
    found, enough = question
    top = tuple(op.order for op in found)
    assert enough[0] == descend(found, holds_above(enough, []), top, enough[0])


@given(questions())
def test_settling_goes_on_below_a_floor(question):
    """From the top alone it finds a minimum, too."""
    found, enough = question
    holds = holds_above(enough, [])
    orders = settle(found, holds, tuple(op.order for op in found))
    assert any(orders == least for least in enough)


def test_earlier_operations_become_weak_first():
    """Of two fences one is needed: the second one stays."""
    found = [named("fence", 1, ACQ_REL), named("fence", 2, ACQ_REL)]
    enough = [("none", ACQ_REL), (ACQ_REL, "none")]
    top, floor = (ACQ_REL, ACQ_REL), ("none", "none")
    assert enough[0] == descend(found, holds_above(enough, []), top, floor)
