"""Nothing that Python code does to the bindings crashes or hangs; each case in its own process."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def test_made_without_init(run_python: Callable[[str], str]) -> None:
    """What ``__new__`` makes, or a subclass whose ``__init__`` does nothing, can be used."""
    assert "\n".join(["None None 1", "refused refused refused"] * 4) == run_python(
        """
        from locknative import urcu

        def refused(Entries, *arguments):
            try:
                return next(Entries.__new__(Entries, *arguments))
            except (TypeError, urcu.UrcuError):
                return "refused"

        for flavour in map(urcu.Flavour, urcu.flavours):
            Pointer = type(flavour.pointer())

            class Quiet(Pointer):
                def __init__(self):
                    pass

            bare, quiet, table = Pointer.__new__(Pointer), Quiet(), flavour.hash_table()
            before = quiet.assign(1)
            with flavour.reader(), flavour.read_lock():
                print(bare.dereference(), before, quiet.dereference())
                Entries = type(iter(table))
            print(refused(Entries), refused(Entries, table), refused(Entries, None))
        """
    )


def test_finalizer_reads(run_python: Callable[[str], str]) -> None:
    """A finalizer in a callbacks' thread that opens any flavour's section holds nothing up."""
    assert "\n".join(["1 True"] * 16) == run_python(
        """
        import itertools, sys
        from locknative import urcu

        class Held:
            def __init__(self, flavour):
                self.flavour = flavour
            def __del__(self):
                self.flavour.reader().__enter__()
                self.flavour.read_lock().__enter__()

        flavours = [urcu.Flavour(name) for name in urcu.flavours]
        for flavour, read in itertools.product(flavours, flavours):
            told = []
            sys.unraisablehook = lambda what: told.append(str(what.exc_value))
            flavour.pointer(Held(read)).assign(None)
            flavour.barrier()
            read.synchronize()
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


def test_interrupted(run_python: Callable[[str], str]) -> None:
    """Ctrl-C ends a wait for a reader that never leaves; afterwards everything works."""
    assert "\n".join(["synchronize True", "barrier True", "defer_barrier True"] * 4) == run_python(
        """
        import os, signal, threading
        from locknative import urcu

        def interrupted(flavour, wait):
            reading, leave = threading.Event(), threading.Event()

            def read():
                with flavour.reader(), flavour.read_lock():
                    reading.set()
                    leave.wait()

            reader = threading.Thread(target=read)
            reader.start()
            reading.wait()
            called = []
            with flavour.deferring():
                flavour.defer_rcu(called.append, 1)
                flavour.call_rcu(called.append, 2)
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
                try:
                    getattr(flavour, wait)()
                except KeyboardInterrupt:
                    called.append(3)
                leave.set()
            reader.join()
            flavour.barrier()
            flavour.defer_barrier()
            return [1, 2, 3] == sorted(called)

        for flavour in map(urcu.Flavour, urcu.flavours):
            for wait in ("synchronize", "barrier", "defer_barrier"):
                print(wait, interrupted(flavour, wait))
        """
    )


@pytest.mark.slow
def test_cycles_are_collected(run_python: Callable[[str], str]) -> None:
    """A cycle through any container is freed, one that is still used is not."""
    containers = ["Pointer", "HashTable", "WfcQueue", "LfQueue", "WfStack", "LfStack", "RcuList"]
    assert "\n".join(f"{name} 1 0" for name in containers) == run_python(
        """
        import gc
        from locknative import urcu

        class Held:
            alive = 0
            def __init__(self):
                Held.alive += 1
            def __del__(self):
                Held.alive -= 1

        def fill_table(table, held):
            table.add(held, 0)
            table.add(1, held)
            table.add(2, table)

        def ring(make, fill):
            container, held = make(), Held()
            held.container = container
            fill(container, held)
            return container

        def collect():
            for _ in range(4):  # what is collected is released after a grace period
                gc.collect()
                urcu.barrier()
            return Held.alive

        with urcu.Reader():
            for make, fill in {
                urcu.pointer: lambda container, held: container.assign(held),
                urcu.hash_table: fill_table,
                urcu.wfcqueue: lambda container, held: container.enqueue(held),
                urcu.lfqueue: lambda container, held: container.enqueue(held),
                urcu.wfstack: lambda container, held: container.push(held),
                urcu.lfstack: lambda container, held: container.push(held),
                urcu.rculist: lambda container, held: container.add(held),
            }.items():
                kept = ring(make, fill)
                for _ in range(50):
                    ring(make, fill)
                used = collect()
                name = type(kept).__name__
                del kept
                print(name, used, collect())
        """
    )


def test_subclass_in_a_cycle(run_python: Callable[[str], str]) -> None:
    """Subclasses with attributes are collected too; copies and pickles are refused."""
    assert "TypeError\nTypeError\nTrue" == run_python(
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
                print(type(error).__name__)
        gone = weakref.ref(table)
        del table
        gc.collect()
        urcu.barrier()
        gc.collect()
        print(gone() is None)
        """
    )


def test_thread_ends(run_python: Callable[[str], str]) -> None:
    """A thread that ends deferring, reading and with a worker leaves nothing behind."""
    assert "\n".join(["5"] * 4) == run_python(
        """
        import threading
        from locknative import urcu

        def vanish(flavour, seen):
            flavour.deferring().__enter__()
            flavour.defer_rcu(seen.append, 1)
            flavour.set_thread_worker(flavour.create_worker())
            flavour.reader().__enter__()
            flavour.read_lock().__enter__()

        for flavour in map(urcu.Flavour, urcu.flavours):
            seen = []
            for _ in range(5):
                thread = threading.Thread(target=vanish, args=(flavour, seen))
                thread.start()
                thread.join()
                flavour.synchronize()
            while len(seen) < 5:  # the thread may still be ending
                flavour.defer_barrier()
            print(len(seen))
        """
    )
