"""Removal of compiled code that is older than its sources.

Numba keeps the compiled loop beside the source and compiles again when that one file changes. It
does not know that the loop also contains functions and constants of other files, so after an edit
there it would run the old ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def forget_stale(function: Any, sources: list[Path]) -> None:
    """Remove a function's compiled code from numba's cache if a source is newer.

    Arguments:
        function: the result of ``njit(cache=True)``.
        sources: files whose code is compiled into it.
    """
    folder = Path(function.stats.cache_path)
    newest = max(source.stat().st_mtime_ns for source in sources)
    stem = Path(function.py_func.__code__.co_filename).stem
    for cached in folder.glob(f"{stem}.*.nb?"):
        try:
            if cached.stat().st_mtime_ns < newest:
                cached.unlink()
        except OSError:  # another process was faster, or the folder is read-only
            continue
