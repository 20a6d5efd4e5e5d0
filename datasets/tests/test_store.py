"""Tests of lockdata.store: the shipped tables are complete, and malformed ones are refused."""

from pathlib import Path

import pytest

from lockdata import DatasetError, number
from lockdata.store import names, read

CELLS = {
    "downs-2020/graviton2": 7 * 16,
    "downs-2020/skylake": 6 * 4,
    "downs-2020/icelake": 6 * 4,
    "downs-2020/graviton1": 6 * 16,
    "folly-locks/small-locks": 4 * 6,
    "folly-locks/broadwell-2019": 23 * 8,
    "folly-locks/skylake-d-2019": 23 * 8,
    "franke-2001/chatroom": 2 * 9 * 4,
    "franke-2001/overhead": 9 * 4,
    "franke-2001/lockmeter": 4 * 3 * 11,
    "franke-2001/kernprof-flat": (9 + 12) * 6,
    "franke-2001/kernprof-callgraph": (10 + 6) * 4,
    "franke-2001/call-sequence": 7 + 8,
    "franke-2001/lmbench-system": 2 * 4,
    "franke-2001/lmbench-processes": 2 * 11,
    "franke-2001/lmbench-context-switch": 2 * 7,
    "franke-2001/lmbench-communication": 2 * 8,
    "franke-2001/lmbench-files": 2 * 7,
    "franke-2001/lmbench-bandwidth": 2 * 9,
    "franke-2001/lmbench-memory": 2 * 5,
    "kaigai-2004/rcutest": 4 * 4 * 3 + 4 * 2,
    "kaigai-2004/setup": 4,
    "long-2013/redo": 4 * 3,
    "long-2013/awr": 6 * 3 * 2,
    "long-2013/diffstat": 9 + 3,
    "mckenney-2019/atomic": 31 * 3,
    "mckenney-2020/read-sections": 5 * 9,
    "mckenney-2020/rwlock-readers": 5 * 15,
    "mckenney-2020/hash-table": 5 * 8 + 5,
    "moore-2006/netperf": 7 * 4,
    "moore-2006/option-cost": 7,
    "morris-2004/parallel-write": 3 * 6,
    "guerraoui-2019/litl": 2 * 5 * 5 - 2 * 5 + 5 * 4,
    "smalley-2001/lmbench": 15 * 3,
    "yamamura-2002/runqueue-lock": 2 * 2 * 7,
}

KEYS = "[tables.t.keys.a]\nmeaning = 'which'\ninteger = true\n"
META = """
title = "T"
authors = ["A"]
date = "2000-01-01"
citation = "C"
url = ""
archive = "R"
licence = "L"
machine = "M"
[reasons.slip]
kind = "misprint"
text = "X"
evidence = "E"
[tables.t]
title = "t"
description = "d"
rows = ["a"]
columns = []
cells = 2
"""
HEADER = "a,printed,corrected,unit,reason,place\n"
GOOD = "1,1.5,1.5,s,,p\n2,7,70,s,slip,p\n"


def made(folder: Path, csv: str, meta: str = META + KEYS) -> Path:
    """Write a source of one table and return the folder that `read` takes."""
    (folder / "s").mkdir()
    (folder / "s" / "source.toml").write_text(meta, encoding="utf-8")
    (folder / "s" / "t.csv").write_text(csv, encoding="utf-8")
    return folder


def test_all_tables_are_there() -> None:
    """The shipped tables have their published cell counts."""
    assert {name: len(read(name).cells) for name in names()} == CELLS


@pytest.mark.parametrize("name", CELLS)
def test_differing_cells_have_a_reason(name: str) -> None:
    """A cell without a reason holds the number that is printed."""
    table = read(name)
    plain = [c for c in table.cells if not c.reason]
    assert [number(c.printed) for c in plain] == [c.corrected for c in plain]
    assert all(c.corrected is not None for c in plain)


@pytest.mark.parametrize("name", CELLS)
def test_misprints_really_differ(name: str) -> None:
    """Reasons are used for what their kind says: by value, or by absence of a number."""
    table = read(name)
    kinds = {c.reason: c.kind for c in table.info.corrections}
    for cell in table.cells:
        kind = kinds.get(cell.reason)
        if kind in ("missing", "blank", "text"):
            assert cell.corrected is None
        if kind in ("label", "caveat"):
            assert number(cell.printed) == cell.corrected
        if kind == "blank":
            assert cell.printed == ""
        if kind == "missing":
            assert cell.printed != ""
            assert number(cell.printed) is None


@pytest.mark.parametrize(
    "publication", ["franke-2001", "kaigai-2004", "long-2013", "moore-2006", "smalley-2001"]
)
def test_each_of_the_five_publications_contains_a_mistake(publication: str) -> None:
    """Lesson 14, the site and the text for a syllabus say so; the curves are other sources."""
    tables = [read(name) for name in CELLS if name.startswith(publication)]
    used = {correction for table in tables for correction in table.info.corrections}
    assert {c.kind for c in used if c.cells} & {"misprint", "label"}


@pytest.mark.parametrize("name", CELLS)
def test_metadata_is_complete(name: str) -> None:
    """Every table has units, places, key meanings, and a cited source; values are explained."""
    table = read(name)
    source = table.info.source
    assert all((source.title, source.authors, source.citation, source.archive, source.licence)), (
        source
    )
    assert all(c.unit and c.place for c in table.cells)
    for i, key in enumerate(table.info.keys):
        assert key.meaning
        if key.values:
            found = {c.key[i] for c in table.cells}
            assert found == {value for value, _ in key.values}


def test_well_formed_source(tmp_path: Path) -> None:
    """A table written by the README's recipe is read, with its misprint counted."""
    table = read("s/t", made(tmp_path, HEADER + GOOD))
    assert [(c.key, c.printed, c.corrected) for c in table.cells] == [
        ((1,), "1.5", 1.5),
        ((2,), "7", 70.0),
    ]
    assert table.info.misprints == 1


@pytest.mark.parametrize(
    ("csv", "line", "message"),
    [
        (HEADER + "1,1.5,1.5,s,,p\n", None, "1 cells, but source.toml says 2. Complete"),
        (HEADER + "1,5,5,s,,p\n1,6,6,s,,p\n", 3, "cell (1,) occurs twice. Remove one of them."),
        (HEADER + "1,5,6,s,,p\n", 2, "'5' is printed and corrected to 6.0 without a reason."),
        (HEADER + "1,5,,s,,p\n", 2, "'5' is printed and corrected to None without a reason."),
        (HEADER + "1,,,s,,p\n", None, "1 cells, but source.toml says 2."),
        (HEADER + "1,5,6,s,typo,p\n", 2, "reason 'typo' is not in source.toml. Add it there"),
        (HEADER + "1,5,5,,,p\n", 2, "unit or place is empty. Fill it in."),
        (HEADER + "1,5,5,s,,\n", 2, "unit or place is empty. Fill it in."),
        (HEADER + "one,5,5,s,,p\n", 2, "Write a plain number there."),
        (HEADER + "1,5,five,s,,p\n", 2, "Write a plain number there."),
        (HEADER + "1,5,5,s,,p,q\n", 2, "7 fields instead of 6. Quote fields that contain a comma."),
        ("b,printed\n", 1, "the columns are b, printed; source.toml requires a, printed, correct"),
    ],
)
def test_malformed_table(tmp_path: Path, csv: str, line: int | None, message: str) -> None:
    """A slip in a table is refused with the file, the line and the mend."""
    folder = made(tmp_path, csv)
    with pytest.raises(DatasetError) as error:
        read("s/t", folder)
    place = f"{folder / 's' / 't.csv'}" + ("" if line is None else f", line {line}")
    assert str(error.value).startswith(f"{place}: ")
    assert message in str(error.value)


def test_unknown_kind_of_reason(tmp_path: Path) -> None:
    """A reason's kind must be one that the package knows."""
    folder = made(tmp_path, HEADER + GOOD, (META + KEYS).replace('"misprint"', '"oops"'))
    with pytest.raises(DatasetError, match="reason 'slip' is of the unknown kind 'oops'"):
        read("s/t", folder)


def test_broken_toml(tmp_path: Path) -> None:
    """Metadata that is no TOML is refused with its path."""
    folder = made(tmp_path, HEADER + GOOD, "title = ")
    with pytest.raises(DatasetError, match=r"source\.toml: not valid TOML"):
        read("s/t", folder)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kaigai-2004/rcutst", "did you mean 'kaigai-2004/rcutest'?"),
        ("rcutest", "did you mean 'kaigai-2004/rcutest'?"),
        ("long-2013", "did you mean 'long-2013/awr' or 'long-2013/redo' or 'long-2013/diffstat'?"),
        ("kaigai/rcutest", "did you mean 'kaigai-2004/rcutest'?"),
        ("zzz", f"known: {', '.join(sorted(CELLS))}"),
    ],
)
def test_unknown_name(name: str, message: str) -> None:
    """An unknown name is answered with the nearest known ones."""
    with pytest.raises(DatasetError) as error:
        read(name)
    assert f"unknown table {name!r}; {message}" == str(error.value)
