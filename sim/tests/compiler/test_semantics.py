"""The bytecode does what Python does: the same operations in the same order, the same results."""

import itertools
import json
import linecache
from typing import Any

import pytest
from compiler.ir_machine import World, run_bytecode, run_generator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_programs import sources

from locksim.compiler import compile_class, compile_source
from locksim.compiler.ir import ClassCode
from locksim.compiler.portable import codes_from_json, codes_to_json
from locksim.lang import (
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    Lock,
    Struct,
    alloc,
    array,
    cast,
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
    random_exponential,
    thread,
    word,
)

FILES = itertools.count()
BIT = 1 << 3


def live(text: str, name: str) -> type[Struct]:
    """Run a source as Python does and give one of its classes; its text can be read back."""
    file = f"<program {next(FILES)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, file, "exec"), names)
    cls: type[Struct] = names[name]
    return cls


def as_data(spec: Struct) -> Struct:
    """The same description of classes that have come through JSON, and so have no Python source."""
    codes: dict[type[Struct], ClassCode] = {}
    todo = [type(spec)]
    while todo:
        cls = todo.pop()
        if cls not in codes:
            codes[cls] = compile_class(cls)
            of = [getattr(field, "of", None) for field in cls.FIELDS.values()]
            todo += [o if isinstance(o, type) else type(o) for o in of if not isinstance(o, word)]
            todo = [t for t in [*todo, *codes[cls].types.values()] if issubclass(t, Struct)]
    names = {cls: str(n) for n, cls in enumerate(codes)}
    document = codes_to_json({names[cls]: code for cls, code in codes.items()})
    made = codes_from_json(json.loads(json.dumps(document)))

    def copy(one: Struct) -> Struct:
        parts = {name: copy(part) for name, part in one._parts.items()}
        return made[names[type(one)]].struct(**one._params, **parts)

    return copy(spec)


def same(spec: Struct, method: str, *arguments: Any) -> tuple[int, World]:
    """Run a method each way, compare, and give the result and the world.

    The ways: the live generator, the bytecode, and the generator that interprets the bytecode.
    """
    expected, python = run_generator(spec, method, *arguments)
    result, machine = run_bytecode(spec, method, *map(int, arguments))
    assert python.log == machine.log
    assert expected == result
    assert python.words == machine.words
    again, interpreted = run_generator(as_data(spec), method, *map(int, arguments))
    assert (expected, python.log) == (again, interpreted.log)
    assert python.words == interpreted.words
    return result, machine


@settings(suppress_health_check=list(HealthCheck))
@given(sources(), st.integers(0, 20), st.integers(0, 20))
def test_random_programs_do_what_python_does(text: str, x: int, y: int) -> None:
    """Operations, results and memory agree; so do the parsed text and the live class."""
    cls = live(text, "Random")
    code = compile_class(cls)
    parsed = compile_source(text, code.file)["Random"]
    assert code.methods == parsed.methods
    same(cls(), "run", x, y)
    result, world = run_generator(cls(), "run", x, y)
    again, interpreted = run_generator(parsed.struct(), "run", x, y)
    assert (result, world.log, world.words) == (again, interpreted.log, interpreted.words)


class Node(Struct):
    """An element of a list."""

    value = word()
    next = pointer("Node")


class Inner(Struct):
    """A part with a param, a word and programs."""

    step = param(2)
    total = word()

    def add(self, n):
        old = yield self.total.fetch_add(n * self.step, RELAXED)
        return old

    def twice(self, n):
        return n * 2 + self.step

    def here(self):
        yield fence(ACQUIRE)
        return self


class Outer(Struct):
    """One of everything that a struct can hold."""

    size = param(4)
    head = pointer(Node)
    plain = part(Inner)
    other = part(Inner(step=5), padded=True)
    many = array("size", Inner)
    slots = array(8, pointer(Node))
    local = percpu(Inner)
    mine = percpu(word())
    LIMIT = 3

    def push(self, key):
        node = yield alloc(Node)
        yield node.value.store(key)
        first = yield self.head.load()
        yield node.next.store(first, RELEASE)
        yield self.head.store(node)
        return node

    def length(self):
        n = 0
        node = yield self.head.load()
        while node:
            n += 1
            node = yield node.next.load()
        return n

    def reverse(self):
        previous = NULL
        node = yield self.head.load()
        while node != NULL:
            follow = yield node.next.load()
            yield node.next.store(previous)
            previous, node = node, follow
        yield self.head.store(previous)

    def build(self):
        for key in range(4):
            node = yield from self.push(key)
            yield note(int(node))
        yield from self.reverse()
        return (yield from self.length())

    def links(self):
        yield from self.build()
        link = self.head
        node = yield link.load()
        while node:
            key = yield node.value.load()
            if key == 2:
                follow = yield node.next.load()
                yield link.store(follow)
                yield free(node)
                return key
            link = node.next
            node = yield link.load()
        return -1

    def parts(self):
        a = yield from self.plain.add(3)
        b = yield from self.other.add(3)
        c = yield from self.many[self.size - 1].add(self.other.step)
        inner = self.local[cpu()]
        d = yield from inner.add(7)
        yield self.mine[cpu()].store(self.plain.twice(4) + inner.twice(1))
        e = yield self.many[2].total.load()
        again = yield from self.other.here()
        f = yield again.total.load()
        return a + b + c + d + e + f * again.step + self.LIMIT

    def slot(self, at: int):
        slot = self.slots[at]
        node = yield from self.push(at)
        old = yield slot.swap(node, ACQUIRE)
        if old:
            yield pause()
        found = yield slot.compare_swap(node, NULL)
        key = yield found.value.load()
        return key if found == node else -1

    def casts(self):
        node = yield from self.push(9)
        packed = int(node) | 1
        key = yield cast(Node, packed & ~1).value.load()
        return key

    def free_functions(self):
        yield note(thread())
        yield note(n_cpus())
        for _ in range(3):
            yield pause()
            yield note(random_below(100) + random_exponential(1000))
        yield done()
        assert n_cpus() == 4, "four of them"

    def late(self):
        i = 10
        for i in range(3):
            yield pause()
            i = i * 2
        for j in range(i, self.size * 2 + i, 3):
            yield fence()
            if j == 7:
                continue
            yield note(j)
        return i

    def flags(self, bits: int):
        return bits & BIT == BIT or bits == 1


@pytest.mark.parametrize(
    "method", ["build", "links", "parts", "casts", "free_functions", "late", "length"]
)
def test_programs_of_every_kind_do_what_python_does(method: str) -> None:
    """Lists, links to words, parts, arrays, per-CPU structs, casts, free functions, loops."""
    same(Outer(size=3), method)


def test_results_are_what_one_expects() -> None:
    """The comparison is not of two empty runs."""
    assert 4 == same(Outer(), "build")[0]
    assert 2 == same(Outer(), "links")[0]
    assert 9 == same(Outer(), "casts")[0]
    assert 3 == same(Outer(), "slot", 3)[0]
    assert 1 == same(Outer(), "flags", 9)[0]


class Metered(Lock):
    """A lock whose attempts may fail."""

    word = word()

    def acquire(self):
        while (yield self.word.swap(1, ACQUIRE)) != 0:
            yield pause()

    def try_acquire(self):
        if (yield self.word.load(RELAXED)) != 0:
            return 0
        old = yield self.word.swap(1, ACQUIRE)
        return old == 0

    def release(self):
        yield self.word.store(0, RELEASE)

    def all_of_it(self):
        yield from self.acquire()
        no = yield from self.try_acquire()
        yield from self.release()
        yes = yield from self.try_acquire()
        return no * 2 + yes


def test_marks_are_those_of_the_meters() -> None:
    """Starts, successes, failures and releases come at the same points as in Python."""
    result, world = same(Metered(), "all_of_it")
    assert 1 == result
    marks = [entry[2] for entry in world.log if entry[0] == "MARK"]
    assert [1, 2, 1, 4, 3, 1, 2] == marks


class Heir(Metered):
    """Overrides one program and calls an inherited one."""

    LIMIT = 2

    def try_acquire(self):
        for _ in range(self.LIMIT):
            if (yield self.word.swap(1, ACQUIRE)) == 0:
                return 1
        return 0


def test_inherited_programs_call_the_final_class() -> None:
    """``self`` is the class that is compiled, not the one that defines the method."""
    result, world = same(Heir(), "all_of_it")
    assert 1 == result
    assert 4 == sum(1 for entry in world.log if entry[0] == "SWAP")


def test_closures_over_numbers_are_constants() -> None:
    """A class made in a function sees that function's numbers and classes."""
    limit = 11

    class Inside(Struct):
        target = word()

        def run(self):
            yield self.target.store(limit + BIT)

    assert {64: 19} == same(Inside(), "run")[1].words


def test_indexes_outside_fail_both_ways() -> None:
    """An index that is only known at run time is checked at run time."""
    with pytest.raises(IndexError):
        run_generator(Outer(), "slot", 8)
    with pytest.raises(IndexError):
        run_bytecode(Outer(), "slot", 8)
