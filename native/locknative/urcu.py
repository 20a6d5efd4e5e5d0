"""Userspace RCU (liburcu, memb flavour) with context managers.

A thread that reads registers itself for as long as it lives as a reader; inside, sections mark
what a grace period waits for::

    with urcu.Reader():
        with urcu.read_lock():
            ...                 # what was published before is safe to look at
    urcu.synchronize()          # returns when every section that was open here has ended

Both managers act on the thread that enters them. Misuse raises :class:`UrcuError`. Do not call
``synchronize`` with a Python lock in hand that a reader waits for inside its section: neither would
ever go on. Sections opened by hand that their thread never closes end with its registration.
"""

from __future__ import annotations

from types import TracebackType

from locknative.errors import NativeError

try:
    from locknative import _urcu
except ImportError as _reason:
    raise ImportError(
        f"locknative.urcu is not there ({_reason}): install liburcu's headers (liburcu-dev, "
        "userspace-rcu-devel) and pkg-config, then build again with 'make setup'"
    ) from _reason

__all__ = ["Reader", "UrcuError", "read_lock", "synchronize", "version"]

version: str = _urcu.VERSION
"""The version of liburcu that was found at build time."""

_MESSAGES = {
    _urcu.NOT_REGISTERED: "this thread is not registered: enter 'with urcu.Reader():' in it first",
    _urcu.ALREADY_REGISTERED: "this thread is registered already: leave the inner Reader out",
    _urcu.NOT_READING: "this thread is in no read-side section: each section ends once, in the "
    "thread that began it",
    _urcu.READING: "synchronize() inside a read-side section waits for itself: leave the section "
    "first",
    _urcu.TOO_DEEP: "1000 read-side sections are nested in this thread: one of them is not left",
    _urcu.FORKED: "this is a child of fork(), and its parent has used liburcu: start the process "
    "with multiprocessing's 'spawn' method",
    _urcu.NO_MEMORY: "the system has no memory or no thread-specific key left for liburcu",
}


class UrcuError(NativeError):
    """RCU was used against its rules; liburcu itself was not called."""


class Reader:
    """Registers the entering thread as a reader until it leaves.

    Raises:
        UrcuError: on entry, the thread is registered already; on exit, it is another thread, or
            sections are still open (they are closed, and the thread is unregistered).
    """

    def __enter__(self) -> Reader:
        _check(_urcu.register())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        status, still_open = _urcu.unregister()
        if error is not None:
            return  # what went wrong inside matters more
        _check(status)
        if still_open:
            raise UrcuError(
                f"{still_open} read-side sections were still open when their thread stopped "
                "reading: leave each with 'with urcu.read_lock():'"
            )


class _ReadSection:
    def __enter__(self) -> None:
        _check(_urcu.read_lock())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        status = _urcu.read_unlock()
        if error is None:
            _check(status)


_SECTION = _ReadSection()


def read_lock() -> _ReadSection:
    """Return a context manager for a read-side section; sections nest, up to 1000 deep.

    Raises:
        UrcuError: on entry, the thread is not registered or nests too deep; on exit, it is in no
            section.
    """
    return _SECTION


def synchronize() -> None:
    """Wait until every read-side section that is open now, in any thread, has ended.

    The GIL is released meanwhile. A section that never ends makes this wait for ever.

    Raises:
        UrcuError: the calling thread is inside a section.
    """
    _check(_urcu.synchronize())


def _check(status: int) -> None:
    if status != _urcu.OK:
        raise UrcuError(_MESSAGES[status])
