"""What symbolic fields mean for a description: paths, arrays of structs, parameters."""

from __future__ import annotations

import pytest
from arrays import reference_run

from locksim.compiler import compile_class
from locksim.compiler.addresses import Addresses, LinkError
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.lang import RELAXED, Struct, Workload, array, note, param, part, pause, percpu, word
from locksim.lang.layout import Space
from locksim.machine import load

SPACE = Space(8, 2)


class Element(Struct):
    """An element with a parameter."""

    n = param(3)
    value = word()

    def scaled(self, by):
        return self.n * by


class Inner(Struct):
    """A part with elements."""

    first = word()
    own = percpu(Element)


class Whole(Workload):
    """Arrays and parts of structs with parameters."""

    k = param(7)
    before = word()
    els = array(4, Element(n=11))
    inner = part(Inner)

    def thread(self):
        one = self.els[2]
        yield note(one.n + self.k)
        yield note(self.inner.own[1].n * 100)
        yield note(one.scaled(2))
        yield one.value.store(one.n, RELAXED)
        yield pause()


def names(spec: Struct) -> Addresses:
    """A description's addresses, in its own methods."""
    return Addresses(spec, compile_class(type(spec)).types, SPACE)


def test_a_parameter_of_an_elements_description():
    """``$els.n`` is the param of the elements, ``$k`` the struct's own, a number itself."""
    found = [names(Whole()).number(o) for o in ("$els.n", "$inner.own.n", "$k", 5)]
    assert [11, 3, 7, 5] == found


def test_a_parameter_of_elements_reaches_the_engines():
    """A program that uses one links, and gives the same in both engines."""
    tables = load("desktop-4").tables(2, "compact")
    image, memory = prepare(Whole(), tables)
    expected = reference_run(memory, tables, seed=1, until_ps=10**6, trace=True)
    found = fast.run(image, memory, tables, seed=1, until_ps=10**6, trace=True)
    assert expected.trace is not None
    assert found.trace is not None
    assert expected.trace.tolist() == found.trace.tolist()
    assert [18, 300, 22] == [int(row[3]) for row in found.trace[:3]]
    assert 11 in found.memory


def test_offsets_of_paths():
    """Fields of a part lie behind the part; a word's own address has no offset."""
    at = names(Whole())
    inner = SPACE.layout(Whole()).offset("inner")
    assert inner == at.offset("self", ["inner", "first"])
    assert inner + 8 == at.slot("self", ["inner", "own"]).offset
    assert (8, 2) == (at.slot("self", ["inner", "own"]).stride, SPACE.n_cpus)
    assert 0 == at.offset("self.els", ["value"])
    assert 0 == at.offset("word", []) == at.offset("self", [])
    assert 11 == at.base("self.els")._params["n"]


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda at: at.struct("self", ["els"]), "Whole has no embedded struct 'els'"),
        (lambda at: at.offset("self", ["inner", "last"]), "Inner has no field 'last'"),
        (lambda at: at.number("$inner.m"), "Inner has no param 'm'"),
        (lambda at: at.base("self.gone"), "Whole has no embedded struct 'gone'"),
    ],
)
def test_what_a_description_does_not_have(ask, says):
    """A part that was replaced may lack what the code asks for."""
    with pytest.raises(LinkError, match=says):
        ask(names(Whole()))
