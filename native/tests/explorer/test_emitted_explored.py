"""The explorer takes printed locks as it takes any C: right ones pass, a wrong one is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from locknative.cli.explore import app
from locknative.explorer import Search
from locknative.explorer.locks import explore_lock
from locksim.checker.limits import is_proof

WRONG = """from locksim.lang import *


class Late(Lock):
    taken = word()

    def acquire(self):
        while (yield self.taken.load(ACQUIRE)):
            yield pause()
        yield self.taken.store(1, RELAXED)

    def release(self):
        yield self.taken.store(0, RELEASE)
"""


@pytest.mark.covering("lock", "memory")
@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize(
    "lock", ["ticket", "mcs", "clh", "cohort", "hmcs", "rwlock", "seqlock", "lockref"]
)
def test_right_ones(lock: str, memory: str) -> None:
    """As the hand-written ones: nothing wrong within the bound."""
    search = Search(threads=2, memory=memory, preemptions=2)
    found = explore_lock(f"emitted:{lock}", search, rounds=2)
    assert found.verdict == "bounded" or is_proof(found.verdict)


def test_as_many_runs_as_the_header() -> None:
    """The ticket lock has the same orders of events, whoever wrote the C."""
    search = Search(threads=2)
    runs = {explore_lock(name, search).runs for name in ("ticket", "emitted:ticket")}
    assert 1 == len(runs)


def test_missing_order(tmp_path: Path) -> None:
    """An order that is too weak reaches the C: a data race."""
    file = tmp_path / "my_lock.py"
    text = WRONG.replace(
        "while (yield self.taken.load(ACQUIRE))", "while (yield self.taken.swap(1, RELAXED))"
    )
    file.write_text(text.replace("        yield self.taken.store(1, RELAXED)\n", ""))
    found = explore_lock(f"{file}:Late", Search(threads=2))
    assert ("violated", "race") == (found.verdict, found.found)


ON_NODES = """from locksim.lang import *


class OfNodes(Lock):
    held = pernode(word())

    def acquire(self):
        while (yield self.held[node()].swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held[node()].store(0, RELEASE)


class ForTheNode(Lock):
    held = word()
    ours = pernode(word())

    def acquire(self):
        if not (yield self.ours[node()].load(ACQUIRE)):
            while (yield self.held.swap(1, ACQUIRE)):
                yield pause()
            yield self.ours[node()].store(1, RELEASE)

    def release(self):
        yield self.ours[node()].store(0, RELEASE)
        yield self.held.store(0, RELEASE)
"""


def test_lock_that_is_wrong_on_one_placement(tmp_path: Path) -> None:
    """A lock of each node, and one that a thread takes for its node; each has a right form."""
    file = tmp_path / "my_lock.py"
    for name, right in (("OfNodes", "node() * 0"), ("ForTheNode", "cpu()")):
        file.write_text(ON_NODES)
        assert "violated" == explore_lock(f"{file}:{name}", Search(threads=2)).verdict
        file.write_text(ON_NODES.replace("node()", right))
        assert is_proof(explore_lock(f"{file}:{name}", Search(threads=2)).verdict)


def test_command(tmp_path: Path) -> None:
    """``locklab native explore my_lock.py:Late`` shows the run that goes wrong."""
    file = tmp_path / "my_lock.py"
    file.write_text(WRONG)
    done = CliRunner().invoke(app, [f"{file}:Late"])
    assert 1 == done.exit_code, done.output
    assert "violated" in done.stdout


INHERITED = """from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class Counting(TicketLock):
    n = param(2)
    taken = array("n")

    def acquire(self):
        yield from super().acquire()
        for cpu_number in range(self.n):
            if cpu_number == cpu():
                yield from self.count(self.taken[cpu_number])

    def count(self, taken: word):
        yield taken.fetch_add(1, RELAXED)
"""


def test_inheritance_loops_and_words(tmp_path: Path) -> None:
    """A method of the base class, a counted loop and a word as an argument run as C."""
    file = tmp_path / "my_lock.py"
    file.write_text(INHERITED)
    found = explore_lock(f"{file}:Counting", Search(threads=2))
    assert found.verdict == "bounded" or is_proof(found.verdict)
