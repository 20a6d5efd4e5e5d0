"""Mechanisms that were named after the curves' results: they apply, and the page has the rows."""

import re
from pathlib import Path

import pytest
from engine.fast.test_ways import NEVER, plain_until

from locksim import machine as machines
from locksim.papers.ablations import curves
from locksim.papers.curves.experiment import operation_ns
from locksim.papers.factors import HEADS

PAGE = (Path(__file__).parents[4] / "sim/locksim/papers/curves/curves.md").read_text(
    encoding="utf-8"
)
EACH = [(name, v) for name, (_, variants) in curves.VARIANTS.items() for v in variants]


@pytest.mark.parametrize(("name", "variant"), EACH, ids=lambda one: getattr(one, "name", one))
def test_each_mechanism_makes_a_machine(name: str, variant: curves.Variant) -> None:
    """A profile holds it; every further value has a source, and the range in which it may lie."""
    before = machines.load(curves.VARIANTS[name][0].curves.machine)
    after = variant.of(before)
    known = {p.name for p in before.parameters()}
    added = [p for p in after.parameters() if p.name in variant.costs]
    assert set(variant.costs) == {p.name for p in added} - known
    assert all(p.low is not None and p.low <= p.value <= (p.high or 0) for p in added)
    assert before.tables(before.n_cpus) != after.tables(before.n_cpus)


def test_far_atomics_serve_an_addition_sooner_and_a_swap_later() -> None:
    """Four CPUs of the Graviton2: the home adds without a transfer; load and swap need two."""
    experiment, _ = curves.VARIANTS["downs-2020"]
    near = machines.load(experiment.curves.machine)
    far = curves.FAR.of(near)
    with plain_until(NEVER):
        times = {
            row: [
                operation_ns(machine, experiment.curves, row, 4, 0, operations=20).mean
                for machine in (near, far)
            ]
            for row in ("atomic add", "cas add")
        }
    assert times["atomic add"][1] < 0.8 * times["atomic add"][0]
    assert times["cas add"][1] > 1.5 * times["cas add"][0]


@pytest.mark.slow
@pytest.mark.parametrize("name", curves.VARIANTS)
def test_the_page_prints_the_factors(name: str) -> None:
    """sim/locksim/papers/curves/curves.md, "After the results were seen", to the second digit."""
    section = PAGE.partition("## After the results were seen")[2].partition("\n## ")[0]
    experiment, variants = curves.VARIANTS[name]
    for variant in (curves.REGISTERED, *variants):
        found = curves.row(experiment, variant)
        line = re.search(rf"^\| `{name}` \| {re.escape(variant.name)} \| (.*) \|$", section, re.M)
        assert line is not None
        for model, cell in zip(HEADS, line[1].split(" | "), strict=True):
            values = [part[model] for part in (found.every, found.unseen) if model in part]
            shown = [float(value) for value in cell.split(" / ")] if cell != "–" else []
            assert values == pytest.approx(shown, abs=0.011)
