"""Who runs a sweep's tasks: this process, processes beside it, or a Dask cluster.

All of them take tasks and give futures. A lost process is replaced and its tasks are given out
again; a cluster does the same by itself. A task that some worker cannot survive is given up in the
end: the other tasks are done, and an error names it.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Any, Literal

from locksim.study.cluster import ClusterError, connected
from locksim.study.jobs import WORTH_S, JobError, Pool
from locksim.study.sweep.identity import engine_digest
from locksim.study.sweep.runs import Task, perform

__all__ = ["Finished", "Workers", "on_cluster", "on_this_machine"]

Finished = tuple[list[dict[str, Any]], float]
"""Rows, and the seconds that they took."""
PER_WORKER = 2
"""Tasks that a worker has at once: one to do, and one to go on with."""
PATIENCE = 3
"""How often processes are lost one after the other, without any result, until a sweep ends."""
RETRIES = 2
LOOK_S = 5.0
"""Seconds between two questions how many workers a cluster has."""


class Workers(ABC):
    """Takes tasks."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many tasks may be under way."""

    @abstractmethod
    def submit(self, task: Task) -> Future[Finished]:
        """Let a task be done."""

    def after(self, error: BaseException) -> Literal["again", "lost"]:
        """What becomes of a task that failed: it is given out again, or given up.

        With "again" all tasks under way have failed, and may be given out again.

        Raises:
            JobError, ClusterError: nothing more can be done. Other errors: those of the task.
        """
        raise error


class _Here(Workers):
    """At first the caller's process, and other processes if there is more than a little to do."""

    def __init__(self, processes: int) -> None:
        self._processes, self._spent_s, self._lost = processes, 0.0, 0
        self._pool: Pool | None = None

    @property
    def slots(self) -> int:
        return 1 if self._pool is None else PER_WORKER * self._processes

    def submit(self, task: Task) -> Future[Finished]:
        if self._pool is None and self._processes > 1 and self._spent_s >= WORTH_S:
            self._pool = Pool(self._processes)
        if self._pool is not None:
            future = self._pool.submit(perform, task)
            future.add_done_callback(self._note)
            return future
        done: Future[Finished] = Future()
        done.set_result(perform(task))
        self._spent_s += done.result()[1]
        return done

    def _note(self, future: Future[Finished]) -> None:
        if not future.cancelled() and future.exception() is None:
            self._lost = 0

    def after(self, error: BaseException) -> Literal["again", "lost"]:
        if not isinstance(error, BrokenProcessPool):
            raise error
        self.close(busy=False)
        self._lost += 1
        if self._lost >= PATIENCE:
            raise JobError(
                "the processes ended several times without a result (killed, or out of memory?)\n"
                "help: use fewer processes, such as --jobs 1; finished runs are kept"
            ) from error
        self._pool = Pool(self._processes)
        return "again"

    def close(self, *, busy: bool) -> None:
        """End the processes; ``busy``: also if one of them works."""
        if self._pool is not None:
            self._pool.end(busy=busy)
            self._pool = None


class _Cluster(Workers):
    """The workers of a Dask scheduler; more may join, and some may leave."""

    def __init__(self, address: str, client: Any, executor: Executor) -> None:
        self._address, self._client, self._executor = address, client, executor
        self._slots, self._looked = PER_WORKER, 0.0

    @property
    def slots(self) -> int:
        if time.monotonic() - self._looked > LOOK_S:
            with suppress(OSError):  # a lost connection shows in the tasks under way
                self._slots = PER_WORKER * max(1, len(self._client.nthreads()))
            self._looked = time.monotonic()
        return self._slots

    def submit(self, task: Task) -> Future[Finished]:
        return self._executor.submit(perform, task)

    def after(self, error: BaseException) -> Literal["again", "lost"]:
        if type(error).__name__ == "KilledWorker":
            return "lost"
        if isinstance(error, CancelledError | OSError):
            raise ClusterError(
                f"--cluster {self._address}: the connection was lost\n"
                "help: start the same command again; finished runs are kept",
                exit_code=3,
            ) from error
        raise error


@contextmanager
def on_this_machine(processes: int) -> Iterator[Workers]:
    """Processes of this machine; 1: this process alone."""
    here = _Here(processes)
    try:
        yield here
    except BaseException:
        here.close(busy=True)
        raise
    here.close(busy=False)


@contextmanager
def on_cluster(address: str) -> Iterator[Workers]:
    """The workers of a Dask scheduler.

    Raises:
        ClusterError: there is no such cluster, or its workers have another version.
    """
    with connected(address, engine_digest) as client:
        executor = client.get_executor(pure=False, retries=RETRIES)
        try:
            yield _Cluster(address, client, executor)
        finally:
            executor.shutdown(wait=False)
