"""Where LockLab's own files are: the labs, the lessons, the docs, the C sources.

In a checkout they stand in its folders. A wheel carries the same tree, without tests, solutions and
hidden checks, as data of this package (``lockui/share``, listed in ``pyproject.toml``). Only this
module knows the difference.
"""

from __future__ import annotations

from importlib import resources
from importlib.util import find_spec
from pathlib import Path

__all__ = ["home", "installed", "source"]

SHARE = "share"


def installed() -> bool:
    """Whether this is a wheel's LockLab, not that of a checkout."""
    return _shared().is_dir()


def home() -> Path:
    """Return the folder that holds ``labs``, ``lessons``, ``docs`` and ``native``."""
    return _shared() if installed() else Path(__file__).resolve().parents[2]


def _shared() -> Path:
    return Path(str(resources.files("lockui") / SHARE))


def source(name: str) -> Path | None:
    """Return a file or folder of the source tree, or None where it is missing.

    Arguments:
        name: its path in a checkout, such as ``pyproject.toml`` or ``sim/locksim``. Installed
            packages stand beside each other, not in these folders.
    """
    path = home() / name
    if path.exists():
        return path
    package = Path(name).stem
    found = find_spec(package) if package.startswith("lock") else None
    if found is None or found.origin is None:
        return None
    origin = Path(found.origin)
    return origin.parent if found.submodule_search_locations else origin
