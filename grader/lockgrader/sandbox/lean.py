"""The few packages that code inside a sandbox may import."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from lockgrader.sandbox.job import SandboxError
from lockui import installation

LEAN = "/lean"
COMPILER = (
    "lockui",
    "locksim",
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_inspection",
    "typing_extensions",
)
"""The compiler's imports; the sandbox holds nothing else of this machine's Python."""
NUMPY = ("numpy", "numpy.libs")
"""What a student's ``answers.py`` may import besides the standard library."""


@functools.cache
def lean(packages: tuple[str, ...] = COMPILER) -> dict[str, Path]:
    """The folders of some packages: path inside → path on this machine.

    Raises:
        SandboxError: one is not installed.
    """
    found = {}
    for name in packages:
        path = _folder(name)
        if path is not None and path.exists():
            found[f"{LEAN}/{path.name}"] = path
        elif not name.endswith(".libs"):
            raise SandboxError(f"the package {name} is not installed; run {installation.again()!r}")
    return found


def _folder(name: str) -> Path | None:
    """A package's folder or file; ``x.libs``, the libraries of package x, lies beside x."""
    package, _, libs = name.partition(".")
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin)
    path = path.parent if path.name == "__init__.py" else path
    return path.with_name(name) if libs else path
