"""The thread that runs what a flavour deferred, one for each flavour."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from locknative.errors import UrcuError

if TYPE_CHECKING:
    from locknative import _urcu

_EXIT_PATIENCE_S = 1.0


class Callbacks:
    """The thread that runs what a flavour deferred; it starts when something may be.

    Args:
        extension: the flavour's.
        name: the flavour's, which the thread's name says.
    """

    def __init__(self, extension: _urcu._Extension, name: str) -> None:
        self._c = extension
        self._name = name
        self._over = False
        self._new_thread()

    def _new_thread(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ident = 0
        self._process = 0
        self._waits_for: Callbacks | None = None

    def start(self) -> None:
        """Start the thread, if it is not there.

        Raises:
            UrcuError: the interpreter is at its end.
        """
        with self._lock:
            if self._over:
                raise UrcuError("Python is shutting down: no callback can be deferred any more")
            if self._thread is None:
                self._process = os.getpid()
                atexit.register(self._end)
                tidies = [each._c.tidy for each in _CALLBACKS.values()]
                thread = threading.Thread(
                    target=self._run, args=(tidies,), name=f"urcu-{self._name}", daemon=True
                )
                thread.start()
                self._thread = thread  # not before: Ctrl-C may have ended start()

    def _run(self, tidies: list[Callable[[], bool]]) -> None:
        # Known to itself before the first callback, which may come before start() returns.
        self._ident = threading.get_ident()
        self._c.run(tidies)

    def renew(self) -> None:
        """Start anew in the child of a fork, which has no other thread."""
        atexit.unregister(self._end)
        self._new_thread()
        self.start()

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Wait for this thread within, unless it waits for the calling one.

        Raises:
            UrcuError: this is a callback, and its own thread is waited for: by itself, or by the
                callback of another flavour whose end this one would wait for.
        """
        waiter = next((each for each in _CALLBACKS.values() if each._is_current()), None)
        if waiter is not None:
            with _CHAINS:
                last: Callbacks | None = self
                while last is not None:
                    if last is waiter:
                        raise UrcuError(
                            "barrier() in a callback waits for that callback: call it elsewhere"
                        )
                    last = last._waits_for
                waiter._waits_for = self
        try:
            yield
        finally:
            if waiter is not None:
                waiter._waits_for = None

    def flush(self) -> None:
        """Wait for what was handed over; its grace periods have passed."""
        if self._thread is not None and not self._over:
            done = _Done()
            self._c.post(done.tell, ())
            done.wait()

    def _is_current(self) -> bool:
        return threading.get_ident() == self._ident

    def _end(self) -> None:
        thread = self._thread
        if thread is None or os.getpid() != self._process:
            return  # in a child of fork() there is no such thread
        done = _Done()
        self._c.never_defer_again(int(1000 * _EXIT_PATIENCE_S))
        self._c.call_rcu(done.tell, ())
        done.wait(_EXIT_PATIENCE_S)
        self._over = True
        self._c.stop()
        thread.join(_EXIT_PATIENCE_S)


class _Done:
    """An event that happens once, for one waiter.

    ``threading.Event`` has a lock that both sides take. Ctrl-C in the waiter can leave it held, and
    the callbacks' thread would then wait for it for ever. Here it waits for nothing.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def tell(self) -> None:
        """Let the waiter go on."""
        self._lock.release()

    def wait(self, seconds: float = -1) -> None:
        """Wait until it has happened, or so long."""
        self._lock.acquire(timeout=seconds)


_CALLBACKS: dict[str, Callbacks] = {}
_CHAINS = threading.Lock()


def callbacks_of(extension: _urcu._Extension, name: str) -> Callbacks:
    """Return the one of a flavour."""
    return _CALLBACKS.setdefault(name, Callbacks(extension, name))
