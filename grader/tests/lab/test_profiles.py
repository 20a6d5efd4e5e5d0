"""Numbers of a machine's profile."""

import pytest
from pydantic import ValidationError

from lockgrader.lab.profiles import Profile
from locksim.machine import MachineError, load


def test_a_cost_and_a_count() -> None:
    """A cost in ns; how many values are assumed, of a shipped machine and of a data set."""
    assert 50.0 == Profile(profile="ideal-8", cost="transfer.node").number()
    assumed = sum(one.role == "assumed" for one in load("itanium2-32").parameters())
    assert assumed == Profile(profile="itanium2-32", role="assumed").number()
    assert 4.0 == Profile(profile="vm-2-epyc", role="fitted").number()


def test_a_cost_that_is_not_there() -> None:
    """The message offers a near one."""
    with pytest.raises(MachineError, match=r"no cost 'transfer\.nod'.*transfer\.node"):
        Profile(profile="ideal-8", cost="transfer.nod").number()


def test_one_of_cost_and_role() -> None:
    """Neither, or both, is refused."""
    for more in ({}, {"cost": "rmw", "role": "fitted"}):
        with pytest.raises(ValidationError, match="give either 'cost' or 'role'"):
            Profile(profile="ideal-8", **more)
