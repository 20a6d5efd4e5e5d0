"""The page that a student reads: complete, harmless whatever is in the result, and discreet."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from elements import Elements
from results_made import EVIL, check, counterexample, curve, result, rich_result
from study.traces.chromium import CHROMIUM, launch

from lockgrader.report.chart import alt_text, chart
from lockgrader.report.feedback import FEEDBACK, feedback, keep_feedback
from lockgrader.result import VERDICTS, ResultError


def test_texts_of_students_stay_texts() -> None:
    """No element and no attribute comes from a name, message, source line or answer."""
    page = Elements(feedback(rich_result(student=EVIL)))
    assert [] == page.all("img")
    assert [] == [a for _, a in page.found if any(name.startswith("on") for name in a)]
    scripts = [a.get("type") for a in page.all("script")]
    assert ["application/json", "module"] == scripts


def test_policy_lets_nothing_out_and_one_script_run() -> None:
    """No source but the page itself; a page without a counterexample runs no script at all."""
    rich, plain = feedback(rich_result()), feedback(result("ada", check("right")))
    policies = [Elements(p).all("meta")[2]["content"] or "" for p in (rich, plain)]
    assert [True, True] == ["default-src 'none'" in p for p in policies]
    assert "script-src 'sha256-" in policies[0]
    assert "script-src 'none'" in policies[1]
    assert "<script" not in plain
    assert [] == [a for _, a in Elements(rich).found if (a.get("src") or "").startswith("http")]


def test_hidden_checks_tell_name_and_verdict_only() -> None:
    """No title, message or points of a hidden check are shown, only the sum of their points."""
    page = feedback(rich_result())
    assert "secret-one" in page
    for secret in ("Title of secret-one", "4711", "/srv/"):
        assert secret not in page
    assert "hidden checks in total" in page
    assert "0 of 7" in page
    assert "Title of told" in page
    assert "told number 42" in page


def test_our_own_failure_is_called_ours() -> None:
    """A grader_error costs nothing, says so, and shows no traceback."""
    page = feedback(rich_result())
    assert "1 check is not decided" in page
    assert "not decided, and no points are lost: internal error of the grader" in page
    assert "Traceback" not in page


def test_a_budget_that_is_used_up_is_not_called_an_error() -> None:
    """The page gives the reason and what helps, as the commands do."""
    says = "the proof: not decided, and no points are lost: 100 states\nhelp: use fewer words"
    page = feedback(result("ada", check("one", "grader_error", message=says)))
    assert "not decided, and no points are lost: 100 states" in page
    assert "help: use fewer words" in page
    assert "internal error" not in page


def test_failure_teaches() -> None:
    """Table, misconception, hint, and what waits for what."""
    page = feedback(rich_result())
    for told in ("too big, by 1.5", "1 to 3", "two steps are one", "look again", "comes first"):
        assert told in page.replace("&#39;", "'")


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_has_words(verdict: str) -> None:
    """No verdict is shown by its code name."""
    page = feedback(result("ada", check("one", verdict)))
    assert verdict not in page.partition("<main>")[2].replace(f"verdict-{verdict}", "") or (
        verdict in ("pass", "fail", "skipped")
    )


def test_chart_says_what_it_shows() -> None:
    """The words instead of the picture hold its ends, the reference and the band."""
    told = alt_text(curve())
    assert (
        "time per critical section of MCS: 10 ns on 8 CPUs, 45 ns on 32 CPUs; Ticket goes from 11 "
        "to 46; right on 32 CPUs is at least 9 and at most 48." == told
    )


@pytest.mark.parametrize(
    ("y", "high", "ticks"),
    [
        ((1.0, 1.0, 1.0), (), [0.0, 1.25]),
        ((10.0, 12.0, 11.0), (13.0,) * 3, [0.0, 15.0]),
        ((3.0, 40.0, 900.0), (), [2.0, 1000.0]),
        ((0.0, 0.0, 0.0), (), [0.0, 1.0]),
    ],
)
def test_axis_holds_all_values(
    y: tuple[float, ...], high: tuple[float, ...], ticks: list[float]
) -> None:
    """Every point and both ends of the band lie inside the frame."""
    drawn = chart(curve(y=y, low=(), high=high, reference=()), "c")
    shown = [float(text.replace(",", "")) for _, text in drawn["y_ticks"]]
    assert ticks == [shown[0], shown[-1]]
    left, top, width, height = drawn["frame"]
    for x, at in drawn["own_points"]:
        assert left <= x <= left + width
        assert top <= at <= top + height


def test_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One clear error with the file's name, as for a result that cannot be written."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("lockgrader.files.write", full)
    with pytest.raises(ResultError, match=r"feedback.html cannot be written: No space left"):
        keep_feedback(tmp_path, result("ada", check("right")))


def test_page_is_kept_once(tmp_path: Path) -> None:
    """The same result leaves the file alone; another one replaces it."""
    one = result("ada", check("right"))
    keep_feedback(tmp_path, one)
    written = (tmp_path / FEEDBACK).stat().st_mtime_ns
    keep_feedback(tmp_path, one)
    assert written == (tmp_path / FEEDBACK).stat().st_mtime_ns
    keep_feedback(tmp_path, rich_result())
    assert "not right yet" in (tmp_path / FEEDBACK).read_text()


sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's Chromium."""
    with sync_api.sync_playwright() as driver:
        running = launch(driver)
        yield running
        running.close()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (apt install chromium)")
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1100])
def test_page_in_a_browser(browser: Any, tmp_path: Path, scheme: str, width: int) -> None:
    """The player steps, nothing is asked for, nothing of a student's runs, nothing sticks out."""
    keep_feedback(tmp_path, rich_result())
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    said: list[str] = []
    requests: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.goto((tmp_path / FEEDBACK).as_uri())
    tab.wait_for_selector("[data-ready]")
    tab.focus(".locklab")
    tab.keyboard.press("ArrowRight")
    assert 1 == int(tab.eval_on_selector(".scrub", "scrub => +scrub.value"))
    assert "lab02-spinlocks: feedback for ada" == tab.title()
    assert width >= tab.evaluate("document.documentElement.scrollWidth")
    assert ([], 1) == (said, len(requests))
    tab.close()


def test_counterexample_is_the_checkers() -> None:
    """What the player gets is the kept counterexample, whole."""
    told = counterexample("lock.a<b")
    page = feedback(result("ada", check("right", "fail", counterexample=told)))
    found = re.search(r'class="counterexample">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    assert told["steps"] == json.loads(found[1])["steps"]
