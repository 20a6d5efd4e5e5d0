"""How much a browser loads before the first verdict, of the page that `make playground` built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "out" / "site" / "playground"
MOST_BYTES = 8_000_000
"""As a server sends them that compresses nothing."""
BEFORE = "index.html playground.css page.js examples.json worker.js parts.json pyodide/pyodide.mjs"


def test_at_most_eight_megabytes_come_before_the_first_verdict() -> None:
    """The page, its worker, and the parts that the worker loads first."""
    if not (PAGE / "parts.json").exists():
        pytest.skip("no playground; `make playground` builds it")
    first = json.loads((PAGE / "parts.json").read_text("utf-8"))["first"]
    files = [*BEFORE.split(), *first]
    assert MOST_BYTES >= sum((PAGE / file).stat().st_size for file in files)
