"""Simulations that need nothing of each other, performed here or by several processes.

A :class:`Job` is a function with its arguments, both of a module's top level so that they can be
sent to another process; what it gives depends on nothing else. So a result is the same wherever and
whenever a job runs, and equal jobs are performed once: two tables of one experiment share their
runs. "Equal" means equal bytes when pickled.

A :class:`Runner` is told early what will be asked for (:meth:`Runner.start`) and keeps every
result. With several workers, the jobs that take longest start first, so that none of those is still
running when all others are done. A few seconds of work are not worth starting processes for, and
are done here.

Workers are started by a server process that has imported the engine (``forkserver``): forking a
process that draws a progress bar in a thread is not safe, and a spawned one imports for a second.
Ctrl-C is the main process's to handle; a worker ends when that process does, however it ends.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import connection
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

__all__ = ["Job", "JobError", "Runner", "usable_cpus"]

T = TypeVar("T")
WORTH_S = 5.0
"""Seconds of work below which other processes are not worth their start."""
_PATIENCE_S = 0.2
"""How long to wait for a result before telling how far the others are."""


class JobError(Exception):
    """A worker process ended without a result."""

    exit_code = 2


@dataclass(frozen=True)
class Job(Generic[T]):
    """One call to make.

    Arguments:
        title: what it is, for a progress bar.
        function: of a module's top level. arguments, options: of its call, all to be pickled.
        seconds: about how long it takes on one core; orders jobs, and changes no result.
    """

    title: str
    function: Callable[..., T]
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    seconds: float = 1.0

    def call(self) -> T:
        """Make the call here."""
        return self.function(*self.arguments, **self.options)

    def pickled(self) -> bytes:
        """The call as bytes: what a worker gets, and what makes two jobs equal."""
        return pickle.dumps((self.function, self.arguments, self.options))


class Runner:
    """Performs jobs, each once; a context manager where it has workers.

    Arguments:
        workers: processes to use; 1 performs every job in this one.
    """

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._others = set(multiprocessing.active_children())
        self._futures: dict[bytes, Future[Any]] = {}
        self._seconds: dict[bytes, float] = {}

    def start(self, jobs: Iterable[Job[Any]]) -> None:
        """Tell what will be asked for; workers begin with what takes longest."""
        fresh = {job.pickled(): job for job in jobs}
        fresh = {key: job for key, job in fresh.items() if key not in self._seconds}
        self._seconds |= {key: job.seconds for key, job in fresh.items()}
        if self._pool is None:
            if self._workers == 1 or sum(self._seconds.values()) < WORTH_S:
                return
            self._pool = _pool(self._workers)
        for key, _ in sorted(fresh.items(), key=lambda item: -item[1].seconds):
            self._futures[key] = self._pool.submit(_perform, key)

    def __call__(
        self, job: Job[T], progress: Callable[[str, float], None] = lambda text, fraction: None
    ) -> T:
        """A job's result, now: kept, waited for, or made here.

        Arguments:
            job: started before, or not.
            progress: called with what is running and the fraction done of all that was started.

        Raises:
            JobError: a worker ended without a result. Others: what the job raised.
        """
        key = job.pickled()
        self._seconds.setdefault(key, job.seconds)
        if key not in self._futures:
            progress(job.title, self._fraction())
            made: Future[Any] = Future()
            made.set_result(job.call())
            self._futures[key] = made
        future = self._futures[key]
        try:
            while not wait([future], timeout=_PATIENCE_S).done:
                progress(job.title, self._fraction())
            return cast(T, future.result())
        except (BrokenProcessPool, CancelledError) as error:
            raise JobError(
                f"{job.title}: its process ended without a result (killed, or out of memory?)\n"
                "help: fewer processes at a time, such as --jobs 1"
            ) from error

    @property
    def used_workers(self) -> bool:
        """Whether other processes were started."""
        return self._pool is not None

    def ready(self, job: Job[Any]) -> bool:
        """Whether a job's result is there."""
        future = self._futures.get(job.pickled())
        return future is not None and future.done() and not future.cancelled()

    def close(self) -> None:
        """End the workers, whatever they are at; results that are there stay."""
        if self._pool is None:
            return
        if not all(future.done() for future in self._futures.values()):
            # The executor can not stop a job, but it ends all workers when it has lost one.
            for process in list(set(multiprocessing.active_children()) - self._others)[:1]:
                process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _fraction(self) -> float:
        done = sum(self._seconds[key] for key, future in self._futures.items() if future.done())
        return done / (sum(self._seconds.values()) or 1.0)


def usable_cpus() -> int:
    """CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pool(workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["locksim.engine.fast.engine", "locksim.study.simulation"])
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare)


def _prepare() -> None:
    """Make a worker ready: Ctrl-C is not its business, and it does not outlive its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _perform(key: bytes) -> Any:
    function, arguments, options = pickle.loads(key)
    return function(*arguments, **options)
