"""The player in a real browser: loads, steps, plays, scrubs, by keyboard, without any network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checker.classics import Peterson
from study.traces.chromium import CHROMIUM, launch
from study.traces.traced import contended, read_mostly

from locksim.checker import check_lock
from locksim.checker.play.game import answer
from locksim.checker.play.graph import graph
from locksim.checker.play.told import of_counterexample
from locksim.kinds.checking import walk_of_lock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock
from locksim.study.traces import bundle
from locksim.study.traces.page import page as write_page

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

ROWS = 10_000

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (apt install chromium)"),
]


class Opened:
    """A page in the browser, and all that it said and asked for."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab
        self.said: list[str] = []
        self.requests: list[str] = []
        tab.on("console", lambda message: self.said.append(message.text))
        tab.on("pageerror", lambda error: self.said.append(str(error)))
        tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: Path) -> None:
        """Load a file and wait for the player."""
        self.tab.goto(path.as_uri())
        self.tab.wait_for_selector("[data-ready]")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.tab.keyboard.press(key)

    def text(self, selector: str) -> str:
        """The text of the first element that a selector finds."""
        return str(self.tab.inner_text(selector))

    def steps(self, number: int) -> None:
        """Wait until a game has so many steps."""
        sync_api.expect(self.tab.locator(".scrub")).to_have_attribute("max", str(number))

    def event(self) -> int:
        """The event or step that the player is at."""
        return int(self.tab.eval_on_selector(".scrub", "scrub => +scrub.value"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    with sync_api.sync_playwright() as driver:
        running = launch(driver)
        yield running
        running.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    """A tab; in the end it must have said nothing, and asked for nothing but the page."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    found = Opened(tab)
    yield found
    assert [] == found.said
    assert {True} == {url.startswith("file:///") for url in found.requests}
    assert 1 == len(found.requests)
    tab.close()


@pytest.fixture(scope="module")
def trace_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight CPUs, ten thousand events."""
    trace = contended(TicketLock, 8, rows=ROWS, words=1, hold_ps=100_000, think_ps=300_000)
    return trace.save(tmp_path_factory.mktemp("page") / "trace.html")


def test_trace_steps_by_keyboard(opened: Opened, trace_page: Path) -> None:
    """The player has the focus when its page opens; arrows, page keys, home and end move."""
    opened.open(trace_page)
    last = opened.tab.eval_on_selector(".scrub", "scrub => +scrub.max")
    assert ROWS - 50 <= last < ROWS
    assert "locklab" == opened.tab.evaluate("document.activeElement.className")
    found = []
    for key in ("ArrowRight", "Shift+ArrowRight", "PageDown", "ArrowLeft", "End", "Home"):
        opened.press(key)
        found.append(opened.event())
    assert [1, 11, 111, 110, last, 0] == found
    outline = opened.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert "solid" == outline


def test_trace_plays_and_stops(opened: Opened, trace_page: Path) -> None:
    """The space bar plays at the chosen speed, and stops."""
    opened.open(trace_page)
    opened.tab.select_option("select", "500")
    opened.tab.focus(".locklab")
    opened.press("Space")
    for _ in range(600):
        opened.tab.wait_for_timeout(50)
        if opened.event() > 300:
            break
    opened.press("Space")
    stopped = opened.event()
    assert stopped > 300
    opened.tab.wait_for_timeout(200)
    assert stopped == opened.event()


def test_trace_scrubs_both_ways(opened: Opened, trace_page: Path) -> None:
    """Where the slider is put, everything shown follows; coming back shows the same again."""
    opened.open(trace_page)
    shown = []
    for row in (5_000, 9_000, 40, 5_000):
        opened.tab.fill(".scrub", str(row))
        whole = opened.text(".sentence"), opened.text(".cpus"), opened.text(".lines")
        shown.append((opened.text(".position").split(" ")[0], *whole))
    assert ["5,001", "9,001", "41", "5,001"] == [position for position, *_ in shown]
    assert shown[0] == shown[3]
    assert shown[0] != shown[1]


def test_trace_zooms_and_a_click_seeks(opened: Opened, trace_page: Path) -> None:
    """The picture changes with the zoom; pointing at a moment goes to its event."""
    opened.open(trace_page)
    canvas = opened.tab.locator("canvas")
    pictures = []
    opened.tab.focus(".locklab")
    for key in ("0", "+", "+", "-"):
        opened.press(key)
        pictures.append(canvas.evaluate("canvas => canvas.toDataURL()"))
    assert pictures[1] == pictures[3]
    assert 3 == len(set(pictures))
    opened.press("0")
    canvas.click(position={"x": 700, "y": 100})
    assert 0.3 * ROWS < opened.event() < 0.7 * ROWS


def test_what_is_shown_is_what_python_says(opened: Opened, tmp_path: Path) -> None:
    """Owner, copies and phases at some events are those of the trace's own account."""
    trace = read_mostly(ReaderPreferenceRWLock)
    opened.open(trace.save(tmp_path / "t.html"))
    phases = {"wait": "◌ waits for", "hold": "● holds", "read": "◐ reads under"}
    for row in range(100, len(trace.rows), 397):
        opened.tab.fill(".scrub", str(row))
        now = int(trace.rows[row, 0])
        states = opened.tab.locator(".cpus .state").all_inner_texts()
        for cpu, state in enumerate(states):
            inside = [
                a
                for a in trace.attribution.acquisitions
                if a.cpu == cpu and a.start_ps <= now and not (a.complete and a.end_ps <= now)
            ]
            if not inside:
                assert "· other work" == state
                continue
            a = inside[-1]
            if a.acquired_ps < 0 or now < a.acquired_ps:
                assert state.startswith(phases["wait"])
            elif a.released_ps < 0 or now < a.released_ps:
                assert state.startswith(phases["read" if a.mode == "read" else "hold"])
        done = [t for t in trace.transfers if t.row <= row and t.kind != "none"]
        for name, cells in opened.tab.eval_on_selector_all(
            ".lines tbody tr",
            """rows => rows.map(({cells: [name, ...cells]}) =>
              [name.title, cells.map((cell) => cell.textContent)])""",
        ):
            of_line = [t for t in done if trace.line(t.line) == name]
            holders = set(of_line[-1].sharers) if of_line else set()
            assert holders == {cpu for cpu, sign in enumerate(cells) if sign in ("M", "S", "→")}


def test_counterexample_plays(opened: Opened, tmp_path: Path) -> None:
    """The last step shows what is wrong, buffers and memory stand below."""
    verdict = check_lock(Peterson, threads=2, memory="tso")
    told = verdict.counterexample
    assert told is not None
    opened.open(write_page(tmp_path / "c.html", of_counterexample(told)))
    opened.tab.focus(".locklab")
    opened.press("End")
    assert len(told.steps) == opened.event()
    assert told.message in opened.text(".sentence")
    assert opened.tab.locator(".buffer .entry").count() == sum(
        len(buffer) for buffer in told.steps[-1].buffers
    )


def test_game_is_won_by_following_hints(opened: Opened, tmp_path: Path) -> None:
    """In a page without Python: the hint's move each time, until the lock is broken."""
    walk = walk_of_lock(Peterson, threads=2, memory="tso")
    game = graph(walk)
    opened.open(write_page(tmp_path / "g.html", game))
    _, distance = game["hints"][",".join(map(str, game["start"]))]
    opened.tab.focus(".locklab")
    opened.press("c")
    opened.tab.wait_for_selector(f".answer:has-text('broken in {distance} steps')")
    for left in range(distance, 0, -1):
        opened.press("h")
        opened.tab.wait_for_selector(f".answer:has-text('{left} step')")
        opened.tab.click(".hinted")
        opened.steps(distance - left + 1)
    opened.tab.wait_for_selector(f".answer:has-text('Broken after {distance} steps: exclusion')")
    assert "✗ exclusion" in opened.text(".sentence")
    opened.tab.focus(".locklab")
    opened.press("Backspace")
    opened.tab.wait_for_selector(".answer:has-text('Taken back')")
    assert distance - 1 == opened.event()


def test_game_can_not_be_won_against_a_right_lock(opened: Opened, tmp_path: Path) -> None:
    """The checker knows, and says so; a digit lets that thread move."""
    opened.open(write_page(tmp_path / "g.html", graph(walk_of_lock(TicketLock, threads=2))))
    opened.tab.focus(".locklab")
    opened.press("c")
    opened.tab.wait_for_selector(".answer:has-text('no schedule can break it')")
    opened.press("1")
    opened.steps(1)
    assert opened.text(".sentence").startswith("thread 1 fetch_add lock.next_ticket")


def test_notebook_module_talks_to_python(opened: Opened, tmp_path: Path) -> None:
    """The widget's own entry, render(), with a model that answers as Python does."""
    walk = walk_of_lock(Peterson, threads=2, memory="sc")
    opened.tab.expose_function(
        "ask", lambda question: answer(walk, question["ask"], question["path"])
    )
    test = tmp_path / "w.html"
    script = bundle.script().replace("export default", "const widget =")
    test.write_text(
        f"""<meta charset="utf-8"><link rel="icon" href="data:,"><style>{bundle.style()}</style>
        <div id="cell"></div><script type="module">{script}
        let answered;
        const model = {{
          get: () => ({json.dumps(walk.heading())}),
          on: (_, callback) => (answered = callback),
          send: async (m) => answered({{ id: m.id, ...(await window.ask(m)) }}),
        }};
        widget.render({{ model, el: document.getElementById("cell") }});</script>""",
        encoding="utf-8",
    )
    opened.open(test)
    opened.tab.wait_for_selector(".turn button")
    opened.tab.focus(".locklab")
    opened.press("0", "1", "1")
    opened.steps(3)
    opened.press("c")
    opened.tab.wait_for_selector(".answer:has-text('no schedule can break it')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_both_themes(browser: Any, trace_page: Path, scheme: str) -> None:
    """Text and its ground differ in lightness by more than the 4.5 : 1 that WCAG 2 asks for."""
    tab = browser.new_page(color_scheme=scheme)
    tab.goto(trace_page.as_uri())
    tab.wait_for_selector("[data-ready]")
    colours = tab.evaluate(
        """() => { const style = getComputedStyle(document.querySelector(".locklab"));
        return Object.fromEntries(["paper", "raised", "text", "dim", "hold", "wrong"].map(
          (name) => [name, style.getPropertyValue("--" + name).trim()])); }"""
    )
    for ink in ("text", "dim", "hold", "wrong"):
        assert contrast(colours[ink], colours["paper"]) > 4.5, (ink, colours)
    assert contrast(colours["dim"], colours["raised"]) > 4.5
    assert scheme == tab.get_attribute(".locklab", "data-theme")
    tab.close()


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours #rrggbb (WCAG 2.2, relative luminance)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)
