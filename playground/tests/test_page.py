"""The playground and the levels in a browser, built by `make playground`; without a network.

A server on this machine serves the files; everything else is refused, and what is asked of it is
recorded. When Python has started the page is cut off from that server too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from locklessons import progress
from study.traces.chromium import CHROMIUM, launch, served, too_wide, violations

from lockui import record

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "out" / "site"
BUILT = SITE / "playground" / "parts.json"
PROGRAMS = ROOT / "sim" / "locksim" / "play" / "programs"
PYTHON_S = 180
"""A guard for what Python does in a browser on a loaded machine."""

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(not BUILT.exists(), reason="no playground; `make playground` builds it"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The site, served on this machine."""
    with served(SITE) as address:
        yield f"{address}playground/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    with sync_api.sync_playwright() as driver:
        running = launch(driver)
        yield running
        running.close()


class Tab:
    """A page of the playground, and all that it said and asked for."""

    def __init__(self, browser: Any, server: str, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PYTHON_S * 1000)
        self.server = server
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.context.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: str = "") -> None:
        """Load a page and wait for its script."""
        self.page.goto(self.server + path)
        self.page.wait_for_selector("html[data-ready]")

    def cut(self) -> None:
        """Wait until Python is there, and cut the network."""
        sync_api.expect(self.page.locator("#status")).to_contain_text(
            "Ready", timeout=PYTHON_S * 1000
        )
        self.context.set_offline(True)

    def take(self, program: str) -> None:
        """Replace what is in the editor, as a reader would."""
        editor = self.page.locator(".cm-content")
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text((PROGRAMS / program).read_text("utf-8"))

    def says(self, text: str) -> None:
        """Wait for a text in the page's line of state."""
        sync_api.expect(self.page.locator("#status")).to_contain_text(text, timeout=PYTHON_S * 1000)


@pytest.fixture
def tab(browser: Any, server: str) -> Iterator[Tab]:
    """A tab; in the end it has said nothing, and asked only for what lies beside the page."""
    found = Tab(browser, server, viewport={"width": 1280, "height": 1000})
    yield found
    assert [] == found.said
    assert [] == [url for url in found.asked if not url.startswith((server, "data:", "blob:"))]
    found.context.close()


@pytest.mark.slow
def test_breaks_a_wrong_lock_and_proves_the_right_one_without_a_network(tab: Tab) -> None:
    """The wrong TTAS lock's counterexample plays; the fixed one is proven; and no axe violation."""
    tab.open()
    tab.cut()
    tab.take("wrong_ttas.py")
    tab.page.click("#check")
    tab.says("Violated: exclusion")
    tab.page.focus("#answer .locklab")
    tab.page.keyboard.press("End")
    assert "two threads hold the lock" in tab.page.inner_text("#answer .sentence")
    assert [] == violations(tab.page)
    tab.page.screenshot(path=ROOT / "out" / "playground-violated.png", full_page=True)
    tab.take("ttas.py")
    tab.page.fill("#threads", "3")
    tab.page.click("#check")
    tab.says("Proven: no order of the steps breaks it (3 threads")


@pytest.mark.slow
def test_a_mistake_is_marked_at_its_place(tab: Tab) -> None:
    """Below the editor, underlined in it, and the button puts the cursor there."""
    tab.open()
    tab.cut()
    tab.take("tas.py")
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.insert_text("        self.held.store(0)\n")
    button = tab.page.locator("#mistake button")
    sync_api.expect(button).to_have_text("line 15", timeout=PYTHON_S * 1000)
    assert "help: " in tab.page.inner_text("#mistake")
    assert tab.page.locator(".cm-lintRange-error").count() >= 1
    button.click()
    assert "self.held.store(0)" in tab.page.inner_text(".cm-activeLine")
    assert [] == violations(tab.page)


@pytest.mark.slow
def test_the_game_of_the_readers_own_lock(tab: Tab) -> None:
    """Hints of Python in the worker lead to the end."""
    tab.open()
    tab.cut()
    tab.take("look_and_take.py")
    tab.page.click("#play")
    tab.says("You are the scheduler")
    for left in range(4, 0, -1):
        tab.page.keyboard.press("h")
        tab.page.wait_for_selector(f".answer:has-text('{left} step')")
        tab.page.click(".hinted")
    tab.page.wait_for_selector(".answer:has-text('Broken after 4 steps: exclusion')")


@pytest.mark.slow
def test_simulation_draws_the_curve_that_the_command_line_finds(tab: Tab, tmp_path: Path) -> None:
    """A link of the command line opens to its own counterexample and its own curve."""
    command = [sys.executable, "-m", "locklab", "play", "share", str(PROGRAMS / "wrong_ttas.py")]
    command += ["--page", tab.server, "--cpus", "4", "--json"]
    made = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    tab.open(made["link"].removeprefix(tab.server))
    sync_api.expect(tab.page.locator("#claim")).to_contain_text("it holds", timeout=PYTHON_S * 1000)
    assert len(made["claim"]["schedule"].split()) == int(
        tab.page.eval_on_selector("#answer .scrub", "scrub => +scrub.max")
    )
    cells = tab.page.locator("#simulated td").all_inner_texts()
    assert [f"{units:,}" for _, units in made["claim"]["units"]] == cells
    assert [] == violations(tab.page)
    tab.page.screenshot(path=ROOT / "out" / "playground-link.png", full_page=True)


@pytest.mark.slow
def test_a_link_made_by_the_page_is_opened_by_the_command_line(tab: Tab) -> None:
    """What the page found is found again, here."""
    tab.open()
    tab.cut()
    tab.take("peterson.py")
    tab.page.select_option("#memory", "tso")
    tab.page.fill("#cpus", "2")
    tab.page.click("#check")
    tab.says("Violated: exclusion")
    tab.page.click("#link")
    link = tab.page.locator("#answer input[readonly]").input_value(timeout=PYTHON_S * 1000)
    done = subprocess.run(
        [sys.executable, "-m", "locklab", "play", "open", link, "--json"],
        capture_output=True,
        text=True,
    )
    assert (0, []) == (done.returncode, json.loads(done.stdout)["differences"])


@pytest.mark.slow
def test_stop_ends_what_runs(tab: Tab) -> None:
    """The page stays alive meanwhile, and Python starts again."""
    tab.open()
    tab.says("Ready")
    tab.page.fill("#threads", "4")
    tab.page.fill("#rounds", "3")
    tab.page.select_option("#memory", "c11")
    tab.page.click("#check")
    tab.says("Trying every order")
    tab.page.click("#stop")
    tab.says("Ready")
    tab.page.fill("#threads", "2")
    tab.page.fill("#rounds", "1")
    tab.page.click("#check")
    tab.says("Proven")


@pytest.mark.slow
def test_a_button_is_heard_while_python_reads(tab: Tab) -> None:
    """Python reads the program as soon as it has started; a click before that is not lost."""
    tab.open()
    tab.page.wait_for_function("() => document.querySelector('#stop').disabled === false")
    tab.page.click("#check")
    tab.says("Proven")


@pytest.mark.slow
def test_what_a_proof_does_not_need_comes_with_the_first_simulation(
    browser: Any, server: str
) -> None:
    """At most 8 MB before the verdict; without a network the page says what is missing."""
    tab = Tab(browser, server, viewport={"width": 1280, "height": 800})
    tab.open()
    tab.page.click("#check")
    tab.says("Proven")
    files = [SITE / "playground" / url.removeprefix(server) for url in {*tab.asked}]
    loaded = {file.name: file.stat().st_size for file in files if file.is_file()}
    assert "locklab.packed" in loaded
    assert 8_000_000 >= sum(loaded.values())
    tab.context.set_offline(True)
    tab.page.click("#simulate")
    tab.says("This cannot be answered: a part of Python cannot be loaded")
    assert "connect to the network, and try again" in tab.page.inner_text("#mistake")
    tab.context.set_offline(False)
    tab.page.fill("#cpus", "2")
    tab.page.click("#simulate")
    tab.says("Simulated")
    assert 2 == tab.page.locator("#simulated td").count()
    tab.context.close()


@pytest.mark.slow
def test_ones_own_program_is_kept(tab: Tab) -> None:
    """For the next visit, beside the examples; a link does not replace it."""
    tab.open()
    tab.take("peterson.py")
    sync_api.expect(tab.page.locator("#example")).to_have_value("")
    tab.page.wait_for_function("() => localStorage.getItem('locklab.playground')")
    tab.open()
    assert "class Peterson" in tab.page.inner_text(".cm-content")
    tab.page.select_option("#example", "0")
    assert "class Peterson" not in tab.page.inner_text(".cm-content")
    tab.page.select_option("#example", "")
    assert "class Peterson" in tab.page.inner_text(".cm-content")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 800), (1366, 768), (390, 844)])
def test_the_verdict_is_in_view_beside_the_button(
    browser: Any, server: str, size: tuple[int, int]
) -> None:
    """Nothing scrolls: before a click, while Python loads, and when the verdict is there."""
    tab = Tab(browser, server, viewport={"width": size[0], "height": size[1]})

    def shows(*parts: str) -> None:
        for part in parts:
            box = tab.page.locator(part).bounding_box()
            assert 0 <= box["y"]
            assert box["y"] + box["height"] <= size[1], part
        assert 0 == tab.page.evaluate("scrollY")

    tab.open()
    buttons = ("#check", "#play", "#simulate", "#link", "#stop")
    shows(*buttons, "#status")
    tab.page.click("#check")
    line = tab.page.inner_text("#status")
    assert line.endswith("Then every order of the threads' steps is tried.")
    shows(*buttons, "#status", "#progress")
    tab.says("Proven")
    shows(*buttons, "#status")
    assert 0 == too_wide(tab.page)
    tab.page.screenshot(path=ROOT / "out" / f"playground-verdict-{size[0]}.png")
    tab.page.locator("#answer-title").scroll_into_view_if_needed()
    tab.page.mouse.wheel(0, 5_000)
    tab.page.wait_for_function("() => scrollY > 0")
    box = tab.page.locator("#status").bounding_box()
    assert 0 <= box["y"] <= size[1]
    assert [] == tab.said
    tab.context.close()


@pytest.mark.slow
def test_the_page_says_why_it_does_not_start_from_disk(browser: Any) -> None:
    """Both pages; served, they do not say it."""
    for name in ("index.html", "levels.html"):
        page = browser.new_page()
        page.goto((SITE / "playground" / name).as_uri())
        page.wait_for_function(
            "() => getComputedStyle(document.querySelector('.unstarted')).visibility === 'visible'"
        )
        assert "python3 -m http.server" in page.inner_text(".unstarted")
        page.close()


@pytest.mark.slow
def test_a_levels_program_stands_beside_its_threads(browser: Any, server: str) -> None:
    """Both in view at 1280x800, at every level."""
    tab = Tab(browser, server, viewport={"width": 1280, "height": 800})
    tab.open("levels.html")
    for link in tab.page.locator("#levels a").all():
        link.click()
        tab.page.wait_for_selector(f"#title:has-text('{link.inner_text().split('. ')[1]}')")
        tab.page.evaluate("scrollTo(0, 0)")
        program, turns = (
            tab.page.locator(part).bounding_box() for part in ("#program", "#game .turns")
        )
        assert program["x"] + program["width"] <= turns["x"]
        assert turns["y"] + turns["height"] <= 800
        assert program["y"] < turns["y"] + turns["height"]
    assert [] == tab.said
    tab.context.close()


@pytest.mark.slow
def test_a_lock_of_the_library_opens_with_its_question(tab: Tab) -> None:
    """``?lock=NAME``, as lessons link to it; a link that is made then holds the lock itself."""
    tab.open("?lock=ticket&memory=c11&threads=3")
    assert "class TicketLock" in tab.page.inner_text(".cm-content")
    tab.page.click("#check")
    tab.says("Proven: no order of the steps breaks it (3 threads, c11")
    tab.page.click("#link")
    link = tab.page.locator("#answer input[readonly]").input_value(timeout=PYTHON_S * 1000)
    assert link.startswith(f"{tab.server}#1.")


def test_a_lock_that_the_library_does_not_have(tab: Tab) -> None:
    """The page says so, and begins as always."""
    tab.open("?lock=ticked")
    assert "The library has no lock 'ticked'" in tab.page.inner_text("#claim")
    assert "class " in tab.page.inner_text(".cm-content")


def test_an_address_with_a_question_that_cannot_be_asked(tab: Tab) -> None:
    """What is not known is named and left out; the rest is asked."""
    tab.open("?lock=mcs&memory=armv8&threads=99&cpus=4&thread=3")
    assert (
        "The address asks what this page does not know: memory=armv8, threads=99, thread=3. "
        "It is left out." == tab.page.inner_text("#claim")
    )
    assert ["sc", "2", "4"] == [
        tab.page.input_value(f"#{i}") for i in ("memory", "threads", "cpus")
    ]


def shared(program: str, *options: str) -> str:
    """The fragment of a link of the command line, with its verdict."""
    command = [sys.executable, "-m", "locklab", "play", "share", str(PROGRAMS / program), *options]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    return "#" + str(json.loads(done.stdout)["link"]).partition("#")[2]


@pytest.mark.slow
def test_a_link_waits_for_what_runs_and_is_judged_alone(tab: Tab) -> None:
    """A link that is pasted while another program is being proven: its own verdict is compared."""
    link = shared("ttas.py", "--cpus", "1")
    tab.open()
    tab.says("Ready")
    tab.take("wrong_ttas.py")
    tab.page.fill("#threads", "3")
    tab.page.fill("#rounds", "2")
    tab.page.click("#check")
    tab.says("Trying every order")
    tab.page.evaluate("link => { location.hash = link; }", link)
    sync_api.expect(tab.page.locator("#claim")).to_contain_text("opened when this has ended")
    sync_api.expect(tab.page.locator("#claim")).to_contain_text("it holds", timeout=PYTHON_S * 1000)
    assert "class TTAS" in tab.page.inner_text(".cm-content")
    tab.says("Proven: no order of the steps breaks it (2 threads")


@pytest.mark.slow
def test_a_link_whose_proof_is_stopped_is_not_judged(tab: Tab) -> None:
    """Nothing was found, so nothing is compared."""
    link = shared("ttas.py", "--cpus", "1")
    tab.open(link)
    tab.page.wait_for_function("() => document.querySelector('#simulated svg')")
    tab.page.click("#stop")
    tab.says("Stopped. Ready")
    assert "" == tab.page.inner_text("#claim")


@pytest.mark.slow
def test_a_damaged_link_says_so(tab: Tab) -> None:
    """No program is blamed, and the page has one to begin with."""
    link = shared("ttas.py", "--cpus", "1")
    tab.open(link[:60] + "xyz" + link[60:])
    tab.says("The link is damaged: a part of it is missing or changed. Help: copy it again, whole.")
    assert "" == tab.page.inner_text("#mistake").strip()
    assert "class " in tab.page.inner_text(".cm-content")
    tab.page.click("#check")
    tab.says("Proven")


@pytest.mark.slow
@pytest.mark.parametrize(
    "deep", ["(" * 3_000 + "1" + ")" * 3_000, "+".join(["1"] * 5_000)], ids=["brackets", "sum"]
)
def test_a_program_that_nests_deeply_has_a_message(tab: Tab, deep: str) -> None:
    """That of the command line; Python stays alive, and proves the next program."""
    tab.open()
    tab.cut()
    text = (PROGRAMS / "tas.py").read_text("utf-8").replace("word()", f"word({deep})", 1)
    tab.page.locator(".cm-content").click()
    tab.page.keyboard.press("Control+a")
    tab.page.keyboard.insert_text(text)
    tab.page.click("#check")
    tab.says("The program has a mistake; it is shown below the editor.")
    sync_api.expect(tab.page.locator("#mistake")).to_contain_text("nested too deeply")
    tab.take("tas.py")
    tab.page.click("#check")
    tab.says("Proven")


PYTHON = """
export const loadPyodide = async () => ({
  loadPackage: async () => {},
  FS: { mkdirTree: () => {}, writeFile: () => {} },
  runPython: () => {},
  pyimport: () => ({
    answer(ask) {
      if (ask === "full") throw new RangeError("Maximum call stack size exceeded");
      if (ask === "wrong") throw Object.assign(new Error("KeyError"), { name: "PythonError" });
    },
  }),
});
"""
"""A Python that throws what Pyodide's does: at a full stack, for an exception; after its end it
gives nothing."""
ASK = """
(asks) => new Promise((resolve) => {
  const worker = new Worker("worker.js", { type: "module" }), ended = [];
  worker.onmessage = ({ data }) => {
    if (data.id && ended.push(data.ended) === asks.length) resolve(ended);
  };
  asks.forEach((ask, k) => worker.postMessage({ id: k + 1, ask, said: {} }));
})
"""


@pytest.mark.slow
def test_the_worker_tells_an_exception_from_the_end_of_python(tab: Tab) -> None:
    """An exception leaves Python alive; a full stack, and no answer, do not."""
    tab.page.route(
        "**/pyodide.mjs", lambda route: route.fulfill(body=PYTHON, content_type="text/javascript")
    )
    tab.open("levels.html")
    assert [False, True, True] == tab.page.evaluate(ASK, ["wrong", "full", "after"])


ENDED = """
let asked = 0;
const error = { line: 1, column: 1, end_column: 2, message: "of another program", help: "" };
postMessage({ ready: "" });
onmessage = ({ data: { id } }) => {
  if (!asked++) return postMessage({ id, answer: { error } });
  postMessage({ id, failed: "Maximum call stack size exceeded", ended: true });
};
"""
"""A worker whose Python finds a mistake first, and ends at the second question."""


@pytest.mark.slow
def test_python_that_ended_starts_again(tab: Tab) -> None:
    """The page says why, drops the mistake of another program, and goes on."""
    started: list[str] = []

    def worker(route: Any) -> None:
        started.append(route.request.url)
        if len(started) == 1:
            route.fulfill(body=ENDED, content_type="text/javascript")
        else:
            route.continue_()

    tab.page.route("**/worker.js", worker)
    tab.open()
    sync_api.expect(tab.page.locator("#mistake")).to_contain_text("of another program")
    tab.page.click("#check")
    tab.says("Python could not do this and ended (Maximum call stack size exceeded). Ready")
    assert "" == tab.page.inner_text("#mistake").strip()
    tab.page.click("#check")
    tab.says("Proven")
    assert 2 == len(started)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", ["index.html", "levels.html"])
def test_both_pages_are_accessible(
    browser: Any, server: str, path: str, width: int, scheme: str
) -> None:
    """No violation that axe knows, nothing wider than the window; a picture to look at."""
    tab = Tab(browser, server, viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab.open(path)
    assert [] == violations(tab.page)
    assert 0 == too_wide(tab.page)
    name = f"playground-{path.partition('.')[0]}-{width}-{scheme}.png"
    tab.page.screenshot(path=ROOT / "out" / name, full_page=True)
    assert [] == tab.said
    tab.context.close()


@pytest.mark.slow
def test_every_level_is_won_by_the_pages_own_events(
    tab: Tab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Following the hints, in the fewest steps; the record stays when the page is opened again."""
    tab.open("levels.html")
    count = tab.page.locator("#levels a").count()
    assert 15 == count
    for number in range(1, count + 1):
        name = tab.page.locator("#levels a").nth(number - 1).get_attribute("href")
        tab.page.locator("#levels a").nth(number - 1).click()
        tab.page.wait_for_selector(f"#title:has-text('Level {number}:')")
        assert tab.page.url.endswith(str(name))
        tab.page.focus("#game .locklab")
        while not tab.page.locator("#after h2").count():
            before = tab.page.locator("#game .scrub").get_attribute("max")
            tab.page.keyboard.press("h")
            tab.page.click(".hinted")
            sync_api.expect(tab.page.locator("#game .scrub")).not_to_have_attribute(
                "max", str(before)
            )
        assert "No schedule is shorter." in tab.page.inner_text("#after")
        assert [] == violations(tab.page)
    tab.open("levels.html")
    assert "15 of 15 won." == tab.page.inner_text("#count")
    with tab.page.expect_download() as download:
        tab.page.click("#save")
    saved = tmp_path / "levels.json"
    download.value.save_as(saved)
    tab.page.click("#forget")
    assert "0 of 15 won." == tab.page.inner_text("#count")
    tab.page.set_input_files("#file", saved)
    sync_api.expect(tab.page.locator("#count")).to_have_text("15 of 15 won.")
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(tmp_path / "mine.jsonl"))
    assert (count, 0) == (progress.add(saved), progress.add(saved))
    of_levels = [s for s in progress.states(progress.course(), record.read()) if s.words]
    assert [True] * count == [state.done for state in of_levels]


@pytest.mark.slow
def test_a_lost_schedule_is_explained(tab: Tab) -> None:
    """One thread after the other breaks nothing: the page names the step that decided it."""
    tab.open("levels.html")
    tab.page.focus("#game .locklab")
    for thread in (0, 1):
        while True:
            button = tab.page.locator(f"#game [data-slot='{thread}run']")
            if not button.count():
                break
            before = tab.page.locator("#game .scrub").get_attribute("max")
            button.click()
            sync_api.expect(tab.page.locator("#game .scrub")).not_to_have_attribute(
                "max", str(before)
            )
    answer = tab.page.locator("#game .answer")
    sync_api.expect(answer).to_contain_text("Every thread has finished, and nothing went wrong.")
    sync_api.expect(answer).to_contain_text("decided it (thread 0: store count")
