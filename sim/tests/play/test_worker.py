"""What the playground asks of Python: JSON in, JSON out, and mistakes at their place."""

import json
import subprocess
import sys

import pytest
from test_without_numpy import HIDE

from locksim.play.catalogue import examples
from locksim.play.worker import answer

EXAMPLES = {asked.file: asked.to_json() for _, asked in examples()}


def ask(what, said):
    """An answer, read."""
    return json.loads(answer(what, json.dumps(said), lambda text, share: None))


def test_read_names_the_classes():
    """Those that have test clients can be used; a struct of nodes cannot."""
    text, file = EXAMPLES["mcs.py"]["text"], "mcs.py"
    found = ask("read", {"text": text, "file": file})["classes"]
    assert [{"name": "Node", "usable": False}, {"name": "MCS", "usable": True}] == found


def test_a_mistake_has_its_place():
    """Line and columns as the editor marks them, and what to write."""
    text = EXAMPLES["tas.py"]["text"].replace("yield self.held.store", "self.held.store")
    error = ask("read", {"text": text, "file": "tas.py"})["error"]
    assert "self.held.store(0, RELEASE)" in text.splitlines()[error["line"] - 1]
    assert 9 == error["column"]
    assert "yield" in error["help"]


@pytest.mark.parametrize("deep", ["(" * 3_000 + "1" + ")" * 3_000, "+".join(["1"] * 5_000)])
def test_a_program_that_nests_deeply_is_a_mistake(deep, monkeypatch):
    """It does not come to the parser, whose stack would end Python in a browser."""
    monkeypatch.setattr("locksim.compiler.sources.ast.parse", None)
    text = EXAMPLES["tas.py"]["text"].replace("held = word()", f"held = word({deep})")
    error = ask("read", {"text": text, "file": "tas.py"})["error"]
    assert "held = word(" in text.splitlines()[error["line"] - 1]
    assert ("this program is nested too deeply", "split the expression") == (
        error["message"],
        error["help"],
    )


def test_a_text_that_is_too_long_is_refused_before_it_is_read(monkeypatch):
    """A browser would read it for a minute."""
    monkeypatch.setattr("locksim.play.worker.compile_source", None)
    error = ask("read", {"text": "#" * 65_537, "file": "lock.py"})["error"]
    assert "text must have at most 65,536 characters (got 65,537)" == error["message"]


def test_other_refusals_have_no_place():
    """A machine that is not there, a class that is not there."""
    error = ask("simulate", EXAMPLES["tas.py"] | {"machine": "abacus"})["error"]
    assert (0, True) == (error["line"], "abacus" in error["message"])
    assert "error" in ask("check", EXAMPLES["tas.py"] | {"lock": "Nothing"})


def test_check_gives_verdict_and_counterexample():
    """As the command line has them; the player's data says of what kind it is."""
    found = ask("check", EXAMPLES["wrong_ttas.py"])
    assert ("violated", "exclusion", "counterexample") == (
        found["verdict"],
        found["found"],
        found["play"]["kind"],
    )
    assert len(found["play"]["steps"]) == len(found["schedule"].split())
    assert ("proven", None) == tuple(
        ask("check", EXAMPLES["tas.py"])[k] for k in ("verdict", "play")
    )


def test_the_game_is_won_by_its_hints():
    """The page asks move by move; the hints lead to what is wrong."""
    asked = EXAMPLES["look_and_take.py"]
    assert "game" == ask("game", asked)["kind"]
    path = []
    while not ask("move", {"argument": asked, "ask": "at", "path": path})["frame"]["found"]:
        path.append(ask("move", {"argument": asked, "ask": "hint", "path": path})["via"])
    assert 4 == len(path)


def test_links_go_there_and_back():
    """The page's own link, opened by the page; and the claim is compared."""
    fragment = ask("link", EXAMPLES["tas.py"])["fragment"]
    assert EXAMPLES["tas.py"] == ask("open", {"fragment": fragment})
    claim = {"verdict": "proven", "found": "", "schedule": "", "units": []}
    assert {"wrong": []} == ask("compare", {"claimed": claim, "found": claim})
    assert "error" in ask("open", {"fragment": "1.x"})


def test_a_bug_is_not_an_answer():
    """What nobody foresaw is raised, and the page says so."""
    with pytest.raises(KeyError):
        ask("nonsense", {})


WITHOUT = """
import json
import sys

from locksim.play.catalogue import examples
from locksim.play.worker import answer

asked = dict((a.file, a) for _, a in examples())["tas.py"].to_json() | {"cpus": 2}
for what in ("check", "simulate"):
    print(answer(what, json.dumps(asked), lambda text, share: None))
    print(sorted({"pydantic", "simpy"} & {*sys.modules}))
others = {"jinja2", "matplotlib", "rich", "scipy", "sqlalchemy", "typer"}
print(sorted(others & {name.partition(".")[0] for name in sys.modules}))
"""


def test_the_worker_needs_no_numpy_and_no_terminal():
    """In a process without numpy, and nothing of the command line is imported.

    A check needs no more than Python's own library: the page loads the rest later.
    """
    done = subprocess.run([sys.executable, "-c", HIDE + WITHOUT], capture_output=True, text=True)
    assert "" == done.stderr
    check, of_check, simulate, of_simulation, others = done.stdout.splitlines()
    assert ("[]", "['pydantic', 'simpy']") == (of_check, of_simulation)
    assert "proven" == json.loads(check)["verdict"]
    assert [1, 2] == [cpus for cpus, _ in json.loads(simulate)["units"]]
    assert "[]" == others
