"""The player and the game inside a lesson: a page of its own, with a name and a form in words."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from locklessons.embeds import play_counterexample, play_run, you_are_the_scheduler
from racy import Racy

from locksim.checker import check_workload
from locksim.checker.play.told import of_told
from locksim.kinds.checking import check_lock
from locksim.lang import Workload, done, word
from locksim.library.locks.tas import TASLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.traces import record


class Lost(Workload):
    """Adds one without an atomic instruction."""

    count = word()

    def thread(self):
        value = yield self.count.load()
        yield self.count.store(value + 1)
        assert value + 1 == (yield self.count.load())
        yield done()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The MIME bundles that were displayed."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: found.append(data))
    return found


def framed(bundle: dict[str, Any]) -> str:
    """The page in the frame."""
    found = re.search(r'srcdoc="([^"]*)"', bundle["text/html"])
    assert found is not None
    return html.unescape(found[1])


def test_each_is_a_page_in_a_named_frame(shown: list[dict[str, Any]]) -> None:
    """A run, a counterexample and a game; none of them loads anything."""
    play_run(record(CriticalSection(lock=TASLock), cpus=2, rows=50), "A run.")
    found = check_workload(Lost(), threads=2, property="assertion").counterexample
    assert found is not None
    play_counterexample(found, "A lost update.")
    you_are_the_scheduler(Racy, "Break it.", memory="sc")
    assert ["A run.", "A lost update.", "Break it."] == [
        re.search(r'iframe title="([^"]*)"', bundle["text/html"])[1]  # type: ignore[index]
        for bundle in shown
    ]
    for bundle in shown:
        assert framed(bundle).startswith("<!doctype html>")
        assert "default-src 'none'" in framed(bundle)
    assert "thread 1" in shown[1]["text/plain"]


def test_the_place_of_a_step_in_a_notebook() -> None:
    """It is a line of a cell; the cell's temporary file has a number for a name."""
    found = check_lock(Racy, threads=2).counterexample
    assert found is not None
    document = found.to_json()
    for step in document["steps"]:
        step["file"] = "/tmp/ipykernel_123/3588544321.py"
    assert {"cell"} == {step["file"] for step in of_told(document, "t")["steps"]}
