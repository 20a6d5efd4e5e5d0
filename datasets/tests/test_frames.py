"""Tests of lockdata.frames and lockdata.info."""

import dataclasses
import math
import subprocess
import sys
from pathlib import Path

import pytest

import lockdata

NAMES = list(lockdata.list_tables()["name"])


def test_list_tables() -> None:
    """One row a table; rows and misprints are counted, not stated."""
    table = lockdata.list_tables().set_index("name")
    assert ["title", "rows", "cells", "misprints"] == list(table.columns)
    assert [4, 56, 15] == list(table.loc["kaigai-2004/rcutest", ["rows", "cells", "misprints"]])
    assert 36 == table.loc["long-2013/awr", "misprints"]


@pytest.mark.parametrize("name", NAMES)
def test_readings_have_the_same_cells(name: str) -> None:
    """Every reading lists all cells; both repeats the two single ones."""
    both = lockdata.load(name, "both")
    assert list(both["printed"]) == list(lockdata.load(name, "printed")["value"])
    assert both["corrected"].equals(lockdata.load(name)["value"])
    assert lockdata.describe(name).cells == len(both)


def test_columns_of_rcutest() -> None:
    """The keys come first, kernel as text and cpus as integers."""
    frame = lockdata.load("kaigai-2004/rcutest", reading="both")
    keys = ["kernel", "cpus", "measure"]
    assert [*keys, "printed", "corrected", "unit", "reason", "place"] == list(frame.columns)
    assert {1, 2, 4, 8, 16, 32} == set(frame["cpus"])
    wall = frame[(frame.kernel == "spinlock") & (frame.measure == "wall")].set_index("cpus")
    assert ("78.0957", 78.957, "clock") == tuple(wall.loc[4, ["printed", "corrected", "reason"]])
    assert "too long" == wall.loc[32, "printed"]
    assert math.isnan(wall.loc[32, "corrected"])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reading", ["corrected", "printed"])
def test_pivot_keeps_every_cell(name: str, reading: str) -> None:
    """No number is lost or invented by the row-and-column form."""
    tidy = lockdata.load(name, reading)["value"].dropna()
    wide = lockdata.pivot(name, reading).to_numpy().ravel()
    assert sorted(map(str, tidy)) == sorted(str(v) for v in wide if v == v)


def test_pivot_keeps_the_order() -> None:
    """Rows and columns stand in the source's order, which is not alphabetical."""
    wide = lockdata.pivot("kaigai-2004/rcutest")
    assert ["disabled", "spinlock", "rwlock", "rcu"] == list(wide.index)
    assert [1, 2, 4, 8, 16, 32] == list(wide["wall"].columns)
    assert [8, 4, 2, 1] == list(
        dict.fromkeys(lockdata.pivot("franke-2001/lockmeter").index.droplevel(1))
    )
    assert [(32, 0), (80, 0), (128, 0)] == list(lockdata.pivot("long-2013/awr").index[:3])


def test_pivot_with_own_keys() -> None:
    """A caller may choose the keys, as long as they tell the cells apart."""
    wide = lockdata.pivot(
        "franke-2001/chatroom", rows=["cpus"], columns=["kernel", "rooms", "messages"]
    )
    assert (4, 18) == wide.shape
    assert 173418.0 == wide.loc[1, ("vanilla", 10, 100)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": ["cpu"]}, "franke-2001/overhead has no key 'cpu'. Its keys are rooms, messages"),
        (
            {"rows": ["rooms"]},
            "Keys rooms, cpus do not distinguish the cells of franke-2001/overhead",
        ),
        ({"rows": []}, "Keys cpus do not distinguish the cells of franke-2001/overhead. Use more"),
        (
            {"reading": "both"},
            "A table cannot be made of the values 'both'. Use corrected or printed.",
        ),
    ],
)
def test_pivot_refusals(arguments: dict, message: str) -> None:
    """Unknown keys, keys that merge cells, and a double reading are refused."""
    with pytest.raises(lockdata.DatasetError) as error:
        lockdata.pivot("franke-2001/overhead", **arguments)
    assert message in str(error.value)


def test_unknown_reading() -> None:
    """An unknown reading names the known ones."""
    with pytest.raises(lockdata.DatasetError) as error:
        lockdata.load("long-2013/redo", "raw")
    expected = "Unknown kind of values 'raw'. Use one of corrected, printed, both."
    assert expected == str(error.value)


def test_frames_are_fresh() -> None:
    """Changing a loaded frame leaves the next one as published."""
    frame = lockdata.load("long-2013/redo")
    frame.loc[0, "value"] = -1.0
    assert 802.0 == lockdata.load("long-2013/redo").loc[0, "value"]


def test_describe() -> None:
    """The description is frozen and holds title, units, provenance and counted corrections."""
    info = lockdata.describe("kaigai-2004/rcutest")
    assert ("s",) == info.units
    assert {"clock": 15, "clock-unsure": 2, "too-long": 1, "not-run": 2} == {
        c.reason: c.cells for c in info.corrections
    }
    assert "20 August 2004" in info.provenance
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.title = "x"


@pytest.mark.parametrize("name", NAMES)
def test_text_tells_everything(name: str) -> None:
    """The text of a description names every key, unit, correction and note."""
    info = lockdata.describe(name)
    text = info.text()
    parts = [info.title, info.source.citation, info.source.licence, *info.units, *info.notes]
    parts += [k.meaning for k in info.keys] + [c.text for c in info.corrections]
    parts += [meaning for _, meaning in info.terms]
    assert [] == [part for part in parts if part not in text]


def test_import_is_cheap() -> None:
    """Importing the package, and describing a table, load neither pandas nor numpy."""
    code = (
        "import sys, lockdata; lockdata.describe('long-2013/redo'); "
        "print([m for m in ('pandas', 'numpy', 'typer', 'rich') if m in sys.modules])"
    )
    folder = Path(lockdata.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert "[]" == done.stdout.strip()


@pytest.mark.parametrize("reading", ["corrected", "printed", "both"])
def test_records_are_the_frame(reading: lockdata.Reading) -> None:
    """The same rows without pandas; a missing number is None instead of NaN."""
    for name in ("franke-2001/lockmeter", "kaigai-2004/rcutest"):
        frame = lockdata.load(name, reading).astype(object)
        whole = frame.where(frame.notna(), None).to_dict("records")
        assert whole == lockdata.records(name, reading)
