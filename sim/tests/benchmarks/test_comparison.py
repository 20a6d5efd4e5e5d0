"""``make compare``: it can be made in pieces, and reads what each part reports."""

import dataclasses
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[3] / "tools" / "comparison.py"
ROW = {"what": "a lock", "against": "them", "value": 2.0, "low": 1.5, "high": 2.5}
WRITES = f"import sys; open(sys.argv[-1], 'w').write({json.dumps({'rows': [ROW]})!r})"


@pytest.fixture
def comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script with two parts: one that reports, one that cannot."""
    spec = importlib.util.spec_from_file_location("comparison", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # for its dataclasses
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "OUT", tmp_path)
    works = dataclasses.replace(
        module.PARTS["checker"], command=(sys.executable, "-c", WRITES), report="one.json"
    )
    fails = dataclasses.replace(
        works, command=(sys.executable, "-c", "exit('no network')"), report="two.json"
    )
    monkeypatch.setattr(module, "PARTS", {"one": works, "two": fails})
    return module


def parts(comparison: ModuleType, *options: str) -> list[tuple[str, list[float], str]]:
    """Run it; name, ratios and what is missing of each part."""
    sys.argv[1:] = options
    assert 0 == comparison.main()
    document = json.loads((comparison.OUT / "compare.json").read_text())
    return [
        (part["name"], [row["value"] for row in part["rows"]], part["missing"])
        for part in document["parts"]
    ]


def test_pieces_make_a_whole(comparison: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part keeps its report; one that fails says why, one that was not run how to run it."""
    monkeypatch.setattr(sys, "argv", ["comparison.py"])
    assert [
        ("one", [2.0], ""),
        ("two", [], "no report yet; --only two makes one"),
    ] == parts(comparison, "--only", "one")
    assert [("one", [2.0], ""), ("two", [], "no network")] == parts(comparison, "--only", "two")
    page = (comparison.OUT / "compare.html").read_text()
    assert "1.5 to 2.5" in page
    assert "Not compared: no network" in page


def test_measured_parts_are_not_measured_again(
    comparison: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --again, as after an interrupt."""
    monkeypatch.setattr(sys, "argv", ["comparison.py"])
    (comparison.OUT / "one.json").write_text(json.dumps({"rows": [{**ROW, "value": 7.0}]}))
    assert [("one", [7.0], ""), ("two", [], "no network")] == parts(comparison, "--again")


def test_formulas_are_weighted_by_their_cells(comparison: ModuleType) -> None:
    """Of two rows of MVA, and a table without formulas."""
    rows = [
        {"model": "mva", "cells": 1, "mean_abs_error": 0.4, "simulated_mean_abs_error": 0.1},
        {"model": "mva", "cells": 3, "mean_abs_error": 0.2, "simulated_mean_abs_error": 0.1},
    ]
    report = [{"experiment": "e", "models": {"summary": rows}}, {"experiment": "f"}]
    (found,) = comparison.accuracy(report)
    assert ("e, 4 cells: 25.0% over 10.0%", "MVA") == (found.what, found.against)
    assert pytest.approx(2.5) == found.value


def test_graders_are_compared_round_by_round(comparison: ModuleType) -> None:
    """The median of the rounds' ratios, and the least and greatest."""
    report = [
        {"grader": name, "submissions": 2, "used": {"cpu_s": 2 * each_s}}
        for name, times in (("LockLab", (1.0, 2.0, 1.0)), ("other", (3.0, 4.0, 5.0)))
        for each_s in times
    ]
    (found,) = comparison.graders(report)
    assert ("other", 3.0, 2.0, 5.0) == (found.against, found.value, found.low, found.high)
