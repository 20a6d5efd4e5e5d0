"""Userspace RCU (liburcu, all four flavours) with context managers.

A thread that reads registers itself for as long as it lives as a reader; inside, sections mark
what a grace period waits for::

    with urcu.Reader():
        with urcu.read_lock():
            ...                 # what was published before is safe to look at
    urcu.synchronize()          # returns when every section that was open here has ended

The functions of this module are those of :data:`default`, the flavour memb where it was found.
``urcu.memb``, ``urcu.mb``, ``urcu.qsbr`` and ``urcu.bp`` are the flavours with the same names as
methods; each is a world of its own, whose grace periods know nothing of the others' readers.

Everything acts on the calling thread. Misuse raises :class:`UrcuError`. Do not wait for a grace
period with a Python lock in hand that a reader waits for inside its section: neither would ever go
on. Sections opened by hand that their thread never closes end with its registration. Python
without a GIL is out of scope: the binding relies on it.
"""

from __future__ import annotations

import atexit
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from locknative.errors import UrcuError
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from locknative import _urcu
    from locknative._urcu import HashTable, Pointer

__all__ = [
    "Flavour",
    "Reader",
    "UrcuError",
    "barrier",
    "call_rcu",
    "default",
    "flavours",
    "hash_table",
    "pointer",
    "read_lock",
    "synchronize",
    "version",
]

FLAVOURS = ("memb", "mb", "qsbr", "bp")
_EXIT_PATIENCE_S = 1.0


class Flavour:
    """One flavour of liburcu: memb, mb, qsbr or bp.

    Readers of qsbr are online only inside their sections, so that a thread that blocks in Python
    holds nobody up; :meth:`online` is for who wants more. Threads of bp need no Reader.

    Raises:
        UrcuError: there is no such flavour, or it was not found at build time.
    """

    def __init__(self, name: str) -> None:
        if name not in FLAVOURS:
            raise UrcuError(f"there is no flavour '{name}'; {did_you_mean(name, FLAVOURS)}")
        try:
            extension = importlib.import_module(f"locknative._urcu_{name}")
        except ImportError as reason:
            raise UrcuError(
                f"flavour '{name}' is not there ({reason}): install liburcu's headers "
                "(liburcu-dev, userspace-rcu-devel) and pkg-config, then build again with "
                "'make setup'"
            ) from reason
        self.name = name
        self._c = cast("_urcu._Extension", extension)
        self._section = _ReadSection(self._c)
        self._callbacks = _callbacks_of(self._c, name)

    def __repr__(self) -> str:
        return f"<urcu.Flavour {self.name} of liburcu {self.version}>"

    @property
    def version(self) -> str:
        """The version of liburcu that was found at build time."""
        return self._c.VERSION

    def reader(self) -> Reader:
        """Return a context manager that registers the thread; see :class:`Reader`."""
        return Reader(self)

    def read_lock(self) -> _ReadSection:
        """Return a context manager for a read-side section; sections nest, up to 1000 deep.

        Raises:
            UrcuError: on entry, the thread is not registered or nests too deep; on exit, it is in
                no section.
        """
        return self._section

    def synchronize(self) -> None:
        """Wait until every read-side section that is open now, in any thread, has ended.

        The GIL is released meanwhile. A section that never ends makes this wait for ever.

        Raises:
            UrcuError: the calling thread is inside a section.
        """
        self._c.synchronize()

    def call_rcu(self, function: Callable[..., object], *arguments: object) -> None:
        """Call ``function(*arguments)`` after a grace period, in a thread of this module's.

        Callbacks run in order, one after the other; one that raises is reported to
        ``sys.unraisablehook`` and counted in :attr:`failures`. One that leaves its thread
        registered is reported too. At exit, callbacks are waited for a second, then dropped.

        Raises:
            UrcuError: the interpreter is at its end, or this is a child of fork().
            TypeError: function cannot be called.
        """
        if not callable(function):
            raise TypeError(f"call_rcu wants a function, not {function!r}")
        self._callbacks.start()
        self._c.call_rcu(_tidied, (self, function, arguments))

    def barrier(self) -> None:
        """Wait until all that was deferred before (in any thread) has been called or released.

        Raises:
            UrcuError: the calling thread is inside a section or is the callbacks' own.
        """
        if self._callbacks.is_current():
            raise UrcuError("barrier() in a callback waits for that callback: call it elsewhere")
        was_online = self._c.registered() and self._c.stay_online(False)
        try:
            self._c.barrier()
            self._callbacks.flush()
        finally:
            if was_online:
                self._c.stay_online(True)

    @property
    def failures(self) -> int:
        """How many callbacks have raised so far."""
        return self._c.failures()

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

    def pointer(self, target: object = None) -> Pointer:
        """Return a new published pointer to an object; see docs/URCU.md."""
        self._callbacks.start()
        return self._c.Pointer(target)

    def hash_table(self) -> HashTable:
        """Return a new lock-free table (cds_lfht) of Python keys and values; see docs/URCU.md."""
        self._callbacks.start()
        return self._c.HashTable()


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


class _ReadSection:
    def __init__(self, extension: _urcu._Extension) -> None:
        self._c = extension

    def __enter__(self) -> None:
        self._c.read_lock()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._c.read_unlock()
        except UrcuError:
            if error is None:
                raise


class _Callbacks:
    """The thread that runs what a flavour deferred; it starts when something may be."""

    def __init__(self, extension: _urcu._Extension, name: str) -> None:
        self._c = extension
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = 0
        self._over = False

    def start(self) -> None:
        with self._lock:
            if self._over:
                raise UrcuError("the interpreter is at its end: nothing can be deferred any more")
            if self._thread is None:
                self._process = os.getpid()
                atexit.register(self._end)
                self._thread = threading.Thread(
                    target=self._c.run, name=f"urcu-{self._name}", daemon=True
                )
                self._thread.start()

    def is_current(self) -> bool:
        return threading.current_thread() is self._thread

    def flush(self) -> None:
        """Wait for what was handed over; its grace periods have passed."""
        if self._thread is not None and not self._over:
            done = threading.Event()
            self._c.post(done.set, ())
            done.wait()

    def _end(self) -> None:
        thread = self._thread
        if thread is None or os.getpid() != self._process:
            return  # in a child of fork() there is no such thread
        done = threading.Event()
        self._c.call_rcu(done.set, ())
        done.wait(_EXIT_PATIENCE_S)
        self._over = True
        self._c.stop()
        thread.join(_EXIT_PATIENCE_S)


def _tidied(flavour: Flavour, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    """Call, and take back what the callback left behind in its thread."""
    extension = flavour._c
    try:
        function(*arguments)
    finally:
        left = extension.registered() or extension.reading()
        while extension.reading():
            extension.read_unlock()
        if extension.registered():
            extension.unregister()
    if left:
        raise UrcuError("a callback left its thread registered, or in a section: this was undone")


_CALLBACKS: dict[str, _Callbacks] = {}


def _callbacks_of(extension: _urcu._Extension, name: str) -> _Callbacks:
    return _CALLBACKS.setdefault(name, _Callbacks(extension, name))


def _found() -> dict[str, Flavour]:
    found = {}
    for name in FLAVOURS:
        try:
            found[name] = Flavour(name)
        except UrcuError as error:
            reason = error
    if not found:
        raise ImportError(f"locknative.urcu is not there: {reason}") from reason
    return found


_FOUND = _found()
flavours: tuple[str, ...] = tuple(_FOUND)
"""The flavours that were found at build time."""
default: Flavour = next(iter(_FOUND.values()))
"""The flavour that the functions of this module use."""
version: str = default.version
"""The version of liburcu that was found at build time."""

read_lock = default.read_lock
synchronize = default.synchronize
call_rcu = default.call_rcu
barrier = default.barrier
pointer = default.pointer
hash_table = default.hash_table


def __getattr__(name: str) -> Flavour:
    if name in FLAVOURS:
        return _FOUND[name] if name in _FOUND else Flavour(name)
    raise AttributeError(f"module 'locknative.urcu' has no attribute '{name}'")
