"""Operations that a lab refuses: found in a class, in what it holds, and in what it points to."""

import pytest

from lockgrader.compile.refused import refused
from lockgrader.lab import OPERATIONS
from locksim.compiler import compile_source

HEAD = "from locksim.lang import *\n"
LOCK = """
class {name}(Lock):
    locked = word()
{fields}
    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()
{more}
    def release(self):
        yield self.locked.store(0, RELEASE)
"""
CALLS = {
    "block": "yield block()",
    "cpu": "yield self.locked.store(cpu())",
    "n_cpus": "yield self.locked.store(n_cpus())",
    "n_threads": "yield self.locked.store(n_threads())",
    "node": "yield self.locked.store(node())",
    "now": "yield self.locked.store(now())",
    "random_below": "yield self.locked.store(random_below(2))",
    "random_exponential": "yield compute(random_exponential(5 * NS))",
    "switch": "yield switch(0)",
    "thread": "yield self.locked.store(thread())",
    "wake": "yield wake(0)",
}


def lock(name: str, more: str = "", fields: str = "") -> str:
    """A test-and-set lock with an operation more."""
    return LOCK.format(name=name, more=f"        {more}" if more else "", fields=fields)


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_is_found(name: str) -> None:
    """With its line and what to do; no other operation is meant."""
    codes = compile_source(HEAD + lock("Mine", CALLS[name]), "<mine.py>")
    (says,) = refused(codes, [name]).values()
    assert says.startswith(f"mine.py:9: Mine.acquire uses {name}(), which this lab refuses\nhelp:")
    assert {} == refused(codes, OPERATIONS.keys() - {name})


def test_only_the_classes_that_use_it() -> None:
    """Another class of the file keeps its points."""
    codes = compile_source(HEAD + lock("Mine", CALLS["now"]) + lock("Other"), "<mine.py>")
    assert {"Mine"} == refused(codes, ["now", "block"]).keys()


HELD = {
    "part": "    inner = part(Inner)",
    "array": "    inner = array(2, Inner)",
    "pointer": "    inner = pointer(Inner)",
    "percpu": "    inner = percpu(Inner)",
}


@pytest.mark.parametrize("field", HELD)
def test_what_a_class_holds(field: str) -> None:
    """A struct inside, behind a pointer, or one for each CPU; two steps away."""
    text = HEAD + lock("Far", CALLS["n_cpus"]).replace("(Lock)", "(Struct)")
    text += lock("Inner", fields="    far = part(Far)").replace("(Lock)", "(Struct)")
    call = {"part": "self.inner", "pointer": "inner"}.get(field, "self.inner[0]")
    more = f"yield from {call}.acquire()"
    if field == "pointer":
        more = f"inner = yield self.inner.load()\n        {more}"
    codes = compile_source(text + lock("Mine", more, HELD[field]), "<mine.py>")
    assert {"Far", "Inner", "Mine"} == refused(codes, ["n_cpus"]).keys()


def test_library_may_use_them_all() -> None:
    """A lock of the library inside one's own is not the student's program."""
    text = "from locksim.library.locks.mcs import MCSLock\n" + HEAD
    codes = compile_source(text + lock("Mine", fields="    inner = part(MCSLock)"), "<mine.py>")
    assert {} == refused(codes, ["cpu"])
