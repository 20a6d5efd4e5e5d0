"""Numbers of a lock report: of a row, what the row bounds, and what a twin of it predicts."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.lab.closed import Number, Text
from lockgrader.lab.placed import Placed

if TYPE_CHECKING:
    from locksim.study.reports.table import LockTable
    from locksim.study.twin.prediction import Prediction


class Report(Placed):
    """A number of a report that the lab gives.

    Arguments:
        report: the file, in the lab's folder. row: words of its name or address, as for
            ``locklab report twin --only``. cpus, window_s: of the measurement.
        of: "gain_percent" (throughput can grow by it at most, if the row's waits go away), "matter"
            (the rows that can bring 1 %), "held_s" (all holds of the row), "times" (the throughput
            after the change, over today's).
        machine, locks, lock, change: of the twin, as ``locklab report twin`` takes them. A change
            that leaves open who uses which lock has the band of both answers.
    """

    report: Text
    row: Text
    cpus: Annotated[int, Field(ge=1)] = 1
    window_s: Annotated[Number, Field(gt=0)] = 1.0
    of: Literal["gain_percent", "matter", "held_s", "times"]
    machine: Text = "ideal-64"
    locks: int = 1
    lock: str | None = None
    change: str = ""

    def number(self) -> float:
        """The number.

        Raises:
            ReportError: the file is no report. TwinError: it has no such row, or lacks something.
        """
        from locksim.study.reports.gain import bounds
        from locksim.study.twin.evidence import evidence_of, lock_rows

        if self.of == "times":
            return self.prediction().factor.value
        tables = self._tables(Path(self.report).read_text(encoding="utf-8"))
        if self.of == "matter":
            return sum(bool(one.can_matter) for table in tables for one in bounds(table))
        if self.of == "held_s":
            return sum(row.hold_total_ns or 0.0 for row in lock_rows(tables, self.row)[1]) / 1e9
        waiting = evidence_of(tables, self.row, self.lock).waiting
        return 100 * waiting / (1 - waiting)

    def prediction(self, own: str = "") -> Prediction:
        """What the change would do, by a twin.

        Arguments:
            own: the text of another report, of which the longest waits count; "": the lab's.

        Raises:
            ReportError, TwinError: as for :meth:`number`.
        """
        return _predicted(self, own)

    def _tables(self, text: str) -> list[LockTable]:
        from locksim.study.reports.detect import read_report

        lines = text.splitlines()
        return read_report(lines, cpus=self.cpus, window_ns=self.window_s * 1e9).tables


@functools.lru_cache(maxsize=64)
def _predicted(asked: Report, own: str) -> Prediction:
    """Fit and change the twin once for all checks that ask for it."""
    from locksim import machine as machines
    from locksim.study.twin import prediction
    from locksim.study.twin.evidence import evidence_of
    from locksim.study.twin.fit import fit
    from locksim.study.twin.load import Setting
    from locksim.study.twin.plan import Given, plan

    tables = asked._tables(own or Path(asked.report).read_text(encoding="utf-8"))
    evidence = (
        evidence_of(tables, None, None) if own else evidence_of(tables, asked.row, asked.lock)
    )
    how = plan(evidence, Given(locks=asked.locks))
    twin = fit(how, Setting(machines.load(asked.machine), cpus=evidence.cpus))
    after = prediction.predict(how, twin, [asked.change]).after
    bands = [one.factor for one in after]
    low, high = min(band.low for band in bands), max(band.high for band in bands)
    return dataclasses.replace(
        after[0], factor=dataclasses.replace(bands[0], low=low, high=high, effects=())
    )
