"""Writer of traces, in the format of the file's suffix."""

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
    """Check that a file's suffix is a known format.

    Raises:
        TraceError: it is not.
    """
    if path.suffix not in ENDINGS:
        known = "; ".join(f"{ending}: {what}" for ending, what in ENDINGS.items())
        raise TraceError(f"{path}: unknown suffix '{path.suffix}'\nhelp: use {known}")


def save(trace: Trace, path: Path) -> Path:
    """Write a trace.

    Raises:
        TraceError: the suffix is unknown. OSError: the file cannot be written.
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
