"""A flavour of liburcu: everything that a program does with it."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, cast

from locknative.errors import UrcuError
from locknative.urcu.callbacks import callbacks_of
from locknative.urcu.sections import Deferring, ReadSection
from lockui import installation
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from locknative import _urcu

FLAVOURS = ("memb", "mb", "qsbr", "bp")


class Flavour:
    """One flavour of liburcu: memb, mb, qsbr or bp.

    Readers of qsbr are online only inside their sections, so that a thread that blocks in Python
    holds no other thread up; :meth:`online` is for programs that want more. Threads of bp need no
    Reader.

    Every method that waits for a grace period can be ended by Ctrl-C (or another signal whose
    handler raises); the grace period then goes on without it.

    Raises:
        UrcuError: there is no such flavour, or it was not found at build time.
    """

    def __init__(self, name: str) -> None:
        if name not in FLAVOURS:
            raise UrcuError(f"unknown flavour '{name}'; {did_you_mean(name, FLAVOURS)}")
        try:
            extension = importlib.import_module(f"locknative._urcu_{name}")
        except ImportError as reason:
            raise UrcuError(
                f"flavour '{name}' is not available ({reason}): install liburcu's headers "
                "(liburcu-dev, userspace-rcu-devel) and pkg-config, then build again with "
                f"'{installation.again(build=True)}'"
            ) from reason
        self.name = name
        self._c = cast("_urcu._Extension", extension)
        self._section = ReadSection(self._c)
        self._callbacks = callbacks_of(self._c, name)

    def __repr__(self) -> str:
        return f"<urcu.Flavour {self.name} of liburcu {self.version}>"

    @property
    def version(self) -> str:
        """The version of liburcu that was found at build time."""
        return self._c.VERSION

    # Reading

    def reader(self) -> Reader:
        """Return a context manager that registers the thread; see :class:`Reader`."""
        return Reader(self)

    def read_lock(self) -> ReadSection:
        """Return a context manager for a read-side section; sections nest, up to 1000 deep.

        Raises:
            UrcuError: on entry, the thread is not registered or nests too deep; on exit, it is in
                no section.
        """
        return self._section

    def read_ongoing(self) -> bool:
        """Return whether liburcu sees this thread read: in a section, or for qsbr online."""
        return self._c.read_ongoing()

    @contextmanager
    def online(self) -> Iterator[None]:
        """Keep a registered thread of qsbr online between its sections; nothing elsewhere.

        Every grace period then waits until it says :meth:`quiescent_state` or leaves: do not block
        in here.

        Raises:
            UrcuError: the thread is not registered or inside a section.
        """
        before = self._c.stay_online(True)
        try:
            yield
        finally:
            self._c.stay_online(before)

    @contextmanager
    def offline(self) -> Iterator[None]:
        """Be offline for a while within :meth:`online`, to block.

        Raises:
            UrcuError: the thread is inside a section.
        """
        before = self._c.stay_online(False)
        try:
            yield
        finally:
            self._c.stay_online(before)

    def quiescent_state(self) -> None:
        """Say that this thread holds nothing now (qsbr, within :meth:`online`).

        Raises:
            UrcuError: the thread is inside a section.
        """
        self._c.quiescent_state()

    # Grace periods

    def synchronize(self) -> None:
        """Wait until every read-side section that is open now, in any thread, has ended.

        The GIL is released meanwhile. A section that never ends makes this wait for ever.

        Raises:
            UrcuError: the calling thread is inside a section.
        """
        self._c.synchronize()

    def start_poll_synchronize_rcu(self) -> _urcu.GracePeriod:
        """Begin a grace period; :meth:`poll_state_synchronize_rcu` says when it has passed.

        Raises:
            UrcuError: this is a child of fork().
        """
        return self._c.GracePeriod()

    def poll_state_synchronize_rcu(self, state: _urcu.GracePeriod) -> bool:
        """Return whether a grace period has passed, without waiting.

        Args:
            state: what :meth:`start_poll_synchronize_rcu` returned.
        """
        return state.passed

    # What is called after one

    def call_rcu(self, function: Callable[..., object], *arguments: object) -> None:
        """Call ``function(*arguments)`` after a grace period, in a thread of this module's.

        Callbacks of one worker (the default, unless there are others) are called in order. One
        that raises is reported to ``sys.unraisablehook`` and counted in :attr:`failures`. One that
        leaves its thread registered is reported too. At exit, callbacks are waited for a second,
        then dropped.

        Raises:
            UrcuError: the interpreter is at its end, or this is a child of fork().
            TypeError: function cannot be called.
        """
        self._prepare(function)
        self._c.call_rcu(function, arguments)

    def barrier(self) -> None:
        """Wait until all that call_rcu deferred before (in any thread) was called or released.

        Raises:
            UrcuError: the calling thread is inside a section; or it is a callback's, and the
                barrier would wait for that callback.
        """
        with self._callbacks.awaited(), self._while_offline():
            self._c.barrier()
            self._callbacks.flush()

    @property
    def failures(self) -> int:
        """How many callbacks have raised so far, or left their thread registered."""
        return self._c.failures()

    def deferring(self) -> Deferring:
        """Return a context manager in which the thread may use :meth:`defer_rcu`.

        Raises:
            UrcuError: on entry, the thread defers already; on exit, it does not; on either, it is
                inside a section.
        """
        return Deferring(self._c)

    def defer_rcu(self, function: Callable[..., object], *arguments: object) -> None:
        """As :meth:`call_rcu`, by a queue of the thread's own, within :meth:`deferring`.

        The queue is emptied now and then by a thread of liburcu's; when 1000 calls are in it, this
        waits for a grace period and empties it.

        Raises:
            UrcuError: the thread is not within :meth:`deferring`, or is inside a section.
            TypeError: function cannot be called.
        """
        self._prepare(function)
        self._c.defer_rcu(function, arguments)

    def defer_barrier(self) -> None:
        """Wait until all that defer_rcu deferred before (in any thread) was called.

        Raises:
            UrcuError: as :meth:`barrier`.
        """
        with self._callbacks.awaited(), self._while_offline():
            self._c.defer_barrier()
            self._callbacks.flush()

    def _prepare(self, function: Callable[..., object]) -> None:
        if not callable(function):
            raise TypeError(f"give a function to call, not {function!r}")
        self._callbacks.start()

    @contextmanager
    def _while_offline(self) -> Iterator[None]:
        was_online = self._c.registered() and self._c.stay_online(False)
        try:
            yield
        finally:
            if was_online:
                self._c.stay_online(True)

    # Workers: the threads of liburcu's that wait for call_rcu's grace periods

    def create_worker(self, real_time: bool = False, cpu: int | None = None) -> _urcu.Worker:
        """Return a new worker, which serves no thread and no CPU yet.

        Args:
            real_time: it looks for callbacks every 10 ms, so that call_rcu never wakes it.
            cpu: the CPU that it runs on; None for any.

        Raises:
            UrcuError: this process may not run on that CPU, or is a child of fork().
        """
        allowed = os.sched_getaffinity(0)
        if cpu is not None and cpu not in allowed:
            raise UrcuError(
                f"cpu must be one of the CPUs that this process may use: {sorted(allowed)} "
                f"(got {cpu})"
            )
        return self._c.Worker(real_time, -1 if cpu is None else cpu)

    def set_thread_worker(self, worker: _urcu.Worker | None) -> None:
        """Give the calling thread's callbacks to a worker from now on; None: no longer.

        Raises:
            UrcuError: the worker was freed.
        """
        self._c.use_worker(worker)

    def set_cpu_worker(self, cpu: int, worker: _urcu.Worker | None) -> None:
        """Give callbacks to a worker when their thread, which has none, is on a CPU.

        Args:
            cpu: its number, among all that are configured.
            worker: None for the default one.

        Raises:
            UrcuError: the worker was freed, or there is no such CPU.
        """
        self._c.use_worker_on(_configured(cpu), worker)

    def cpu_worker(self, cpu: int) -> _urcu.Worker | None:
        """Return the worker of a CPU, or None.

        Raises:
            UrcuError: there is no such CPU.
        """
        return self._c.worker_on(_configured(cpu))

    def create_all_cpu_workers(self, real_time: bool = False) -> None:
        """Give a worker that runs there to each CPU that has none and that this process may use.

        Raises:
            UrcuError: this is a child of fork().
        """
        for cpu in os.sched_getaffinity(0):
            if self.cpu_worker(cpu) is None:
                self.set_cpu_worker(cpu, self.create_worker(real_time, cpu))

    def free_all_cpu_workers(self) -> None:
        """Take the workers away from all CPUs, and free each.

        Raises:
            UrcuError: a thread uses one, or the calling thread is inside a section.
        """
        workers = {self.cpu_worker(cpu) for cpu in range(_cpus())} - {None}
        for cpu in range(_cpus()):
            self.set_cpu_worker(cpu, None)
        for worker in workers:
            if worker is not None and worker.is_there:
                worker.free()

    # Containers

    def pointer(self, target: object = None) -> _urcu.Pointer:
        """Return a new published pointer to an object; see docs/use/urcu.md."""
        self._callbacks.start()
        return self._c.Pointer(target)

    def hash_table(self, buckets: int = 64, auto_resize: bool = True) -> _urcu.HashTable:
        """Return a new lock-free table (cds_lfht) of Python keys and values; see docs/use/urcu.md.

        Args:
            buckets: how many it has at first, a power of two up to 2^20.
            auto_resize: whether it grows and shrinks with its entries.

        Raises:
            ValueError: ``buckets`` is not such a number.
        """
        self._callbacks.start()
        return self._c.HashTable(buckets, auto_resize)

    def wfcqueue(self) -> _urcu.WfcQueue:
        """Return a new queue with wait-free enqueue (cds_wfcq)."""
        self._callbacks.start()
        return self._c.WfcQueue()

    def lfqueue(self) -> _urcu.LfQueue:
        """Return a new lock-free queue under RCU (cds_lfq)."""
        self._callbacks.start()
        return self._c.LfQueue()

    def wfstack(self) -> _urcu.WfStack:
        """Return a new stack with wait-free push (cds_wfs)."""
        self._callbacks.start()
        return self._c.WfStack()

    def lfstack(self) -> _urcu.LfStack:
        """Return a new lock-free stack (cds_lfs)."""
        self._callbacks.start()
        return self._c.LfStack()

    def rculist(self) -> _urcu.RcuList:
        """Return a new list that is read under RCU (cds_list, rculist)."""
        self._callbacks.start()
        return self._c.RcuList()

    # Processes

    def fork(self) -> int:
        """Make a child, as ``os.fork()``, in which this flavour can be used.

        The child has the calling thread only. Callbacks that wait are called in both processes;
        workers are the parent's. Other flavours are refused in the child.

        Returns:
            0 in the child, the child's number in the parent.

        Raises:
            UrcuError: a thread is registered (for bp: reads), or has deferred and not ended, and
                would be missing in the child; or this is a child of ``os.fork()``.
            OSError: the system cannot make another process.
        """
        while (child := self._c.fork()) is None:
            # Another thread waits for a grace period, which ends: no thread reads.
            time.sleep(0.001)
        if child == 0:
            self._c.forget_workers()
            self._callbacks.renew()
        return child


def _cpus() -> int:
    return os.sysconf("SC_NPROCESSORS_CONF")


def _configured(cpu: int) -> int:
    if not 0 <= cpu < _cpus():
        raise UrcuError(f"cpu must be from 0 to {_cpus() - 1} (got {cpu})")
    return cpu


class Reader:
    """Registers the entering thread as a reader until it leaves.

    Raises:
        UrcuError: on entry, the thread is registered already; on exit, it is another thread, or
            sections are still open (they are closed, and the thread is unregistered).
    """

    def __init__(self, flavour: Flavour | None = None) -> None:
        self._c = (default if flavour is None else flavour)._c

    def __enter__(self) -> Reader:
        self._c.register()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            still_open = self._c.unregister()
        except UrcuError:
            if error is None:
                raise
            return  # what went wrong inside matters more
        if still_open and error is None:
            raise UrcuError(
                f"{still_open} read-side sections were still open when their thread stopped "
                "reading: leave each with 'with urcu.read_lock():'"
            )


def _find() -> dict[str, Flavour]:
    flavours = {}
    for name in FLAVOURS:
        try:
            flavours[name] = Flavour(name)
        except UrcuError as error:
            reason = error
    if not flavours:
        raise ImportError(f"locknative.urcu is not available: {reason}") from reason
    return flavours


found: dict[str, Flavour] = _find()
"""The flavours that were found at build time."""
default: Flavour = next(iter(found.values()))
"""The flavour that the functions of locknative.urcu use."""
