"""The table of docs/use/urcu.md is that of the installed headers, and what it names is there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import locknative

if locknative.has_urcu:
    from locknative import urcu

NATIVE = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def coverage() -> ModuleType:
    """Return the script."""
    spec = importlib.util.spec_from_file_location("urcu_coverage", NATIVE / "urcu/coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_table_is_current(coverage: ModuleType) -> None:
    """Every function of the headers is classified, and the page shows the table of today."""
    assert coverage.BEGIN + coverage.table() + coverage.END in coverage.PAGE.read_text()


def test_what_is_offered_is_used(coverage: ModuleType) -> None:
    """A function that the table gives to Python is called by the sources of the binding."""
    sources = "".join(
        path.read_text() for kind in ("*.c", "*.pxi") for path in (NATIVE / "urcu").glob(kind)
    )
    offered = [
        name
        for row in coverage.table().splitlines()[2:]
        if "left out" not in row and "own steps" not in row and "made of" not in row
        for name in re.findall(r"`(\w+)`", row.split("|")[2])
        if name != "get_cpu_call_rcu_data"
    ]
    assert len(offered) > 50
    assert [] == [name for name in offered if not re.search(rf"\b{name}\b", sources)]


def test_names_are_there(coverage: ModuleType) -> None:
    """The Python names of the table exist."""
    flavour = urcu.default
    kinds: dict[str, object] = {"Flavour": flavour, "Reader": urcu.Reader}
    for make in ("pointer", "hash_table", "wfcqueue", "lfqueue", "wfstack", "lfstack", "rculist"):
        made = getattr(flavour, make)()
        kinds[type(made).__name__] = made
    worker = flavour.create_worker()
    kinds["Worker"] = worker
    for row in coverage.table().splitlines()[2:]:
        if "left out" in row:
            continue
        kind = "Flavour"
        for owner, name in re.findall(r"`(\w*)\.(\w+)\(\)`", row.split("|")[3]):
            kind = owner or kind
            assert hasattr(kinds[kind], name), f"{kind}.{name}"
    worker.free()


def test_new_function(coverage: ModuleType, tmp_path: Path) -> None:
    """A new function or header is reported, not passed over."""
    header = tmp_path / "new.h"
    header.write_text("/* cds_no(int a); */\nextern\nint cds_new(int a,\n\tint b);\n")
    assert {"cds_new"} == coverage.declared_names(header)
