"""Throw away compiled code that is older than the sources it was made from.

Numba keeps the compiled loop beside the source and compiles again when that one file changes. It
does not see that the loop also contains functions and constants of other files; after an edit there
it would go on running the old ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def forget_stale(function: Any, sources: list[Path]) -> None:
    """Remove a function's compiled code from numba's cache if a source is newer.

    Arguments:
        function: what ``njit(cache=True)`` made.
        sources: files whose text is compiled into it.
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
