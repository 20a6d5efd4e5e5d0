"""What a machine's profile holds: a cost, or how many of its values are of a role."""

from __future__ import annotations

from pydantic import model_validator

from lockgrader.lab.closed import Closed, Text
from lockgrader.lab.trials import of_dataset
from lockui.suggest import did_you_mean


class Profile(Closed):
    """A number of a profile.

    Arguments:
        profile: a shipped machine's name, or that of a data set of ``datasets/native``.
        cost: a quantity, such as "transfer.node", in ns. role: "measured", "fitted", "assumed" …,
            to count the quantities of that role. One of the two.
    """

    profile: Text
    cost: str = ""
    role: str = ""

    @model_validator(mode="after")
    def _one(self) -> Profile:
        if bool(self.cost) == bool(self.role):
            raise ValueError("give either 'cost' or 'role'")
        return self

    def number(self) -> float:
        """The number.

        Raises:
            MachineError: there is no such machine or cost.
        """
        from locksim import machine as machines

        calibrated = of_dataset(self.profile) / "machine.toml"
        machine = machines.load(calibrated if calibrated.is_file() else self.profile)
        if self.role:
            return float(sum(one.role == self.role for one in machine.parameters()))
        costs = machine.cost_ps()
        if self.cost not in costs:
            hint = did_you_mean(self.cost, [*costs])
            raise machines.MachineError(f"{self.profile} has no cost '{self.cost}'; {hint}")
        return costs[self.cost] / 1000
