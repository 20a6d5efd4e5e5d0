"""What the site's script makes of a lesson: predictions that are locked and kept, sliders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from locklessons.embeds import play_counterexample
from locklessons.figures import EVERY, Figure, curves, explore
from locklessons.predictions import predict, reveal
from racy import Racy
from study.traces.chromium import CHROMIUM, launch, served

from locksim.kinds.checking import check_lock

SCRIPT = Path(__file__).resolve().parents[1] / "site" / "_static" / "lessons.js"
SITE = Path(__file__).resolve().parents[2] / "out" / "site"

STAR = """() => {
    // Where stars stand, in the values of the axes.
    const { x, y } = JSON.parse(document.querySelector("[data-results] svg").dataset.scales);
    const value = ({ ends: [a, b], places: [p, q] }, at) => a * (b / a) ** ((at - p) / (q - p));
    return [...document.querySelectorAll(".yours text:first-child")].map((one) => [
        value(x, one.getAttribute("x")).toFixed(2), value(y, one.getAttribute("y")).toFixed(2)
    ]);
}"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium (apt install chromium)")
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect


def plot(cpus: int = 2, lock: str = "TAS") -> Figure:
    """A figure that names the values of its sliders."""
    return curves({lock: {1: 1.0, cpus: 8.0}}, x="CPUs", y="s", caption=f"{lock}, {cpus} CPUs.")


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with two predictions, their result, and a plot with two sliders."""
    parts: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(EVERY, "1")
        patch.setattr("IPython.display.display", lambda data, raw: parts.append(data["text/html"]))
        long = predict("1/long", "How long do 2 CPUs take?", unit="s", at=2)
        more = predict("1/more", "More or fewer?", choices=["more", 'so-called "fewer"'])
        reveal(plot(), {long: 8.0, more: "more"})
        explore(plot, cpus=[8, 2, 4], lock=["TAS", "MCS"])
        found = check_lock(Racy, threads=2).counterexample
        assert found is not None
        play_counterexample(found, "Two threads hold the lock.")
    parts[-1] = f'<div class="tag_playing">{parts[-1]}</div>'
    head = "<!doctype html><meta charset=utf-8><title>t</title>"
    page = f"{head}<script>{SCRIPT.read_text('utf-8')}</script>"
    folder = tmp_path_factory.mktemp("lesson")
    (folder / "lesson.html").write_text(page + "".join(parts), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def opened(lesson: Path) -> Iterator[Callable[..., Any]]:
    """Open that page in a new profile, with or without its script."""
    with served(lesson) as address, sync_api.sync_playwright() as driver:
        browser = launch(driver)

        def page(**options: Any) -> Any:
            made = browser.new_page(**options)
            made.goto(f"{address}lesson.html")
            return made

        yield page
        browser.close()


def test_predictions_are_locked_and_kept(opened: Callable[..., Any]) -> None:
    """By keyboard alone; the result appears with the last answer, and is there after a reload."""
    page = opened()
    field = page.get_by_role("textbox", name="Your answer s")
    result = page.locator("[data-results]")
    expect(result.locator("figure")).to_have_count(0)
    expect(result).to_contain_text("(2 to go)")
    field.press_sequentially("many")
    field.press("Enter")
    expect(page.get_by_role("status").first).to_have_text("Type a number, such as 40 (got 'many').")
    field.fill("4 s")
    field.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Locked: 4 s.")
    expect(result).to_contain_text("(1 to go)")
    choice = page.get_by_role("group", name="Predict. More or fewer?").get_by_role("radio")
    choice.first.focus()
    choice.first.press("ArrowDown")
    choice.nth(1).press("Enter")
    says = [
        "You predicted 4 s; the result is 8 s: yours is 2 times too low.",
        'The result: more (you predicted: so-called "fewer").',
    ]
    for _ in range(2):
        expect(result.locator("figure")).to_have_count(1)
        expect(result.locator("> p")).to_have_text(says)
        assert [["2.00", "4.00"]] == page.evaluate(STAR)
        expect(field).to_be_disabled()
        expect(field).to_have_value("4")
        expect(choice.nth(1)).to_be_checked()
        page.reload()
    page.get_by_role("button", name="Forget my answers").first.click()
    expect(field).to_be_enabled()
    expect(result.locator("figure")).to_have_count(0)
    page.get_by_role("button", name="Show it without a prediction").press("Enter")
    expect(result.locator("figure")).to_have_count(1)
    expect(result.locator("> p")).to_have_count(0)


def test_sliders_show_each_plot(opened: Callable[..., Any]) -> None:
    """The first values come first, numbers stand in order, and an open table stays open."""
    page = opened()
    caption = page.locator("[data-sliders] > figure figcaption")
    cpus, lock = page.get_by_role("slider").all()
    expect(caption).to_contain_text("TAS, 8 CPUs.")
    assert "8" == cpus.get_attribute("aria-valuetext")
    page.get_by_text("The numbers").last.click()
    cpus.press("ArrowLeft")
    expect(caption).to_contain_text("TAS, 4 CPUs.")
    lock.press("ArrowRight")
    expect(caption).to_contain_text("MCS, 4 CPUs.")
    cpus.press("Home")
    expect(caption).to_contain_text("MCS, 2 CPUs.")
    assert "2" == cpus.get_attribute("aria-valuetext")
    expect(page.locator("[data-sliders] table")).to_be_visible()


def test_a_counterexample_plays_when_it_is_seen(opened: Callable[..., Any]) -> None:
    """Once, to its last step; not where a reader wants no motion."""
    page, still = opened(), opened(reduced_motion="reduce")
    for one in (page, still):
        one.locator("iframe").scroll_into_view_if_needed()
    step = page.frame_locator("iframe").locator(".position")
    expect(step).to_have_text("step 4 of 4", timeout=60_000)
    expect(still.frame_locator("iframe").locator(".position")).to_have_text("step 0 of 4")


def test_without_a_script(opened: Callable[..., Any]) -> None:
    """The questions with their choices, the result, and the plot of the first values."""
    page = opened(java_script_enabled=False)
    expect(page.get_by_role("listitem")).to_have_text(["more", 'so-called "fewer"'])
    expect(page.locator("figure:visible")).to_have_count(3)
    expect(page.get_by_text("In a notebook this plot has a slider")).to_be_visible()


@pytest.mark.slow
@pytest.mark.skipif(not (SITE / "index.html").exists(), reason="`make site` builds the site")
@pytest.mark.parametrize("file", sorted(SITE.glob("lessons/*.html")), ids=lambda file: file.stem)
def test_a_lesson_of_the_site(file: Path) -> None:
    """Every prediction can be locked, every result appears, every slider draws another plot."""
    with served(SITE) as address, sync_api.sync_playwright() as driver:
        browser = launch(driver)
        page = browser.new_page()
        page.goto(f"{address}lessons/{file.name}")
        forms = page.locator("[data-prediction] form")
        assert file.read_text("utf-8").count("data-prediction=") == forms.count() > 1
        for form in forms.all():
            if form.get_by_role("radio").count():
                form.get_by_role("radio").first.check()
            else:
                form.get_by_role("textbox").fill("42")
            form.get_by_role("button", name="Lock my prediction").click()
            expect(form.get_by_role("status")).to_contain_text("Locked: ")
        page.reload()
        compared = page.get_by_text(re.compile("^(You predicted 42|The result: )"))
        expect(compared).to_have_count(forms.count())
        for plots in page.locator("[data-sliders]").all():
            before = plots.locator("> figure").inner_html()
            key = (
                "ArrowLeft"
                if plots.get_by_role("slider").first.input_value() != "0"
                else "ArrowRight"
            )
            plots.get_by_role("slider").first.press(key)
            expect(plots.locator("> figure")).not_to_have_js_property("innerHTML", before)
        browser.close()
