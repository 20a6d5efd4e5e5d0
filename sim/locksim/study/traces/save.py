"""Write a trace to a file in the format that its ending names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from locksim.study.traces.errors import TraceError

if TYPE_CHECKING:
    from locksim.study.traces.trace import Trace

ENDINGS = {
    ".html": "the player, a page for a browser",
    ".json": "trace events, for Perfetto",
    ".parquet": "a table, for pandas",
}


def check_ending(path: Path) -> None:
    """Refuse a file whose ending names no format.

    Raises:
        TraceError: it does not.
    """
    if path.suffix not in ENDINGS:
        known = "; ".join(f"{ending}: {what}" for ending, what in ENDINGS.items())
        raise TraceError(f"{path}: the ending '{path.suffix}' names no format\nhelp: use {known}")


def save(trace: Trace, path: Path) -> Path:
    """Write a trace.

    Raises:
        TraceError: the ending names no format. OSError: the file can not be written.
    """
    check_ending(path)
    if path.suffix == ".json":
        text = json.dumps(trace.to_chrome(), separators=(",", ":"), ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
    elif path.suffix == ".parquet":
        trace.frame().to_parquet(path)
    else:
        from locksim.study.traces.page import page
        from locksim.study.traces.player_data import of_trace

        page(path, of_trace(trace))
    return path
