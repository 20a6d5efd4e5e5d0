"""The page: one file, with all that it needs and nothing from elsewhere."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from checker.zoo import TASTestThenSet
from study.traces.traced import contended

from locksim.checker import check_lock
from locksim.checker.play.told import of_counterexample
from locksim.library.locks.ticket import TicketLock
from locksim.study.traces import TraceError, bundle
from locksim.study.traces.page import page
from locksim.study.traces.player_data import of_trace


def data_in(path):
    """The data in a page."""
    text = path.read_text(encoding="utf-8")
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text)
    return json.loads(found)


def test_trace_is_in_the_page(tmp_path):
    """Rows, transfers and spans are those of the trace."""
    trace = contended(TicketLock, 4, rows=500)
    data = data_in(trace.save(tmp_path / "t.html"))
    assert "trace" == data["kind"]
    assert trace.rows[:, 0].tolist() == data["rows"]["time"]
    assert len(trace.transfers) == len(data["transfers"])
    words = [data["words"][w] if w >= 0 else "" for w in data["rows"]["word"]]
    assert {"lock.next_ticket", "lock.now_serving", ""} == set(words)


def test_page_asks_for_nothing(tmp_path):
    """No address in the program or the style, and a policy that would forbid it."""
    path = contended(TicketLock, 2, rows=50).save(tmp_path / "t.html")
    text = path.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert [] == re.findall(r"https?://|@import|url\(", bundle.script() + bundle.style())
    assert [] == re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?!data:)', text)


def test_text_in_the_data_can_not_end_the_script(tmp_path):
    """A source line or a title with a tag in it stays text."""
    nasty = "</script><script>alert(1)</script>"
    path = page(tmp_path / "t.html", {"kind": "trace", "title": nasty})
    assert nasty == data_in(path)["title"]
    assert nasty not in path.read_text(encoding="utf-8")


def test_counterexample_is_the_checkers_own():
    """The player gets the checker's JSON, a title, and files by their names alone."""
    verdict = check_lock(TASTestThenSet, threads=2)
    data = of_counterexample(verdict.counterexample)
    assert "counterexample" == data["kind"]
    document = verdict.counterexample.to_json()
    named = [step | {"file": Path(step["file"]).name} for step in document["steps"]]
    assert (document | {"steps": named}).items() <= data.items()


def test_other_endings_are_refused(tmp_path):
    """The message lists what there is."""
    trace = contended(TicketLock, 2, rows=50)
    with pytest.raises(TraceError, match=r"suffix '\.svg'"):
        trace.save(tmp_path / "t.svg")


def test_data_is_small_enough_for_a_page():
    """Ten thousand rows make about a megabyte, not ten."""
    data = of_trace(contended(TicketLock, 8, rows=10_000))
    assert len(json.dumps(data, separators=(",", ":"))) < 2_000_000


def test_modules_are_bundled_in_order():
    """Each is there, none imports what comes later, and nothing is left of imports."""
    seen = set()
    for name in bundle.MODULES:
        text = (bundle.STATIC / f"{name}.js").read_text(encoding="utf-8")
        wanted = set(re.findall(r'from "\./(\w+)\.js"', text))
        assert wanted <= seen, name
        seen.add(name)
    assert {path.stem for path in bundle.STATIC.glob("*.js")} == seen
    assert "import " not in bundle.script().replace("// ", "")
    assert 1 == bundle.script().count("export ")


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_bundle_is_a_module(tmp_path):
    """A JavaScript engine reads it: no name is declared twice."""
    path = tmp_path / "player.mjs"
    path.write_text(bundle.script(), encoding="utf-8")
    subprocess.run(["node", "--check", str(path)], check=True, timeout=120)
