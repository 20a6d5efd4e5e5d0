"""The site as `make site` builds it: every page read by axe-core, and the search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from study.traces.chromium import AXE, CHROMIUM, launch, served, too_wide, violations

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "out" / "site"
PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if path.relative_to(SITE).parts[0] not in ("_static", "playground")
)

GENERATED = ("genindex.html", "py-modindex.html", "search.html")
"""Pages without a text that could describe them."""
TORN = r"""() => {
    // Words and numbers of cells that go on in the next line.
    const torn = [];
    for (const cell of document.querySelectorAll("article :is(td, th)")) {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            for (const word of texts.currentNode.data.matchAll(/[\w.,]+/g)) {
                const range = document.createRange();
                range.setStart(texts.currentNode, word.index);
                range.setEnd(texts.currentNode, word.index + word[0].length);
                const lines = new Set([...range.getClientRects()].map((box) => box.top));
                if (lines.size > 1) torn.push(word[0]);
            }
        }
    }
    return torn;
}"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="`make site` builds the site"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (apt install chromium)"),
    pytest.mark.skipif(not AXE.exists(), reason="no axe-core; `make playground` fetches it"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The site, served on this machine."""
    with served(SITE) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    with sync_api.sync_playwright() as driver:
        running = launch(driver)
        yield running
        running.close()


def opened(browser: Any, address: str, scheme: str, width: int) -> tuple[Any, list[str]]:
    """A page, and what it said or asked of others."""
    page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
    said: list[str] = []
    # The theme tells of its mode; what counts are errors and warnings.
    page.on(
        "console",
        lambda message: message.type in ("error", "warning") and said.append(message.text),
    )
    page.on("pageerror", lambda error: said.append(str(error)))
    home = "/".join(address.split("/")[:3])
    page.on(
        "request",
        lambda request: (
            request.url.startswith((home, "data:", "blob:")) or said.append(request.url)
        ),
    )
    page.goto(address)
    # A colour that is still on its way from one mode to the other has no contrast to measure.
    page.add_style_tag(content="*, *::before, *::after { transition: none !important }")
    return page, said


@pytest.mark.parametrize("path", PAGES)
def test_no_violation(browser: Any, server: str, path: str) -> None:
    """In both modes, on a wide and a narrow window: nothing that axe knows, no word torn.

    Nothing on the console, nothing from elsewhere; a picture of each lesson.
    """
    page, said = opened(browser, server + path, "light", 1280)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 1000})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_selector(f"html[data-theme={scheme}]")
            assert (width, scheme, []) == (width, scheme, violations(page))
            if path.startswith("lessons/"):
                name = f"{Path(path).stem}-{width}-{scheme}.png"
                page.screenshot(path=ROOT / "out" / "pictures" / name, full_page=True)
        assert (width, 0, []) == (width, too_wide(page), page.evaluate(TORN))
    assert [] == said
    assert page.locator("meta[name=description]").count() or path in GENERATED
    page.close()


def test_below_another_address(browser: Any, tmp_path: Path) -> None:
    """In a folder of a server: a lock is tried in the playground, and a lesson asks."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "path").symlink_to(SITE)
    with served(tmp_path) as address:
        home = f"{address}sub/path/"
        page, said = opened(browser, f"{home}index.html", "light", 1280)
        asked: list[str] = []
        page.context.on("request", lambda request: asked.append(request.url))
        page.get_by_role("link", name="BrokenLock").click()
        expect(page.locator(".cm-content")).to_contain_text("class BrokenLock", timeout=180_000)
        page.get_by_role("button", name="Check").click()
        expect(page.locator("#status")).to_contain_text("Violated: exclusion", timeout=180_000)
        page.get_by_role("link", name="Lessons").click()
        page.get_by_role("link", name="Read lesson 1").click()
        expect(page.locator("[data-prediction] form").first).to_be_visible()
        others = [url for url in asked if not url.startswith((home, "data:", "blob:"))]
        assert ([], []) == (said, others)
        page.close()


def test_from_disk(browser: Any) -> None:
    """The counterexample plays, a lesson asks; the playground says why it is blank."""
    page, _ = opened(browser, (SITE / "index.html").as_uri(), "light", 1280)
    step = page.frame_locator("iframe").locator(".position")
    expect(step).to_have_text("step 4 of 4", timeout=60_000)
    page.get_by_role("link", name="BrokenLock").click()
    expect(page.locator(".unstarted")).to_contain_text("python3 -m http.server")
    page.goto((SITE / "lessons" / "01-why-locks-collapse.html").as_uri())
    expect(page.locator("[data-prediction] form").first).to_be_visible()
    page.close()


def test_the_search_finds(browser: Any, server: str) -> None:
    """A term of the glossary, and the lesson about it."""
    page, said = opened(browser, server + "search.html?q=grace+period", "dark", 1280)
    page.wait_for_selector("#search-results li a")
    expect(page.locator("#search-results")).to_contain_text("Grace periods")
    found = page.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")
    assert any("docs/start/glossary.html" in address for address in found)
    assert any("lessons/09-grace-periods.html" in address for address in found)
    assert ([], []) == (said, violations(page))
    page.close()


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("lab 02", "labs/lab02-spinlocks/handout.html"),
        ("CAS", "docs/start/glossary.html"),
        ("memory barrier", "docs/start/glossary.html"),
    ],
)
def test_the_search_knows_other_words(browser: Any, server: str, words: str, place: str) -> None:
    """The first result is what a reader means."""
    page, _ = opened(browser, f"{server}search.html?q={words}", "light", 1280)
    first = page.locator("#search-results li a").first
    assert place == first.evaluate("link => link.getAttribute('href')").partition("#")[0]
    page.close()
