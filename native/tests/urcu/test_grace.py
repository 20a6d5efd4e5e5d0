"""Polling, defer_rcu, workers and forks: what stands round a grace period."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import locknative

if locknative.has_urcu:
    from locknative import urcu


@pytest.fixture(params=["memb", "mb", "qsbr", "bp"])
def flavour(request: pytest.FixtureRequest) -> urcu.Flavour:
    """Each flavour; one that was not found at build time fails and says what to install."""
    return urcu.Flavour(request.param)


def test_poll(flavour: urcu.Flavour) -> None:
    """A grace period passes when the section that was open before it is left, not earlier."""
    reading, leave = threading.Event(), threading.Event()

    def read() -> None:
        with flavour.reader(), flavour.read_lock():
            assert flavour.read_ongoing()
            reading.set()
            leave.wait()

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        reading.wait()
        state = flavour.start_poll_synchronize_rcu()
        threading.Event().wait(0.05)
        assert not flavour.poll_state_synchronize_rcu(state)
        assert not flavour.read_ongoing()
        leave.set()
        reader.result()
    while not flavour.poll_state_synchronize_rcu(state):
        threading.Event().wait(0.001)


def test_defer_rcu(flavour: urcu.Flavour) -> None:
    """Deferred calls run in order, more than liburcu's queue holds; a thread may come back."""
    seen: list[int] = []
    for first in (0, 5000):
        with flavour.deferring():
            for number in range(first, first + 5000):
                flavour.defer_rcu(seen.append, number)
    flavour.defer_barrier()
    assert list(range(10000)) == seen


def test_defer_misuse(flavour: urcu.Flavour) -> None:
    """Deferring wants its context, no section, and something to call."""
    with pytest.raises(urcu.UrcuError, match="does not defer"):
        flavour.defer_rcu(print)
    with flavour.deferring():
        with pytest.raises(urcu.UrcuError, match="defers already"):
            flavour.deferring().__enter__()
        with pytest.raises(TypeError, match="give a function to call"):
            flavour.defer_rcu(1)  # type: ignore[arg-type]
        with flavour.reader(), flavour.read_lock():
            for wait in (flavour.defer_barrier, lambda: flavour.defer_rcu(print)):
                with pytest.raises(urcu.UrcuError, match="waits for itself"):
                    wait()
    with pytest.raises(urcu.UrcuError, match="does not defer"):
        flavour.deferring().__exit__(None, None, None)


def test_exit_while_deferring(run_python: Callable[[str], str]) -> None:
    """A process ends well though threads of it are registered to defer."""
    assert "ready" == run_python(
        """
        import threading
        from locknative import urcu
        ready = threading.Event()

        def stay():
            urcu.mb.deferring().__enter__()
            ready.set()
            threading.Event().wait()

        urcu.memb.deferring().__enter__()
        urcu.memb.defer_rcu(print, "ready")
        threading.Thread(target=stay, daemon=True).start()
        ready.wait()
        urcu.memb.defer_barrier()
        """
    )


def test_workers(flavour: urcu.Flavour) -> None:
    """A thread's worker and a CPU's carry its callbacks; one that is used is not freed."""
    seen: list[int] = []
    cpu = min(os.sched_getaffinity(0))
    mine, on_cpu = flavour.create_worker(real_time=True), flavour.create_worker(cpu=cpu)
    flavour.set_thread_worker(mine)
    flavour.set_cpu_worker(cpu, on_cpu)
    assert on_cpu is flavour.cpu_worker(cpu)
    flavour.call_rcu(seen.append, 1)
    flavour.barrier()
    for worker in (mine, on_cpu):
        with pytest.raises(urcu.UrcuError, match="uses this worker"):
            worker.free()
    flavour.set_thread_worker(None)
    flavour.set_cpu_worker(cpu, None)
    flavour.call_rcu(seen.append, 2)
    for worker in (mine, on_cpu):
        worker.free()
        assert not worker.is_there
        for use in (worker.free, lambda worker=worker: flavour.set_thread_worker(worker)):
            with pytest.raises(urcu.UrcuError, match="was freed"):
                use()
    flavour.barrier()
    assert [1, 2] == seen


def test_all_cpu_workers(flavour: urcu.Flavour) -> None:
    """Each CPU that this process may use gets a worker, once; all are freed at once."""
    flavour.create_all_cpu_workers()
    workers = {cpu: flavour.cpu_worker(cpu) for cpu in os.sched_getaffinity(0)}
    flavour.create_all_cpu_workers()
    assert workers == {cpu: flavour.cpu_worker(cpu) for cpu in os.sched_getaffinity(0)}
    seen: list[int] = []
    for number in range(20):
        flavour.call_rcu(seen.append, number)
    flavour.free_all_cpu_workers()
    flavour.barrier()
    assert list(range(20)) == sorted(seen)
    assert {None} == {flavour.cpu_worker(cpu) for cpu in workers}


def test_worker_of_no_cpu(flavour: urcu.Flavour) -> None:
    """A CPU that is not there is refused by its number."""
    with pytest.raises(urcu.UrcuError, match="got 99999"):
        flavour.create_worker(cpu=99999)
    for cpu in (-1, 99999):
        with pytest.raises(urcu.UrcuError, match=f"got {cpu}"):
            flavour.set_cpu_worker(cpu, None)


def test_fork(run_python: Callable[[str], str]) -> None:
    """In a child of the flavour's own fork() everything works; waiting callbacks run in both."""
    assert "\n".join(["child 1 2 3 and the other is refused", "parent 1"] * 4) == run_python(
        """
        import os, threading
        from locknative import urcu

        def use(flavour, seen):
            table = flavour.hash_table()
            with flavour.reader():
                table.add(1, 2)
                with flavour.read_lock():
                    table.remove(1)
            flavour.create_worker().free()
            with flavour.deferring():
                flavour.defer_rcu(seen.append, 3)
            flavour.synchronize()
            flavour.barrier()

        for flavour in map(urcu.Flavour, urcu.flavours):
            other = urcu.mb if flavour.name != "mb" else urcu.memb
            other.synchronize()
            seen, table = [], flavour.hash_table()
            worker = flavour.create_worker()
            flavour.set_thread_worker(worker)
            flavour.call_rcu(seen.append, 1)
            child = flavour.fork()
            if child == 0:
                flavour.call_rcu(seen.append, 2)
                assert not worker.is_there
                use(flavour, seen)
                try:
                    other.synchronize()
                except urcu.UrcuError:
                    print("child", *sorted(seen), "and the other is refused", flush=True)
                os._exit(0)
            assert (child, 0) == os.waitpid(child, 0)
            flavour.barrier()
            print("parent", *seen, flush=True)
            flavour.set_thread_worker(None)
        """
    )


def test_fork_beside_readers(run_python: Callable[[str], str]) -> None:
    """A fork that would leave a reader's registration behind is refused, and nothing hangs."""
    assert "4 refused" == run_python(
        """
        import threading
        from locknative import urcu
        reading, leave, refused = threading.Event(), threading.Event(), []

        def read():
            with urcu.memb.reader(), urcu.mb.reader(), urcu.qsbr.reader(), urcu.bp.read_lock():
                reading.set()
                leave.wait()

        reader = threading.Thread(target=read)
        reader.start()
        reading.wait()
        for flavour in map(urcu.Flavour, urcu.flavours):
            try:
                flavour.fork()
            except urcu.UrcuError:
                refused.append(flavour)
        leave.set()
        reader.join()
        print(len(refused), "refused")
        """
    )
