"""One quantity of a machine profile: a cost with its unit, its source and its role.

A quantity is absolute (``value`` and ``unit``) or relative (``of`` another quantity, ``times`` a
fraction). Relative quantities follow when a fit moves the quantity that they refer to, so a machine
whose distances are known only as ratios has one free parameter and not one for each distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from locksim.machine.errors import Refusal

Role = Literal["published", "measured", "fitted", "derived", "assumed"]
Unit = Literal["ns", "ps", "cycles"]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

PS_PER_NS = 1_000
MAX_COST_PS = 1_000_000_000_000
"""One second: no memory operation of any machine takes longer, so a larger quantity is a slip."""


@dataclass(frozen=True)
class Parameter:
    """One quantity as it is reported: its dotted name, its value in ``unit``, source and role.

    A reproduction's own quantities may be an ``input``: taken from a cell of the table itself.
    ``low`` and ``high`` are a measured or fitted quantity's 95 % interval, or the range in which an
    assumed one may lie. ``trials`` is what a measured one rests on, and ``spread`` the share of the
    value by which each single one differs at most.
    """

    name: str
    value: float
    unit: str
    source: str
    role: Role | Literal["input"]
    low: float | None = None
    high: float | None = None
    trials: int | None = None
    spread: float | None = None


class Quantity(BaseModel):
    """A cost as a profile states it (a table such as ``[cost.transfer.node]``).

    ``low`` to ``high`` is the 95 % interval of a quantity that was measured or fitted, and the
    range in which an assumed one may lie: in ``unit``, or, of a relative quantity, as ``times`` is.
    A measured one may say the number of ``trials`` that it rests on. A line hold time may have a
    ``spread``: each one is drawn from ``value`` x (1 - ``spread``) to ``value`` x (1 + ``spread``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    value: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    unit: Unit | None = None
    of: Text | None = None
    times: Text | None = None
    source: Text
    role: Role
    low: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    high: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    trials: Annotated[int, Field(ge=1)] | None = None
    spread: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _absolute_or_relative(self) -> Quantity:
        relative = self.of is not None or self.times is not None
        if relative and (self.value is not None or self.unit is not None):
            raise Refusal("", "both value/unit and of/times; keep one of the two pairs")
        if relative:
            if self.of is None or self.times is None:
                missing = "of" if self.of is None else "times"
                raise Refusal(missing, "missing; a relative quantity needs both 'of' and 'times'")
            if self.role not in ("derived", "assumed"):
                raise Refusal(
                    "role", f"'{self.role}' on a relative quantity; use 'derived' or 'assumed'"
                )
            self._fraction()
        elif self.value is None:
            raise Refusal("value", "missing; add a number, such as value = 1.3")
        elif self.unit is None:
            raise Refusal("unit", "missing; add unit = 'ns', 'ps' or 'cycles'")
        self._check_interval()
        return self

    def _check_interval(self) -> None:
        if (self.low is None) != (self.high is None):
            raise Refusal("low", "'low' and 'high' go together; give both or neither")
        if self.low is None or self.high is None:
            return
        name, value = ("value", self.value) if self.of is None else ("times", self._fraction())
        if value is None or not self.low <= value <= self.high:
            raise Refusal("low", f"the interval {self.low} to {self.high} must contain '{name}'")

    def _fraction(self) -> Fraction:
        try:
            times = Fraction(self.times or "")
        except (ValueError, ZeroDivisionError):
            times = Fraction(0)
        if times <= 0:
            raise Refusal(
                "times", f"'{self.times}' is not a positive fraction; write one such as '10/15'"
            )
        return times

    def picoseconds(self, clock_ghz: float | None, base_ps: int | None = None) -> int:
        """Return the quantity in whole picoseconds, rounded to the nearest.

        ``clock_ghz`` is needed for a quantity in cycles; ``base_ps``, the cost (ps) that ``of``
        names, for a relative one.

        Raises:
            ValueError: what the conversion needs was not given.
        """
        if self.of is not None:
            if base_ps is None:
                raise ValueError(f"a quantity relative to '{self.of}' needs a cost for '{self.of}'")
            return round(base_ps * self._fraction())
        value = self.value or 0.0
        if self.unit == "ps":
            return round(value)
        if self.unit == "ns":
            return round(value * PS_PER_NS)
        if clock_ghz is None:
            raise ValueError("a quantity in cycles needs the clock")
        return round(value * PS_PER_NS / clock_ghz)
