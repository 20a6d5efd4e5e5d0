"""A table of lock statistics from any source: a simulation, real cores, a kernel's text.

Shares are fractions, times are nanoseconds; None is a value that the source lacks. A value read
from text is known to half its last digit, which :attr:`LockRow.half` keeps, so that sums over a
table allow for rounding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["spin", "read", "write"]
Per = Literal["lock", "thread", "cgroup"]


@dataclass(frozen=True, slots=True)
class LockRow:
    """A lock, one side of a reader-writer lock, or one caller's part of either.

    Arguments:
        name: of the lock; if the source lacks it, of the place that takes it.
        kind: ``spin`` (one side only), ``read`` or ``write``. caller: empty for all callers.
        util: share of the window in which it was held; per_second: TOT/SEC if it is printed.
        con: share of attempts that had to wait.
        hold_ns, hold_max_ns: mean and longest hold.
        wait_ns, wait_max_ns: of those that waited; klockstat has them of all. cpu_share: of all
            CPUs' time, spent waiting.
        total: attempts, rejected tries included. nowait, spin, reject: shares of it.
        readers_max: most readers at once. busy_ns, busy_max_ns: reader busy periods.
        wait_ww_ns, wait_ww_max_ns, spin_ww: writers that waited for a writer; ``spin`` is then the
            share that waited for readers.
        contended, wait_total_ns, hold_total_ns: if a source prints them instead of shares.
        wait_min_ns, hold_min_ns: the shortest that was not 0.
        contended_bounces, acquired_bounces: those whose lock was last used on another CPU.
        owner_changes: acquisitions by another thread than the last.
        records, loads, stores: samples of a cache line. hitm_local, hitm_remote, peer: loads that
            found it in another CPU's cache, modified, in the same node or another, or as Arm says.
        type: the source's word for the kind, such as ``rwsem:R``. address: of the lock, where the
            source has a symbol beside it.
        half: for each value, half the unit of its last printed digit; missing: exact.
    """

    name: str
    kind: Kind = "spin"
    caller: str = ""
    util: float | None = None
    per_second: float | None = None
    con: float | None = None
    hold_ns: float | None = None
    hold_max_ns: float | None = None
    wait_ns: float | None = None
    wait_max_ns: float | None = None
    cpu_share: float | None = None
    total: float | None = None
    nowait: float | None = None
    spin: float | None = None
    reject: float | None = None
    readers_max: int | None = None
    busy_ns: float | None = None
    busy_max_ns: float | None = None
    wait_ww_ns: float | None = None
    wait_ww_max_ns: float | None = None
    spin_ww: float | None = None
    contended: float | None = None
    wait_total_ns: float | None = None
    hold_total_ns: float | None = None
    wait_min_ns: float | None = None
    hold_min_ns: float | None = None
    contended_bounces: float | None = None
    acquired_bounces: float | None = None
    owner_changes: float | None = None
    records: float | None = None
    loads: float | None = None
    stores: float | None = None
    hitm_local: float | None = None
    hitm_remote: float | None = None
    peer: float | None = None
    type: str = ""
    address: str = ""
    half: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def label(self) -> str:
        """The row's name in a sentence: ``tasklist_lock (read), from do_wait+0x160``."""
        side = "" if self.kind == "spin" else f" ({self.kind})"
        return f"{self.known_as}{side}" + (f", from {self.caller}" if self.caller else "")

    @property
    def known_as(self) -> str:
        """The name, after the address if the source has both: locks share a symbol."""
        return f"{self.address} {self.name}".lstrip()

    def low(self, name: str) -> float | None:
        """The lowest value before rounding."""
        value = getattr(self, name)
        return None if value is None else max(0.0, value - self.half.get(name, 0.0))

    def high(self, name: str) -> float | None:
        """The highest value before rounding."""
        value = getattr(self, name)
        return None if value is None else value + self.half.get(name, 0.0)

    def to_json(self) -> dict[str, Any]:
        """The row, without unknown values."""
        return {
            key: value
            for key, value in asdict(self).items()
            if key in ("name", "kind", "caller")
            or (key != "half" and value is not None and value != "")
        }


@dataclass(frozen=True)
class LockTable:
    """Lock statistics of one window.

    Arguments:
        source: ``simulated``, ``native``, or a format that is read, such as ``lock_stat``.
        rows: locks in order, the callers of each after it.
        cpus: of the machine, None where the source does not say.
        window_ns: length of the window, None likewise.
        system: the measured system, in the source's words. notes: warnings of the source.
        per: what a row is: a lock or a place of one, a thread, or a cgroup.
    """

    source: str
    rows: list[LockRow]
    cpus: int | None = None
    window_ns: float | None = None
    system: str = ""
    notes: list[str] = field(default_factory=list)
    per: Per = "lock"

    @property
    def locks(self) -> list[LockRow]:
        """The rows over all callers."""
        return [row for row in self.rows if not row.caller]

    def callers(self, lock: LockRow) -> list[LockRow]:
        """The rows of a lock's callers."""
        return [
            row
            for row in self.rows
            if row.caller and (row.name, row.kind) == (lock.name, lock.kind)
        ]

    def to_json(self) -> dict[str, Any]:
        """The stable schema of ``locklab report --json``, one table."""
        return {
            "source": self.source,
            "system": self.system,
            "cpus": self.cpus,
            "window_ns": self.window_ns,
            "notes": self.notes,
            "locks": [row.to_json() for row in self.rows],
        }


def of_meter(
    rows: Iterable[Mapping[str, Any]],
    *,
    source: str,
    cpus: int,
    window_ns: float | None,
    system: str = "",
    shared: Collection[str] = (),
) -> LockTable:
    """Table of a run's meters.

    Arguments:
        rows: the rows of ``Simulation.by_lock`` or ``locknative.meter_rows``: one for each lock and
            side. ``rejected`` and the reader and writer columns may be missing.
        source: ``simulated`` or ``native``.
        cpus: number of CPUs. window_ns: length of the measuring windows.
        shared: locks that have readers, besides those with a row for readers.
    """
    rows = list(rows)
    sided = {*shared, *(row["lock"] for row in rows if row["side"] == "read")}
    return LockTable(
        source,
        [_row(row, rows, row["lock"] in sided) for row in rows],
        cpus,
        window_ns,
        system,
    )


def _row(row: Mapping[str, Any], rows: list[Mapping[str, Any]], shared: bool) -> LockRow:
    kind: Kind = "spin" if not shared else "read" if row["side"] == "read" else "write"
    # The meters do not split failed tries by side, so a lock's first row has them.
    first = next(r for r in rows if r["lock"] == row["lock"]) is row
    rejected = (row.get("rejected") or 0) if first else 0
    attempts = (row["total"] + rejected) or 1  # a held lock may have none
    waited = row["con"] * row["total"] / attempts
    waited_ww = (row.get("con_ww") or 0.0) * row["total"] / attempts if kind == "write" else 0.0
    found: dict[str, Any] = {
        key: row[key]
        for key in ("util", "hold_ns", "hold_max_ns", "wait_ns", "wait_max_ns", "cpu_share")
    }
    if kind == "read":
        found |= {key: row.get(key) for key in ("readers_max", "busy_ns", "busy_max_ns")}
    if kind == "write":
        found |= {key: row.get(key) for key in ("wait_ww_ns", "wait_ww_max_ns")}
        found["spin_ww"] = waited_ww
    return LockRow(
        row["lock"],
        kind,
        con=waited + rejected / attempts,
        total=attempts,
        nowait=row["total"] * (1 - row["con"]) / attempts,
        spin=waited - waited_ww,
        reject=rejected / attempts,
        **found,
    )
