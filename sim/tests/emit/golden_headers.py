"""Two locks as they are printed. After a change on purpose, look at them and write them anew:

.venv/bin/python sim/tests/emit/golden_headers.py
"""

from __future__ import annotations

from pathlib import Path

from locksim.emit import emit
from locksim.library.registry import resolve

NAMES = ["ticket", "mcs"]


def stored(name: str) -> Path:
    """Where a lock's header is kept."""
    return Path(__file__).with_name(f"{name}.h")


def current(name: str) -> str:
    """A lock's header as it is printed now."""
    return emit(resolve(name).compiled()).text


if __name__ == "__main__":
    for each in NAMES:
        stored(each).write_text(current(each), encoding="utf-8")
