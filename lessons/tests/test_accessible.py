"""No page that the kit makes has a violation that axe-core knows, in light and in dark.

The short form looks at small pages of each kind in light. The slow form adds dark, narrow windows
and whole reports. `make site` and its test look at the site itself.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from results_made import rich_result
from study.traces.chromium import AXE, CHROMIUM, launch, too_wide, violations
from study.traces.traced import contended

from lockgrader.report.feedback import feedback
from lockgrader.report.summary import summary
from locksim.checker.play.graph import graph
from locksim.kinds.checking import walk_of_lock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.study.traces.page import page as write_page
from lockui.plots import Axis, Curves, Line, Plot, Point, save

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (apt install chromium)"),
    pytest.mark.skipif(not AXE.exists(), reason="no axe-core; `make playground` fetches it"),
]


def player(path: Path) -> None:
    """A trace."""
    contended(TicketLock, 2, rows=60, words=1, hold_ps=100_000, think_ps=300_000).save(path)


def game(path: Path) -> None:
    """You are the scheduler."""
    write_page(path, graph(walk_of_lock(TASLock, threads=2)))


def plot(path: Path) -> None:
    """Curves, as `--plot FILE.html` saves them."""
    line = Line("ticket", [Point(1, 2.0), Point(2, 1.0)])
    save(Plot("A curve", [Curves([line], Axis("CPUs", True), Axis("time [s]", True))]), path)


def of_a_submission(path: Path) -> None:
    """A student's feedback, with curve, table and counterexample."""
    path.write_text(feedback(rich_result()), encoding="utf-8")


def of_a_class(path: Path) -> None:
    """The summary of a batch."""
    path.write_text(summary([rich_result()]), encoding="utf-8")


def command(*arguments: str) -> Callable[[Path], None]:
    """A page that a command writes; FILE in its arguments is the page."""

    def write(path: Path) -> None:
        words = [str(path) if word == "FILE" else word for word in arguments]
        subprocess.run([sys.executable, "-m", "locklab", *words], check=True, capture_output=True)

    return write


SHORT = {
    "player": player,
    "game": game,
    "plot": plot,
    "feedback": of_a_submission,
    "summary": of_a_class,
}
LONG = {
    "report": command("paper", "reproduce", "moore-2006-netlabel", "--out", "FILE"),
    "run": command("run", "mcs", "--machine", "ideal-8", "--plot", "FILE"),
    "violated": command("play", "schedule", "tas", "--out", "FILE"),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    with sync_api.sync_playwright() as driver:
        running = launch(driver)
        yield running
        running.close()


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "make",
    [
        *(pytest.param(made, id=name) for name, made in SHORT.items()),
        *(pytest.param(made, id=name, marks=pytest.mark.slow) for name, made in LONG.items()),
    ],
)
def test_no_violation(
    make: Callable[[Path], None], scheme: str, width: int, browser: Any, tmp_path: Path
) -> None:
    """Nothing that axe knows, nothing on the console, and nothing wider than the window."""
    path = tmp_path / "page.html"
    make(path)
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    assert [] == violations(page)
    assert ([], 0) == (said, too_wide(page))
    page.close()
