"""The declarations of costs, and what follows from them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from tiny_machine import tables

from locksim import machine
from locksim.engine.fast.contention import contention_of
from locksim.engine.fast.state import NUMBERS
from locksim.machine.costs import DECLARED, ROWS, page, spread_of
from locksim.machine.tables import MachineTables

PAGE = Path(__file__).parents[3] / "docs/use/machines.md"


def test_the_page_lists_every_cost() -> None:
    """The table of docs/use/machines.md is the one that the declarations make."""
    text = PAGE.read_text(encoding="utf-8")
    assert page() in text, f"put this into {PAGE.name}, 'Every cost':\n{page()}"


def test_every_number_has_one_column() -> None:
    """The fast engine has a column or a row for each cost, and no second one."""
    rows = {*ROWS}
    single = {name.removesuffix("_ps") for name in DECLARED if name not in rows}
    assert single <= {*NUMBERS}
    assert len(NUMBERS) == len({*NUMBERS})
    assert rows - {*DECLARED} == {
        spread_of(n) for n, d in DECLARED.items() if d.spread and n in rows
    }


@pytest.mark.parametrize("name", [n for n, d in DECLARED.items() if d.under_load])
def test_a_cost_that_acts_under_load_is_never_dropped(name: str) -> None:
    """The engine is compiled with the mechanisms, whichever of their costs a machine has."""
    assert contention_of(tables()) is None
    value = (0, 0, 0, 7) if name in ROWS else 7
    assert contention_of(tables(**{name: value})) is not None
    if DECLARED[name].spread:
        assert contention_of(tables(**{spread_of(name): (0, 0, 0, 7)})) is not None


def test_what_is_not_given_is_filled() -> None:
    """A row that a machine does not have holds what applies instead in each class, or nothing."""
    found = tables(tenure_ps=9, tenure_plain_ps=4)
    assert (9,) * 4 == found.tenure_class_ps
    assert (4,) * 4 == found.tenure_plain_class_ps
    assert (0,) * 4 == found.link_ps
    assert not found.loaded


def test_costs_of_a_profile_follow_their_declarations() -> None:
    """A plain cost is that of the profile, a row begins with the same CPU and core."""
    profile = machine.load("xeon-8176-8x28")
    costs, found = profile.cost_ps(), profile.tables(2)
    assert isinstance(found, MachineTables)
    assert {one.name for one in fields(found)} >= {*DECLARED, *ROWS}
    for name, declared in DECLARED.items():
        if declared.key in costs:
            assert costs[declared.key] == getattr(found, name)
    assert (0, costs["transfer.core"]) == found.transfer_ps[:2]
    assert (0, costs["memory.node"], costs["memory.node"]) == found.memory_ps[:3]
