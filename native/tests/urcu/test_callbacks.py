"""call_rcu, barrier and pointers, in every flavour: order, references, misuse, the end."""

from __future__ import annotations

import gc
import re
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import locknative

if locknative.has_urcu:
    from locknative import urcu

PATIENCE_S = 600.0
FLAVOURS = ["memb", "mb", "qsbr", "bp"]


@pytest.fixture(params=FLAVOURS)
def flavour(request: pytest.FixtureRequest) -> urcu.Flavour:
    """Each flavour; one that was not found at build time fails and says what to install."""
    return urcu.Flavour(request.param)


class Held:
    """Something whose release can be seen."""

    alive = 0

    def __init__(self) -> None:
        Held.alive += 1

    def __del__(self) -> None:
        Held.alive -= 1


def test_unknown_flavour() -> None:
    """A flavour that does not exist is refused by name."""
    with pytest.raises(urcu.UrcuError, match="unknown flavour 'signal'"):
        urcu.Flavour("signal")


def test_grace_period(flavour: urcu.Flavour) -> None:
    """A callback, like synchronize(), waits for the section that was open before it."""
    events: list[str] = []
    reading, go_on = threading.Event(), threading.Event()

    def read() -> None:
        with flavour.reader(), flavour.read_lock():
            reading.set()
            go_on.wait()
            events.append("left")

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        reading.wait()
        flavour.call_rcu(events.append, "called")
        threading.Event().wait(0.05)
        assert [] == events
        go_on.set()
        flavour.synchronize()
        flavour.barrier()
        reader.result()
    assert ["left", "called"] == events


def test_callbacks_in_order(flavour: urcu.Flavour) -> None:
    """Callbacks of one thread run in their order, all before barrier() returns."""
    seen: list[int] = []
    for number in range(500):
        flavour.call_rcu(seen.append, number)
    flavour.barrier()
    assert list(range(500)) == seen


def test_callback_raises(flavour: urcu.Flavour, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a callback raises is reported and counted; the next one runs."""
    reported: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(what.exc_type))
    before, seen = flavour.failures, []

    def fail() -> None:
        raise KeyError

    flavour.call_rcu(fail)
    flavour.call_rcu(seen.append, 1)
    flavour.barrier()
    assert ([KeyError], [1], 1) == (reported, seen, flavour.failures - before)


def test_callback_misuse(flavour: urcu.Flavour, monkeypatch: pytest.MonkeyPatch) -> None:
    """A callback may defer and synchronise; it may not wait for itself or stay registered."""
    reported: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(str(what.exc_value)))
    seen: list[int] = []

    def work() -> None:
        flavour.synchronize()
        flavour.call_rcu(seen.append, 1)

    flavour.call_rcu(work)
    flavour.call_rcu(flavour.barrier)
    flavour.call_rcu(lambda: flavour.reader().__enter__())
    flavour.barrier()
    flavour.barrier()
    assert [1] == seen
    assert 2 == len(reported)
    assert "waits for that callback" in reported[0]
    assert "left its thread registered" in reported[1]


def test_wait_inside_a_section(flavour: urcu.Flavour) -> None:
    """Neither kind of waiting is let wait for its own section."""
    with flavour.reader(), flavour.read_lock():
        for wait in (flavour.synchronize, flavour.barrier):
            with pytest.raises(urcu.UrcuError, match="waits for itself"):
                wait()


def test_not_a_function(flavour: urcu.Flavour) -> None:
    """What cannot be called is refused at once, not after a grace period."""
    with pytest.raises(TypeError, match="give a function to call"):
        flavour.call_rcu(1)  # type: ignore[arg-type]


def test_thread_dies_in_a_section(flavour: urcu.Flavour) -> None:
    """A thread that ends registered and reading holds nobody up."""

    def vanish() -> None:
        flavour.reader().__enter__()
        flavour.read_lock().__enter__()

    for _ in range(10):
        thread = threading.Thread(target=vanish)
        thread.start()
        thread.join()
        flavour.synchronize()


def test_online() -> None:
    """A qsbr thread that stays online holds a grace period up until its quiescent state."""
    qsbr = urcu.qsbr
    waited = threading.Event()

    def update() -> None:
        qsbr.synchronize()
        waited.set()

    with qsbr.reader(), qsbr.online(), ThreadPoolExecutor(1) as pool:
        updater = pool.submit(update)
        assert not waited.wait(0.05)
        while not waited.wait(0.001):
            qsbr.quiescent_state()
        updater.result()
        with qsbr.offline():
            pool.submit(update).result()
        qsbr.synchronize()
        qsbr.barrier()
    with qsbr.reader(), ThreadPoolExecutor(1) as pool:
        pool.submit(update).result()  # outside of online(), blocking is harmless


def test_pointer(flavour: urcu.Flavour) -> None:
    """dereference() wants a section; assign() returns the old target, whoever reads may go on."""
    pointer = flavour.pointer("old")
    with pytest.raises(urcu.UrcuError, match="in no read-side section"):
        pointer.dereference()
    with flavour.reader(), flavour.read_lock():
        assert "old" == pointer.dereference()
        assert "old" == pointer.assign("new")
        assert "new" == pointer.dereference()
        assert not pointer.compare_exchange("old", "newer")
        assert pointer.compare_exchange(pointer.dereference(), "newest")
        assert "newest" == pointer.dereference()


def test_pointer_stress(flavour: urcu.Flavour) -> None:
    """Four threads count up by copy and compare-exchange while others read: no update is lost."""
    pointer = flavour.pointer((0, 0))

    def update() -> None:
        with flavour.reader():
            for _ in range(500):
                done = False
                while not done:
                    with flavour.read_lock():
                        old = pointer.dereference()
                        done = pointer.compare_exchange(old, (old[0] + 1, old[1] - 1))

    def read() -> list[int]:
        with flavour.reader():
            sums = []
            for _ in range(1000):
                with flavour.read_lock():
                    sums.append(sum(pointer.dereference()))
            return sums

    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(update) for _ in range(4)]
        readers = [pool.submit(read) for _ in range(2)]
        for each in running:
            each.result()
        assert all(set(reader.result()) == {0} for reader in readers)
    with flavour.reader(), flavour.read_lock():
        assert (2000, -2000) == pointer.dereference()


def test_nothing_leaks(flavour: urcu.Flavour) -> None:
    """Targets, functions and arguments are all released after a barrier, each once."""
    before = Held.alive
    pointer = flavour.pointer(Held())
    for _ in range(200):
        pointer.assign(Held())
        flavour.call_rcu(lambda held: None, Held())
    flavour.barrier()
    gc.collect()
    assert before + 1 == Held.alive
    del pointer
    assert before == Held.alive


def each_end() -> Iterator[Any]:
    """Every flavour with an idle reader or with a stuck one, by turns; the other way is slow."""
    for i, name in enumerate(FLAVOURS):
        for stuck in (False, True):
            marks = (pytest.mark.slow,) if stuck == bool(i % 2) else ()
            yield pytest.param(
                name, stuck, marks=marks, id=f"{name}-{'stuck' if stuck else 'idle'}"
            )


@pytest.mark.parametrize(("name", "stuck"), [*each_end()])
def test_exit_with_pending(name: str, stuck: bool, run_python: Callable[[str], str]) -> None:
    """The interpreter ends cleanly with callbacks pending, even if a reader never leaves."""
    assert ("ready" if stuck else "ready\ncalled") == run_python(
        f"""
        import threading
        from locknative import urcu
        flavour = urcu.Flavour("{name}")
        reading = threading.Event()
        def read():
            with flavour.reader(), flavour.read_lock():
                reading.set()
                threading.Event().wait()
        if {stuck}:
            threading.Thread(target=read, daemon=True).start()
            reading.wait()
        print("ready", flush=True)
        flavour.call_rcu(lambda: print("called", flush=True))
        """
    )


@pytest.mark.parametrize(
    "name", [FLAVOURS[0], *(pytest.param(n, marks=pytest.mark.slow) for n in FLAVOURS[1:])]
)
def test_fork_with_callbacks(name: str, run_python: Callable[[str], str]) -> None:
    """A child of fork() is refused everything, and ends; the parent goes on."""
    assert "child: 4\nparent: 1" == run_python(
        f"""
        import os
        from locknative import urcu
        flavour = urcu.Flavour("{name}")
        pointer = flavour.pointer(1)
        flavour.barrier()
        child = os.fork()
        if child == 0:
            refused = 0
            for call in (flavour.synchronize, flavour.barrier, lambda: pointer.assign(2),
                         lambda: flavour.call_rcu(print)):
                try:
                    call()
                except urcu.UrcuError as error:
                    refused += "fork" in str(error)
            print("child:", refused, flush=True)
        else:
            os.waitpid(child, 0)
            print("parent:", pointer.assign(2))
            flavour.barrier()
        """
    )


def test_document() -> None:
    """The examples of docs/use/urcu.md run."""
    text = (Path(__file__).parents[3] / "docs/use/urcu.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) > 0
    for example in examples:
        exec(compile(example, "docs/use/urcu.md", "exec"), {})


def test_the_first_callback_knows_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a fork one may run before start() returns; a barrier in it must not wait for itself."""
    from locknative.urcu.callbacks import Callbacks

    class Extension:
        def run(self, tidies: list[Callable[[], bool]]) -> None:
            refused = pytest.raises(urcu.UrcuError, match="waits for that callback")
            with refused, callbacks.awaited():
                pass
            seen.append("refused")

    def start_and_run(thread: threading.Thread) -> None:
        start(thread)
        thread.join()

    seen: list[str] = []
    start = threading.Thread.start
    callbacks = Callbacks(Extension(), "made-up")  # type: ignore[arg-type]
    monkeypatch.setattr("locknative.urcu.callbacks._CALLBACKS", {"made-up": callbacks})
    monkeypatch.setattr(Extension, "tidy", lambda self: False, raising=False)
    monkeypatch.setattr(threading.Thread, "start", start_and_run)
    monkeypatch.setattr("atexit.register", lambda function: function)
    callbacks.start()
    assert ["refused"] == seen


def test_ctrl_c_leaves_no_lock_to_the_callbacks(
    flavour: urcu.Flavour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However Ctrl-C ends a barrier(), later callbacks are called.

    Conditions of the threading module may keep their lock when it comes while they take it.
    """
    flavour.call_rcu(int)  # its thread is there
    take, main = threading.Condition.__enter__, threading.get_ident()

    def interrupted(condition: threading.Condition) -> bool:
        taken = take(condition)
        if threading.get_ident() == main:
            raise KeyboardInterrupt
        return taken

    with monkeypatch.context() as patched:
        patched.setattr(threading.Condition, "__enter__", interrupted)
        with suppress(KeyboardInterrupt):
            flavour.barrier()
    called = threading.Lock()
    called.acquire()
    flavour.call_rcu(called.release)
    assert called.acquire(timeout=PATIENCE_S)
