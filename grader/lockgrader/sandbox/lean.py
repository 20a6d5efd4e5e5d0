"""The few packages that code inside a sandbox may import."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from lockgrader.sandbox.job import SandboxError

__all__ = ["LEAN", "lean"]

LEAN = "/lean"
_PACKAGES = (
    "locksim",
    "numpy",
    "numpy.libs",
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_inspection",
    "typing_extensions",
)
"""The compiler's imports; the sandbox holds nothing else of this machine's Python."""


@functools.cache
def lean() -> dict[str, Path]:
    """The packages of the compiler: path inside → path on this machine.

    Raises:
        SandboxError: one is not installed.
    """
    numpy = importlib.util.find_spec("numpy")
    site = Path(numpy.origin).parent.parent if numpy and numpy.origin else Path("/nonexistent")
    found = {}
    for name in _PACKAGES:
        path = _folder(name) or site / name
        if path.exists():
            found[f"{LEAN}/{path.name}"] = path
        elif not name.endswith(".libs"):
            raise SandboxError(f"the package {name} is not installed; run make setup")
    return found


def _folder(name: str) -> Path | None:
    spec = importlib.util.find_spec(name) if "." not in name else None
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin)
    return path.parent if path.name == "__init__.py" else path
