"""Which side of a reader-writer lock can wait for ever."""

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.starved import Starved
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

HEAD = "from locksim.lang import *\n"
KEEPS = """
class L(RWLock):
    state = word()

    def read_acquire(self):
        if (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            while (yield self.state.load(ACQUIRE)) < 0:
                yield pause()

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, -1000, ACQUIRE)) != 0:
            yield pause()

    def write_release(self):
        yield self.state.fetch_add(1000, RELEASE)
"""
TAKES_BACK = KEEPS.replace(
    "            while (yield self.state.load(ACQUIRE)) < 0:\n                yield pause()",
    "            yield self.state.fetch_add(-1, RELAXED)\n            yield pause()",
).replace("        if (yield self", "        while (yield self")
TICKETS = """
class L(RWLock):
    next_ticket = word()
    reads = word()
    writes = word()

    def read_acquire(self):
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.reads.load(ACQUIRE)) != mine:
            yield pause()
        yield self.reads.store(mine + 1, RELEASE)

    def read_release(self):
        yield self.writes.fetch_add(1, RELEASE)

    def write_acquire(self):
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.writes.load(ACQUIRE)) != mine:
            yield pause()

    def write_release(self):
        yield self.reads.fetch_add(1, RELAXED)
        yield self.writes.fetch_add(1, RELEASE)
"""


def finding(text: str, *sides: str, **more: object) -> Finding:
    """Of a lock that must starve these sides."""
    given = {"kind": "starved", "name": "s", "title": "S", "points": 1, "lock": "L"}
    check = Starved.model_validate({**given, "sides": sides, **more})
    codes = compile_source(HEAD + text.replace("1000", str(1 << 12)), "<l.py>")
    return check.judge(Submitted(codes=codes))


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        (KEEPS, ["writers"]),
        pytest.param(TAKES_BACK, ["writers", "readers"], marks=pytest.mark.slow),
        pytest.param(TICKETS, [], marks=pytest.mark.slow),
    ],
)
def test_sides(text: str, sides: list[str]) -> None:
    """A reader that keeps its 1 gets in; one that takes it back may not; a queue serves both."""
    assert "pass" == finding(text, *sides).verdict


@pytest.mark.parametrize(
    ("text", "sides", "tag"),
    [
        (KEEPS, ["readers"], "writers-starved"),
        pytest.param(TAKES_BACK, ["writers"], "readers-starved", marks=pytest.mark.slow),
        pytest.param(TICKETS, ["writers"], "writers-served", marks=pytest.mark.slow),
    ],
)
def test_the_other_side(text: str, sides: list[str], tag: str) -> None:
    """The tag names the side that should get in, or should not."""
    found = finding(text, *sides)
    assert ("fail", tag) == (found.verdict, found.tag)
    assert bool(found.counterexample) == tag.endswith("-starved")


@pytest.mark.parametrize("first", [1, 40])
def test_every_cpu_is_asked(first: int) -> None:
    """A lock whose readers take their 1 back from some CPU on, where no thread of two stands."""
    waits = (
        "            while (yield self.state.load(ACQUIRE)) < 0:\n                yield pause()\n"
    )
    assert waits in KEEPS
    keeps = waits.replace("\n", "\n    ").rstrip(" ")
    text = KEEPS.replace("        if (yield self", "        while (yield self").replace(
        waits,
        f"            if cpu() <= {first}:\n    {keeps}                return\n"
        "            yield self.state.fetch_add(-1, RELAXED)\n            yield pause()\n",
    )
    assert "pass" == finding(text, "writers").verdict
    found = finding(text, "writers", used={"machine": "ideal-64"})
    assert ("fail", "readers-starved", "") == (found.verdict, found.tag, found.violation)
    assert "with threads on CPUs" in found.message
