"""Independent simulations, run in this process or in several.

A :class:`Job` is a function with its arguments, both defined at a module's top level so that they
can be sent to another process. Its result depends on nothing else. So a result is the same wherever
and whenever a job runs, and equal jobs run once: two tables of one experiment share their runs.
"Equal" means equal bytes when pickled.

A :class:`Runner` learns early which jobs are wanted (:meth:`Runner.start`) and keeps every result.
With several workers the longest jobs start first, so that none of them is still running when all
others are done. A few seconds of work do not justify other processes, and run in this one.

A server process that has imported the engine starts the workers (``forkserver``). Forking a process
that draws a progress bar in a thread is not safe, and a spawned process takes a second to import.
The main process handles Ctrl-C; a worker ends when the main process does, for any reason.
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

from locksim import jit, ready
from locksim.engine.fast import ways
from lockui import portable

__all__ = ["WORTH_S", "Job", "JobError", "Pool", "Runner"]

T = TypeVar("T")
WORTH_S = 5.0
"""Seconds of work below which other processes are not started."""
_PATIENCE_S = 0.2
"""Seconds of waiting for a result between two progress reports."""


class JobError(Exception):
    """A worker process ended without a result."""

    exit_code = 2


@dataclass(frozen=True)
class Job(Generic[T]):
    """One call to make.

    Arguments:
        title: description for a progress bar.
        function: of a module's top level. arguments, options: of its call, all to be pickled.
        seconds: estimated time on one core; it orders jobs and changes no result.
    """

    title: str
    function: Callable[..., T]
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    seconds: float = 1.0

    def call(self) -> T:
        """Make the call in this process."""
        return self.function(*self.arguments, **self.options)

    def pickled(self) -> bytes:
        """The call as bytes, which a worker gets and which defines equality of jobs."""
        return pickle.dumps((self.function, self.arguments, self.options))


class Runner:
    """Runs jobs, each once; a context manager if it has workers.

    Arguments:
        workers: processes to use; 1 runs every job in this process.
    """

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers
        self._pool: Pool | None = None
        self._futures: dict[bytes, Future[Any]] = {}
        self._seconds: dict[bytes, float] = {}

    def start(self, jobs: Iterable[Job[Any]]) -> None:
        """Announce the jobs that will be wanted; workers start with the longest."""
        fresh = {job.pickled(): job for job in jobs}
        fresh = {key: job for key, job in fresh.items() if key not in self._seconds}
        self._seconds |= {key: job.seconds for key, job in fresh.items()}
        if self._pool is None:
            if self._workers == 1 or sum(self._seconds.values()) < WORTH_S:
                return
            self._pool = Pool(self._workers)
        for key, _ in sorted(fresh.items(), key=lambda item: -item[1].seconds):
            self._futures[key] = self._pool.submit(_perform, key)

    def __call__(
        self, job: Job[T], progress: Callable[[str, float], None] = lambda text, fraction: None
    ) -> T:
        """The result of a job: stored, awaited, or computed in this process.

        Arguments:
            job: the job, announced before or not.
            progress: called with the running job's title and the fraction done of all jobs.

        Raises:
            JobError: a worker ended without a result. Other errors: those of the job.
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
                "help: use fewer processes, such as --jobs 1"
            ) from error

    @property
    def used_workers(self) -> bool:
        """Whether other processes have been started."""
        return self._pool is not None

    def ready(self, job: Job[Any]) -> bool:
        """Whether a job's result is stored."""
        future = self._futures.get(job.pickled())
        return future is not None and future.done() and not future.cancelled()

    def close(self) -> None:
        """End the workers, busy or not; stored results stay."""
        if self._pool is None:
            return
        self._pool.end(busy=not all(future.done() for future in self._futures.values()))
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


class Pool(ProcessPoolExecutor):
    """Processes that have the engine; they end when this process does.

    Arguments:
        workers: how many.
    """

    def __init__(self, workers: int) -> None:
        # Long jobs are simulations: what they need is compiled here, once, and the user is told.
        loop = "locksim.engine.fast.ways"
        if jit.enabled():
            ready.make(ways.UNLIMITED)
            loop = ways.UNLIMITED.module
        context = multiprocessing.get_context(portable.start_method("forkserver"))
        if portable.LINUX:
            context.set_forkserver_preload([loop, "locksim.study.simulation"])
        self._others = set(multiprocessing.active_children())
        super().__init__(workers, mp_context=context, initializer=_prepare)

    def end(self, *, busy: bool) -> None:
        """End the processes.

        Arguments:
            busy: whether one of them may still work, for nobody.
        """
        if busy:
            # The executor cannot stop a job, but it ends all workers when one is lost.
            for process in list(set(multiprocessing.active_children()) - self._others)[:1]:
                process.kill()
        self.shutdown(wait=True, cancel_futures=True)


def _prepare() -> None:
    """Prepare a worker: it ignores Ctrl-C, and ends with its parent."""
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
