"""What calls do: they write or not, and wait for others or not."""

from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.checker import check_workload
from locksim.checker.client import Conduct
from locksim.checker.replay.counterexample import Counterexample
from locksim.compiler import compile_source
from locksim.lang.struct import Workload

CLIENT = """
from locksim.lang import *
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock

class Box(Struct):
    content = word()
    lock = part(TASLock)
    readers = part(ReaderPreferenceRWLock)

    def look(self):
        found = yield self.content.load()
        while found < 0:
            yield pause()
            found = yield self.content.load()
        return found

    def add(self):
        while True:
            before = yield self.content.load()
            if (yield self.content.compare_swap(before, before + 1)) == before:
                return

    def add_in_turn(self):
        yield from self.lock.acquire()
        yield compute(4_000_000)
        yield from self.lock.release()

    def enter(self):
        yield from self.lock.acquire()

    def leave(self):
        yield from self.lock.release()

    def read(self):
        yield from self.readers.read_acquire()

    def unread(self):
        yield from self.readers.read_release()

class Client(Workload):
    box = part(Box)

    def thread(self):
{body}
"""


def wrong(body: str, threads: int = 2, **conduct: tuple[str, ...]) -> Counterexample | None:
    """What is wrong with threads that do some calls, one a line."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    client = compile_source(CLIENT.format(body=lines), "<box.py>")["Client"].struct()
    assert isinstance(client, Workload)
    demand = Conduct(**{k: tuple(f"Box.{m}" for m in v) for k, v in conduct.items()})
    return check_workload(client, threads=threads, conduct=demand).counterexample


def test_looking_writes_nothing() -> None:
    """A loop of loads; the other thread may write."""
    calls = "if thread():\n    yield from self.box.add()\nelse:\n    yield from self.box.look()"
    assert wrong(calls, writes_nothing=("look",)) is None


def test_writing_is_shown() -> None:
    """The last step of the counterexample is the write."""
    found = wrong("yield from self.box.add()", writes_nothing=("add",))
    assert found is not None
    assert ("writing", "compare_swap") == (found.found, found.steps[-1].operation)
    assert "thread 0 writes in Box.add()" == found.message


def test_writing_by_a_part_counts() -> None:
    """What a call calls belongs to it."""
    assert wrong("yield from self.box.add_in_turn()", writes_nothing=("add_in_turn",)) is not None


def test_lost_race_is_not_waiting() -> None:
    """Who tries again after a failed compare_swap needs no other thread's step."""
    assert wrong("yield from self.box.add()", threads=3, waits_for_none=("add",)) is None


def test_lock_is_waiting_even_with_a_sleep() -> None:
    """A thread that stays inside keeps the others out, however rarely they look."""
    found = wrong("yield from self.box.add_in_turn()", waits_for_none=("add_in_turn",))
    assert found is not None
    assert "waiting" == found.found
    assert "does not come out of Box.add_in_turn()" in found.message


def test_waiting_for_a_word_of_no_lock() -> None:
    """Whoever owns the word: alone, this loop has no end."""
    calls = "yield self.box.content.store(-1)\nyield from self.box.look()\n"
    assert wrong(calls, threads=1, waits_for_none=("look",)) is not None


def test_readers_let_readers_in() -> None:
    """Between the two calls another one gets in and out; within them it may have to wait."""
    calls = (
        "yield from self.box.read()\nyield self.box.content.load()\nyield from self.box.unread()"
    )
    assert wrong(calls, lets_in=("read", "unread")) is None


def test_mutex_lets_none_in() -> None:
    """The same calls of a lock."""
    calls = (
        "yield from self.box.enter()\nyield self.box.content.load()\nyield from self.box.leave()"
    )
    found = wrong(calls, lets_in=("enter", "leave"))
    assert found is not None
    assert "thread 1 does not come out of Box.enter()" in found.message


OPERATIONS = {"load()": False, "store(1)": True, "fetch_add(1)": True, "swap(2)": True}


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(sorted(OPERATIONS)), min_size=1, max_size=4))
def test_straight_calls_wait_for_none(names: list[str]) -> None:
    """Without a loop nothing waits, and what writes is what has an operation that does."""
    steps = "\n".join(f"        yield self.content.{name}" for name in names)
    text = CLIENT.replace("class Client", f"    def go(self):\n{steps}\n\nclass Client")
    client = compile_source(text.format(body="        yield from self.box.go()"), "<box.py>")
    for asked in ("waits_for_none", "writes_nothing"):
        verdict = check_workload(
            client["Client"].struct(), threads=2, conduct=Conduct(**{asked: ("Box.go",)})
        )
        writes = any(OPERATIONS[name] for name in names)
        right = asked == "waits_for_none" or not writes
        assert ("proven" if right else "violated") == verdict.verdict
