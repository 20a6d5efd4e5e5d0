"""Nothing that Python code does to the bindings crashes or hangs; each case in its own process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

FLAVOURS = ["memb", "mb", "qsbr", "bp"]


@pytest.mark.parametrize("name", FLAVOURS)
def test_made_without_init(name: str, run_python: Callable[[str], str]) -> None:
    """What ``__new__`` makes, or a subclass whose ``__init__`` does nothing, can be used."""
    assert "None\nNone 1\nno argument\nno section\nno queue" == run_python(
        f"""
        from locknative import urcu
        flavour = urcu.Flavour("{name}")
        Pointer, Table = type(flavour.pointer()), type(flavour.hash_table())
        bare = Pointer.__new__(Pointer)
        with flavour.reader(), flavour.read_lock():
            print(bare.dereference())

        class Quiet(Pointer):
            def __init__(self):
                pass

        quiet = Quiet()
        print(quiet.assign(1), end=" ")
        with flavour.reader(), flavour.read_lock():
            print(quiet.dereference())

        with flavour.reader(), flavour.read_lock():
            Entries = type(iter(flavour.hash_table()))
        for made, arguments, why in [(Entries, (), "no argument"),
                                     (Entries, (flavour.hash_table(),), "no section"),
                                     (Entries, (None,), "no queue")]:
            try:
                next(made.__new__(made, *arguments))
            except (TypeError, urcu.UrcuError):
                print(why)
        """
    )


@pytest.mark.parametrize("name", FLAVOURS)
def test_finalizer_reads(name: str, run_python: Callable[[str], str]) -> None:
    """A finalizer that opens a section in the callbacks' thread holds no grace period up."""
    assert "read\n1 True" == run_python(
        f"""
        import sys
        from locknative import urcu
        flavour = urcu.Flavour("{name}")
        told = []
        sys.unraisablehook = lambda what: told.append(str(what.exc_value))

        class Held:
            def __del__(self):
                self.reader = flavour.reader()
                self.reader.__enter__()
                flavour.read_lock().__enter__()
                print("read")

        pointer = flavour.pointer(Held())
        pointer.assign(None)
        flavour.barrier()
        flavour.synchronize()
        flavour.barrier()
        print(len(told), "this was undone" in told[0])
        """
    )


def test_barriers_in_a_circle(run_python: Callable[[str], str]) -> None:
    """Callbacks of two flavours that each wait for the other's: one is refused, neither hangs."""
    assert "1 refused, 1 done" == run_python(
        """
        import threading
        from locknative import urcu
        both, refused, done = threading.Barrier(2), [], []

        def wait(flavour):
            both.wait()
            try:
                flavour.barrier()
                done.append(flavour)
            except urcu.UrcuError:
                refused.append(flavour)

        urcu.memb.call_rcu(wait, urcu.mb)
        urcu.mb.call_rcu(wait, urcu.memb)
        urcu.memb.barrier()
        urcu.mb.barrier()
        print(f"{len(refused)} refused, {len(done)} done")
        """
    )


@pytest.mark.parametrize("wait", ["synchronize", "barrier", "defer_barrier"])
@pytest.mark.parametrize("name", FLAVOURS)
def test_interrupted(name: str, wait: str, run_python: Callable[[str], str]) -> None:
    """Ctrl-C ends a wait for a reader that never leaves; afterwards everything works."""
    assert "interrupted\nTrue" == run_python(
        f"""
        import os, signal, threading
        from locknative import urcu
        flavour = urcu.Flavour("{name}")
        reading, leave = threading.Event(), threading.Event()

        def read():
            with flavour.reader(), flavour.read_lock():
                reading.set()
                leave.wait()

        reader = threading.Thread(target=read)
        reader.start()
        reading.wait()
        waited_for = []
        with flavour.deferring():
            flavour.defer_rcu(waited_for.append, 1)
            flavour.call_rcu(waited_for.append, 2)
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                flavour.{wait}()
            except KeyboardInterrupt:
                print("interrupted")
            leave.set()
        reader.join()
        flavour.synchronize()
        flavour.barrier()
        flavour.defer_barrier()
        print([1, 2] == sorted(waited_for))
        """
    )


@pytest.mark.parametrize(
    "make",
    [
        "pointer",
        "hash_table",
        "wfcqueue",
        "lfqueue",
        "wfstack",
        "lfstack",
        "rculist",
    ],
)
def test_cycles_are_collected(make: str, run_python: Callable[[str], str]) -> None:
    """A cycle through any container is freed, one that is still used is not."""
    assert "1\n0" == run_python(
        f"""
        import gc, threading
        from locknative import urcu

        class Held:
            alive = 0
            def __init__(self):
                Held.alive += 1
            def __del__(self):
                Held.alive -= 1

        put = {{
            "Pointer": lambda c, held: c.assign(held),
            "HashTable": lambda c, held: (c.add(held, 0), c.add(1, held), c.add(2, c)),
            "WfcQueue": lambda c, held: c.enqueue(held),
            "LfQueue": lambda c, held: c.enqueue(held),
            "WfStack": lambda c, held: c.push(held),
            "LfStack": lambda c, held: c.push(held),
            "RcuList": lambda c, held: c.add(held),
        }}

        def ring():
            container, held = urcu.{make}(), Held()
            held.container = container
            put[type(container).__name__](container, held)
            return container

        with urcu.Reader():
            kept = ring()
            for _ in range(50):
                ring()
            for _ in range(4):  # what is collected is freed after a grace period
                gc.collect()
                urcu.barrier()
            print(Held.alive)
            del kept
            for _ in range(4):
                gc.collect()
                urcu.barrier()
            print(Held.alive)
        """
    )


def test_subclass_in_a_cycle(run_python: Callable[[str], str]) -> None:
    """Collection, copying and pickling of subclasses with attributes do no harm."""
    assert "TypeError TypeError\n0" == run_python(
        """
        import copy, gc, pickle, weakref
        from locknative import urcu

        class Table(type(urcu.hash_table())):
            pass

        table = Table(auto_resize=False)
        table.itself = table
        with urcu.Reader():
            table.add("self", table)
        for duplicate in (copy.copy, pickle.dumps):
            try:
                duplicate(table)
            except TypeError as error:
                print(type(error).__name__, end=" " if duplicate is copy.copy else "\\n")
        gone = weakref.ref(table)
        del table
        for _ in range(3):
            gc.collect()
            urcu.barrier()
        print(0 if gone() is None else 1)
        """
    )


@pytest.mark.parametrize("name", FLAVOURS)
def test_thread_ends_deferring(name: str, run_python: Callable[[str], str]) -> None:
    """A thread that ends deferring, reading and with a worker leaves nothing behind."""
    assert "10" == run_python(
        f"""
        import threading
        from locknative import urcu
        flavour = urcu.Flavour("{name}")
        seen = []

        def vanish():
            flavour.deferring().__enter__()
            flavour.defer_rcu(seen.append, 1)
            flavour.set_thread_worker(flavour.create_worker())
            flavour.reader().__enter__()
            flavour.read_lock().__enter__()

        for _ in range(10):
            thread = threading.Thread(target=vanish)
            thread.start()
            thread.join()
            flavour.synchronize()
        while len(seen) < 10:
            flavour.defer_barrier()
        print(len(seen))
        """
    )
