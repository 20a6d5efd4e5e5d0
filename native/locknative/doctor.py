"""What ``locklab doctor`` finds out about native measurements on this machine."""

from __future__ import annotations

from pathlib import Path

from locknative import has_urcu, locks
from locknative.host import noise
from lockui import installation
from lockui.findings import Check

__all__ = ["examine"]


def examine(root: Path) -> list[Check]:
    """Return the findings on the kernels and on what disturbs a measurement.

    Arguments:
        root: where ``proc`` and ``sys`` are.
    """
    return [kernels(len(locks()), urcu=has_urcu), *noise.examine(root)]


def kernels(n_locks: int, *, urcu: bool) -> Check:
    """Are the native kernels built, and with liburcu? The simulator works without them."""
    found = f"{n_locks} locks, {'with' if urcu else 'without'} liburcu"
    if not urcu:
        advice = f"Install liburcu-dev, then run '{installation.again(build=True)}'."
        return Check("locknative", "warning", found, advice)
    return Check("locknative", "ok", found)
