"""The widget: its data, and the game's questions and answers."""

import json

import pytest
from checker.zoo import TASTestThenSet
from study.traces.traced import contended

from locksim.checker import check_lock
from locksim.library.locks.ticket import TicketLock

player = pytest.importorskip(
    "locksim.study.traces.player", reason="anywidget is not installed (extra 'notebook')"
)


def test_trace_in_a_notebook(tmp_path):
    """The widget holds the page's data and module, and can be written as a page."""
    trace = contended(TicketLock, 2, rows=100)
    widget = trace.player()
    assert "trace" == widget.data["kind"]
    assert "export default" in widget._esm
    assert "</html>" in widget.save(tmp_path / "t.html").read_text(encoding="utf-8")


def test_counterexample_in_a_notebook():
    """What the checker found can be looked at."""
    told = check_lock(TASTestThenSet, threads=2).counterexample
    assert told.message == player.Player.of_counterexample(told).data["message"]


def test_game_answers_its_front_end():
    """A path leads to a frame and moves; a hint names one of the moves."""
    game = player.Player.of_game(TASTestThenSet, threads=2, memory="sc")
    sent = []
    game.send = sent.append
    path = []
    while True:
        game._answer(game, {"id": len(sent), "ask": "at", "path": path}, [])
        here = sent[-1]
        if here["frame"]["found"]:
            break
        game._answer(game, {"id": len(sent), "ask": "hint", "path": path}, [])
        assert sent[-1]["via"] in [move["via"] for move in here["moves"]]
        path.append(sent[-1]["via"])
    assert "exclusion" == here["frame"]["found"]
    assert len(check_lock(TASTestThenSet, threads=2).counterexample.steps) == len(path)
    assert list(range(len(sent))) == [answer["id"] for answer in sent]
    json.dumps(sent)


def test_game_as_a_page(tmp_path):
    """All states go into the file."""
    game = player.Player.of_game(TASTestThenSet, threads=2, memory="sc")
    assert '"memo":' in game.save(tmp_path / "g.html").read_text(encoding="utf-8")
