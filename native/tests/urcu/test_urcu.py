"""liburcu from Python: sections hold a grace period up, and misuse is an exception."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

import locknative

if locknative.has_urcu:
    from locknative import urcu


@pytest.fixture(autouse=True)
def found() -> None:
    """Without liburcu these tests fail and say what to install; they are not skipped."""
    if not locknative.has_urcu:
        pytest.fail("locknative was built without liburcu: install liburcu-dev, 'make setup'")


def in_thread(work: Callable[[], None]) -> None:
    """Run work in a thread that ends afterwards; pass its exception on."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def test_version() -> None:
    """The version is that of the library found at build time."""
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", urcu.version)


def test_grace_period_waits_for_the_reader() -> None:
    """synchronize() returns only after the section that was open before it has ended."""
    events: list[str] = []
    reading, about_to_wait = threading.Event(), threading.Event()

    def read() -> None:
        with urcu.Reader(), urcu.read_lock():
            reading.set()
            about_to_wait.wait()
            for _ in range(20):  # time enough for a grace period that waits for nobody
                threading.Event().wait(0.005)
            events.append("left")

    def update() -> None:
        reading.wait()
        about_to_wait.set()
        urcu.synchronize()
        events.append("synchronised")

    with ThreadPoolExecutor(2) as pool:
        for running in [pool.submit(read), pool.submit(update)]:
            running.result()
    assert ["left", "synchronised"] == events


@pytest.mark.parametrize("updates", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_poisoned_memory_is_never_seen(updates: int) -> None:
    """What a reader found stays intact in its section while updaters replace and poison it."""
    published = [{"poisoned": False}]
    seen: list[bool] = []
    stop, reading = threading.Event(), threading.Barrier(3)

    def read() -> None:
        with urcu.Reader():
            reading.wait()
            while True:
                with urcu.read_lock():
                    entry = published[0]
                    seen.extend(entry["poisoned"] for _ in range(20))
                if stop.is_set():
                    return

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        reading.wait()  # else a busy machine may begin to read when all is over
        for _ in range(updates):
            old, published[0] = published[0], {"poisoned": False}
            urcu.synchronize()
            old["poisoned"] = True
        stop.set()
        for reader in readers:
            reader.result()
    assert len(seen) > 0
    assert not any(seen)


def test_sections_nest() -> None:
    """Only the outermost section ends; the thread registers again afterwards."""

    def work() -> None:
        for _ in range(2):
            with urcu.Reader(), urcu.read_lock(), urcu.read_lock():
                pass
            urcu.synchronize()

    in_thread(work)


def test_unregistered_reader() -> None:
    """A section in a thread that is not registered is refused, also next to one that is."""

    def read() -> None:
        with urcu.read_lock():
            pass

    with urcu.Reader(), pytest.raises(urcu.UrcuError, match="not registered") as caught:
        in_thread(read)
    assert isinstance(caught.value, locknative.NativeError)
    with pytest.raises(urcu.UrcuError, match="not registered"):
        read()


def test_registered_twice() -> None:
    """A second registration is refused and leaves the first one in force."""
    with urcu.Reader():
        with pytest.raises(urcu.UrcuError, match="registered already"), urcu.Reader():
            pass
        with urcu.read_lock():
            pass


def test_unbalanced_unlock() -> None:
    """A section that was not begun cannot be left; nor can another thread's."""
    section = urcu.read_lock()
    with urcu.Reader():
        with pytest.raises(urcu.UrcuError, match="no read-side section"):
            section.__exit__(None, None, None)
        with section, pytest.raises(urcu.UrcuError, match="not registered"):
            in_thread(lambda: section.__exit__(None, None, None))


def test_section_left_open() -> None:
    """A reader that leaves with open sections is told, and holds nobody up any more."""

    def work() -> None:
        with urcu.Reader():
            urcu.read_lock().__enter__()
            urcu.read_lock().__enter__()

    with pytest.raises(urcu.UrcuError, match="2 read-side sections were still open"):
        work()
    urcu.synchronize()


def test_exception_inside() -> None:
    """What is raised inside comes out, not a complaint about the sections it broke off."""

    def work() -> None:
        with urcu.Reader():
            urcu.read_lock().__enter__()
            raise KeyError

    with pytest.raises(KeyError):
        work()
    urcu.synchronize()


def test_leaving_in_another_thread() -> None:
    """Registration belongs to the thread that entered."""
    reader = urcu.Reader()
    with reader, pytest.raises(urcu.UrcuError, match="not registered"):
        in_thread(lambda: reader.__exit__(None, None, None))


def test_synchronize_inside_a_section() -> None:
    """Waiting for oneself is refused instead of waited for."""
    with urcu.Reader(), urcu.read_lock(), pytest.raises(urcu.UrcuError, match="waits for itself"):
        urcu.synchronize()


def test_too_deep() -> None:
    """The thousand-and-first nested section is refused; all others end as usual."""
    with urcu.Reader(), ExitStack() as stack:
        for _ in range(1000):
            stack.enter_context(urcu.read_lock())
        with pytest.raises(urcu.UrcuError, match="1000"):
            stack.enter_context(urcu.read_lock())
    urcu.synchronize()


def test_thread_ends_registered(run_python: Callable[[str], str]) -> None:
    """A thread that ends inside a section is taken off the list: nobody waits, nothing crashes."""
    assert "done" == run_python(
        """
        import threading
        from locknative import urcu

        def vanish():
            urcu.Reader().__enter__()
            urcu.read_lock().__enter__()

        for _ in range(50):
            thread = threading.Thread(target=vanish)
            thread.start()
            thread.join()
            urcu.synchronize()
        print("done")
        """
    )


def test_fork(run_python: Callable[[str], str]) -> None:
    """In a child of a process that has used liburcu every call is refused, and nothing hangs."""
    assert "child: True\nparent: True" == run_python(
        """
        import os
        from locknative import urcu

        with urcu.Reader(), urcu.read_lock():
            child = os.fork()
            if child == 0:
                try:
                    urcu.synchronize()
                except urcu.UrcuError as error:
                    print("child:", "fork" in str(error), flush=True)
                os._exit(0)
            os.waitpid(child, 0)
        urcu.synchronize()
        print("parent:", True)
        """
    )


def test_without_liburcu(run_python: Callable[[str], str]) -> None:
    """Where liburcu was missing at build time all else works, and the import says what to do."""
    assert "False True True" == run_python(
        """
        import sys
        for name in ("memb", "mb", "qsbr", "bp"):
            sys.modules[f"locknative._urcu_{name}"] = None
        import locknative
        try:
            import locknative.urcu
        except ImportError as error:
            told = "liburcu-dev" in str(error)
        print(locknative.has_urcu, told, locknative.validate("tas", 2, 40320).correct)
        """
    )
