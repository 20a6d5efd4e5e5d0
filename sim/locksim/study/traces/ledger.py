"""The coherence ledger: the line transfers of each acquisition, by line and by source line.

It answers "why is it slow?". A lock costs the transfers of its lines, and each transfer stands here
with the operation that requested it. Every transfer of the trace is booked once, so the ledger's
sums are the run's counters. Averages cover the complete acquisitions, without each CPU's first one,
which pays for cold caches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locksim.engine.counters import CPU_COUNTERS
from locksim.study.traces.acquisitions import NOTHING, PHASES, Acquisition
from locksim.study.traces.transfers import Transfer

if TYPE_CHECKING:
    import pandas as pd

    from locksim.study.traces.trace import Trace

COLD = 1
"""First acquisitions of each CPU and lock that averages leave out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A transfer with its acquisition and phase, None and "" outside acquisitions."""

    transfer: Transfer
    acquisition: Acquisition | None
    phase: str


class Ledger:
    """All transfers of a trace, each booked to an acquisition or to none.

    Arguments:
        trace: the trace.

    Attributes:
        entries: one for each request that was served, in order of service.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        found = trace.attribution
        self.entries: list[Entry] = []
        for transfer in trace.transfers:
            number = found.of_row[transfer.issued]
            phase = found.phase_of_row[transfer.issued]
            inside = number != NOTHING
            self.entries.append(
                Entry(
                    transfer,
                    found.acquisitions[number] if inside else None,
                    PHASES[phase] if inside else "",
                )
            )

    def counters(self) -> list[dict[str, int]]:
        """For each CPU the expected counters of the run: transfers by class, times, losses."""
        wanted = CPU_COUNTERS[CPU_COUNTERS.index("upgrades") :]
        sums = [dict.fromkeys(wanted, 0) for _ in range(self.trace.tables.n_cpus)]
        for entry in self.entries:
            transfer = entry.transfer
            if transfer.kind != "none":
                sums[transfer.cpu][transfer.counter] += 1
            sums[transfer.cpu]["queue_ps"] += transfer.queue_ps
            sums[transfer.cpu]["miss_ps"] += transfer.miss_ps
            for loser in transfer.losers:
                sums[loser]["invalidated"] += 1
        return sums

    def warm(self) -> list[Acquisition]:
        """The acquisitions that averages cover."""
        seen: Counter[tuple[int, int]] = Counter()
        found = []
        for a in self.trace.attribution.acquisitions:
            if a.complete:
                seen[a.cpu, a.lock] += 1
                if seen[a.cpu, a.lock] > COLD:
                    found.append(a)
        return found

    def per_acquisition(
        self, *, lock: str | None = None, phases: tuple[str, ...] = PHASES
    ) -> float:
        """Mean number of transfers in an acquisition.

        Arguments:
            lock: name of the lock; None: all together. phases: the phases to count, of PHASES.

        Returns:
            The mean, NaN if no acquisition is complete.
        """
        chosen = {a.number for a in self.warm() if lock in (None, self.trace.locks[a.lock])}
        booked = sum(
            entry.phase in phases
            for entry in self.entries
            if entry.acquisition is not None
            and entry.acquisition.number in chosen
            and entry.transfer.kind != "none"
        )
        return booked / len(chosen) if chosen else float("nan")

    def per_completion(self, lock: str) -> float:
        """All transfers for a lock, per finished acquisition.

        Transfers of CPUs that wait to the end of the trace and of cold caches are included. If a
        lock starves a CPU, this is far more than :meth:`per_acquisition`, the cost of successful
        acquisitions.

        Arguments:
            lock: its name.

        Returns:
            The mean, NaN if no acquisition is complete.
        """
        number = self.trace.locks.index(lock)
        mine = [a for a in self.trace.attribution.acquisitions if a.lock == number]
        booked = sum(
            entry.acquisition is not None
            and entry.acquisition.lock == number
            and entry.transfer.kind != "none"
            for entry in self.entries
        )
        complete = sum(a.complete for a in mine)
        return booked / complete if complete else float("nan")

    def acquisitions(self) -> pd.DataFrame:
        """One row for each acquisition: times in ns, transfers and their cost to its CPU."""
        import pandas as pd

        count: Counter[int] = Counter()
        lost_ps: Counter[int] = Counter()
        for entry in self.entries:
            if entry.acquisition is not None:
                count[entry.acquisition.number] += entry.transfer.kind != "none"
                lost_ps[entry.acquisition.number] += entry.transfer.miss_ps
        return pd.DataFrame(
            [
                {
                    "acquisition": a.number,
                    "lock": self.trace.locks[a.lock],
                    "mode": a.mode,
                    "cpu": a.cpu,
                    "start_ns": a.start_ps / 1e3,
                    "wait_ns": _between(a.start_ps, a.acquired_ps),
                    "hold_ns": _between(a.acquired_ps, a.released_ps),
                    "transfers": count[a.number],
                    "transfer_ns": lost_ps[a.number] / 1e3,
                    "complete": a.complete,
                }
                for a in self.trace.attribution.acquisitions
            ]
        )

    def table(self) -> pd.DataFrame:
        """Costs by lock, mode, phase, word, source line and kind of transfer, largest first.

        Columns: ``per_acquisition`` (transfers, mean), ``queue_ns`` (mean wait for the line),
        ``transfer_ns`` (mean from service to arrival), ``cost_ns`` (both, per acquisition).
        ``buffered`` marks buffered stores, which cost their CPU nothing directly.
        """
        import pandas as pd

        acquisitions = self.warm()
        warm = {a.number for a in acquisitions}
        totals = Counter((a.lock, a.mode) for a in acquisitions)
        groups: defaultdict[tuple[Any, ...], list[Transfer]] = defaultdict(list)
        for entry in self.entries:
            a, transfer = entry.acquisition, entry.transfer
            if a is None or a.number not in warm or transfer.kind == "none":
                continue
            key = (a.lock, a.mode, entry.phase, self._word(transfer), transfer.place)
            groups[*key, transfer.kind, transfer.buffered].append(transfer)
        rows = []
        for (lock, mode, phase, word, place, kind, buffered), booked in groups.items():
            where, total = self.trace.place(place), totals[lock, mode]
            queue_ps = sum(transfer.queue_ps for transfer in booked)
            miss_ps = sum(transfer.miss_ps for transfer in booked)
            rows.append(
                {
                    "lock": self.trace.locks[lock],
                    "mode": mode,
                    "phase": phase,
                    "word": word,
                    "kind": kind,
                    "buffered": buffered,
                    "per_acquisition": len(booked) / total,
                    "queue_ns": queue_ps / len(booked) / 1e3,
                    "transfer_ns": (miss_ps - queue_ps) / len(booked) / 1e3,
                    "cost_ns": miss_ps / total / 1e3,
                    "file": Path(where.file).name,
                    "line": where.line,
                    "method": where.method,
                    "source": self.trace.source(place),
                }
            )
        rows.sort(key=lambda row: -row["cost_ns"])
        return pd.DataFrame(rows)

    def _word(self, transfer: Transfer) -> str:
        """The word of a transfer, without the number of an element or object."""
        if transfer.effect == NOTHING:
            return self.trace.line(transfer.line)
        return _any_element(self.trace.word(int(self.trace.rows[transfer.effect, 3])))


def _between(start_ps: int, end_ps: int) -> float:
    return float("nan") if NOTHING in (start_ps, end_ps) else (end_ps - start_ps) / 1e3


def _any_element(name: str) -> str:
    """``nodes[3].next`` and ``nodes[5].next`` as one: ``nodes[·].next``; ``Node@7`` as ``Node``."""
    parts = []
    for part in name.split("."):
        head, bracket, _ = part.partition("[")
        parts.append(f"{head}[·]" if bracket else head.partition("@")[0])
    return ".".join(parts)
