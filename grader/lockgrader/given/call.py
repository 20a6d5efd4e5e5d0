"""A call of a student's function: what it gets, and what is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, model_validator

from lockgrader.given.label_curve import LabelCurve
from lockgrader.given.lock_trace import LockTrace
from lockgrader.given.published import Rows
from lockgrader.lab.closed import Closed, Number
from lockgrader.lab.expected import Cell, Formula
from lockgrader.lab.trials import Trials


class Call(Closed):
    """What a function gets, from one source, and what is right.

    Arguments:
        trace: the events of a lock. trials: of a measured machine.
        tables: name → rows; several rows of tables stand one behind the other.
        plain: name → value. numbers: name → what is right. wanted: the right rows.
    """

    trace: LockTrace | None = None
    trials: Trials | None = None
    tables: dict[str, Rows | tuple[Rows, ...] | LabelCurve] = Field(default_factory=dict)
    plain: dict[str, int | float | str] = Field(default_factory=dict)
    numbers: dict[str, Number | Cell | Formula] = Field(default_factory=dict)
    wanted: Rows | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Call:
        if sum(map(bool, (self.trace, self.trials, self.numbers, self.wanted))) != 1:
            raise ValueError(
                "say in exactly one way what is right: give trace, trials, numbers or wanted"
            )
        if (self.trace or self.trials) and (self.tables or self.plain):
            extra = " and ".join(f"'{k}'" for k in ("tables", "plain") if getattr(self, k))
            raise ValueError(
                f"with a trace or with trials the function gets no other arguments: remove {extra}"
            )
        return self

    def given(self) -> dict[str, Any]:
        """The arguments by name.

        Raises:
            LabError: there is no such table.
        """
        from lockgrader.given.lock_trace import traced

        if self.trials is not None:
            return {"trials": self.trials.rows()}
        if self.trace is None:
            return {**{name: _rows(asked) for name, asked in self.tables.items()}, **self.plain}
        made = traced(self.trace)._asdict()
        return {**made, "events": [event._asdict() for event in made["events"]]}

    def right_numbers(self, columns: Sequence[str], ignore: Sequence[str]) -> dict[str, float]:
        """The right numbers by name.

        Arguments:
            columns: which count, of a trace or of trials. ignore: keys of ``wanted`` that need not
                be in a row.

        Raises:
            LabError: there is no such table.
        """
        from lockgrader.given.lock_trace import lockmeter, traced
        from lockgrader.given.published import number_of, published

        if self.trace is not None or self.trials is not None:
            right = self.trials.right() if self.trials else lockmeter(*traced(self.trace))
            return {name: right[name] for name in columns}
        if self.wanted is None:
            return {
                name: one.number() if isinstance(one, Cell) else number_of(one)
                for name, one in self.numbers.items()
            }
        return {self.row_name(r, ignore): float(r["value"]) for r in published(self.wanted)}

    def returns(self, columns: Sequence[str]) -> Any:
        """What a right function returns.

        Arguments:
            columns: which count, of a trace or of trials.

        Raises:
            LabError: there is no such table.
        """
        from lockgrader.given.published import published

        return self.right_numbers(columns, ()) if self.wanted is None else published(self.wanted)

    def row_name(self, row: dict[str, Any], ignore: Sequence[str]) -> str:
        """A row by its keys: those of the wanted table.

        Raises:
            KeyError: the row has not all of them.
        """
        from lockgrader.given.published import published

        assert self.wanted is not None
        keys = [k for k in published(self.wanted)[0] if k not in ("value", *ignore)]
        return ", ".join(f"{key} {row[key]}" for key in keys)


def _rows(asked: Rows | tuple[Rows, ...] | LabelCurve) -> list[dict[str, Any]]:
    """The rows of a table."""
    from lockgrader.given.label_curve import label_curve
    from lockgrader.given.published import published

    if isinstance(asked, LabelCurve):
        return [point._asdict() for point in label_curve(asked)]
    several = asked if isinstance(asked, tuple) else (asked,)
    return [row for one in several for row in published(one)]
