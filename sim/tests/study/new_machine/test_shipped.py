"""The profiles that `locklab machine new` wrote: their ping-pong is still the published one."""

import re

import pytest

from locksim.machine import load, names
from locksim.study.new_machine import ping_pong_ns

ONE_WAY = re.compile(r"one way (?P<ns>[\d.]+) ns")
FITTED = [
    (name, p.name.removeprefix("transfer."), float(found["ns"]))
    for name in names()
    for p in load(name).parameters()
    if p.role == "fitted" and (found := ONE_WAY.search(p.source))
]


def test_eight_machines_were_made_so() -> None:
    """The list that the next test takes its values from."""
    assert 8 == len({name for name, _, _ in FITTED})


@pytest.mark.covering("name")
@pytest.mark.parametrize(("name", "class_", "ns"), FITTED)
def test_the_simulated_ping_pong_is_the_published_one(name: str, class_: str, ns: float) -> None:
    """To the precision of the source's text; a change of the physics would show here."""
    assert ns == pytest.approx(ping_pong_ns(load(name), class_), abs=0.6)
