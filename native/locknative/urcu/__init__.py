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

from locknative.errors import UrcuError
from locknative.urcu.flavour import FLAVOURS, Flavour, Reader, default, found

__all__ = [
    "Flavour",
    "Reader",
    "UrcuError",
    "barrier",
    "call_rcu",
    "default",
    "defer_barrier",
    "defer_rcu",
    "deferring",
    "flavours",
    "fork",
    "hash_table",
    "lfqueue",
    "lfstack",
    "pointer",
    "poll_state_synchronize_rcu",
    "rculist",
    "read_lock",
    "read_ongoing",
    "start_poll_synchronize_rcu",
    "synchronize",
    "version",
    "wfcqueue",
    "wfstack",
]

flavours: tuple[str, ...] = tuple(found)
"""The flavours that were found at build time."""
version: str = default.version
"""The version of liburcu that was found at build time."""

read_lock = default.read_lock
read_ongoing = default.read_ongoing
synchronize = default.synchronize
start_poll_synchronize_rcu = default.start_poll_synchronize_rcu
poll_state_synchronize_rcu = default.poll_state_synchronize_rcu
call_rcu = default.call_rcu
barrier = default.barrier
deferring = default.deferring
defer_rcu = default.defer_rcu
defer_barrier = default.defer_barrier
pointer = default.pointer
hash_table = default.hash_table
wfcqueue = default.wfcqueue
lfqueue = default.lfqueue
wfstack = default.wfstack
lfstack = default.lfstack
rculist = default.rculist
fork = default.fork


def __getattr__(name: str) -> Flavour:
    if name in FLAVOURS:
        return found[name] if name in found else Flavour(name)
    raise AttributeError(f"module 'locknative.urcu' has no attribute '{name}'")
