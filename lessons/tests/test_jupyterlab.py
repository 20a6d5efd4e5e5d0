"""The lessons in JupyterLab, in a browser: cells run, sliders draw again, predictions lock."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from locklessons.notebooks import Lesson, find, lessons, write
from study.traces.chromium import CHROMIUM, launch

ROOT = Path(__file__).resolve().parents[2]
LAB = next(
    (
        lab
        for lab in (Path(sys.executable).parent, ROOT / ".venv-site" / "bin")
        if (lab / "jupyter-lab").exists()
    ),
    None,
)
LOADED = "() => document.querySelectorAll('.jp-Notebook .jp-CodeCell').length > 3"
DONE = """() => {
    const prompts = [...document.querySelectorAll('.jp-Notebook .jp-InputPrompt')];
    const ran = prompts.filter((prompt) => /[0-9]/.test(prompt.textContent));
    return ran.length > 3 && !prompts.some((prompt) => prompt.textContent.includes('*'));
}"""
SLIDER = ".jp-OutputArea-output:has(.jupyter-widgets .noUi-handle)"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(LAB is None, reason="no JupyterLab; `make site` makes .venv-site with one"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """A page of a JupyterLab of its own, with every lesson in its folder."""
    assert LAB is not None
    for lesson in lessons():
        write(lesson, tmp_path / "note books")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    command = [str(LAB / "jupyter-lab"), "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--port-retries=0", f"--IdentityProvider.token={token}"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    with open(tmp_path / "log", "w") as log:
        server = subprocess.Popen(
            [*command, str(tmp_path / "note books")],
            env=environment
            | {"HOME": str(tmp_path), "LOCKLAB_PROGRESS": str(tmp_path / "progress.jsonl")},
            stdout=log,
            stderr=log,
        )
        try:
            with sync_api.sync_playwright() as driver:
                browser = launch(driver)
                opened = browser.new_page(viewport={"width": 1300, "height": 1000})
                reached(opened, f"http://127.0.0.1:{port}/lab?token={token}")
                yield opened
                browser.close()
        finally:
            server.terminate()
            server.wait()


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_predictions_lock_and_sliders_move(lesson: Lesson, page: Any) -> None:
    """No cell fails, nothing is asked of another machine; a locked prediction shows its result."""
    base = page.url.partition("/lab")[0]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{base}/lab/tree/{lesson.file.stem}.ipynb?reset")
    page.wait_for_function(LOADED, timeout=120_000)
    idle = page.get_by_text("| Idle")
    idle.wait_for(timeout=120_000)  # cells run before the kernel is there wait for ever
    page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function(DONE, timeout=240_000)
    idle.wait_for(timeout=120_000)
    page.wait_for_selector(SLIDER, timeout=120_000)
    assert 0 == page.locator(".jp-OutputArea-output[data-mime-type*='error']").count()
    lock_every_prediction(page, lesson)
    sliders = page.locator(SLIDER)
    assert sliders.count() == sum(
        line.startswith("explore(") for line in lesson.file.read_text("utf-8").splitlines()
    )
    for number in range(sliders.count()):
        figure = sliders.nth(number).locator("figure")
        handle = sliders.nth(number).locator(".noUi-handle").first
        handle.scroll_into_view_if_needed()
        before = figure.inner_html()
        handle.press("ArrowRight")
        sync_api.expect(figure).not_to_have_js_property("innerHTML", before, timeout=120_000)
        assert figure.locator("div[role=img]").get_attribute("aria-label")
        page.screenshot(path=ROOT / "out" / f"lesson-{lesson.number}-slider-{number + 1}.png")
    assert [] == [url for url in asked if not url.startswith((base, "data:", "blob:", "ws://127"))]


def test_a_term_opens_the_glossary(page: Any) -> None:
    """A click shows the entry in the glossary beside the lesson; a folded cell shows no source."""
    base = page.url.partition("/lab")[0]
    page.goto(f"{base}/lab/tree/{find('1').file.stem}.ipynb?reset")
    page.wait_for_function(LOADED, timeout=120_000)
    page.locator(".jp-Cell .jp-Placeholder").first.wait_for(timeout=120_000)
    assert 0 == page.locator(".jp-CodeCell .cm-content", has_text="predict(").count()
    link = page.get_by_role("link", name="line transfer").first
    link.click()
    entry = page.get_by_role("heading", name="Line transfer")
    entry.wait_for(timeout=120_000)
    # On a busy machine JupyterLab may scroll before it knows how high the cells above are.
    page.get_by_role("tab", name=re.compile("^01-why")).click()
    link.click()
    sync_api.expect(entry).to_be_in_viewport(timeout=120_000)
    assert 0 == page.get_by_text("Select Kernel").count()
    page.screenshot(path=ROOT / "out" / "lesson-1-glossary.png")


def lock_every_prediction(page: Any, lesson: Lesson) -> None:
    """Answer all questions; no result is left hidden, and numbers stand in the figures."""
    locks = page.get_by_role("button", name="Lock my prediction")
    hidden = page.get_by_role("button", name="Show it without a prediction")
    assert lesson.file.read_text("utf-8").count("= predict(") == locks.count() > 0
    for number in range(locks.count()):
        box = locks.nth(number).locator("xpath=ancestor::*[contains(@class, 'widget-vbox')][1]")
        box.scroll_into_view_if_needed()
        choice = box.locator("input[type=radio]").first
        if choice.count():
            choice.check()
        else:
            box.locator("input[type=text]").fill("42")
        box.get_by_role("button", name="Lock my prediction").click()
        sync_api.expect(box.get_by_text("Locked: ")).to_be_visible(timeout=60_000)
    sync_api.expect(hidden).to_have_count(0, timeout=60_000)
    compared = page.get_by_text(re.compile("^(You predicted 42|The result: )"))
    assert compared.count() == locks.count()
    compared.first.scroll_into_view_if_needed()
    page.screenshot(path=ROOT / "out" / f"lesson-{lesson.number}-prediction.png")


def reached(page: Any, address: str) -> None:
    """Open an address as soon as somebody answers there."""
    for attempt in range(120):
        try:
            page.goto(address)
            return
        except sync_api.Error:
            if attempt == 119:
                raise
            page.wait_for_timeout(500)
