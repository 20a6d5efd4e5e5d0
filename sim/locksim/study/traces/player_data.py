"""The player's data of a trace, ready for JSON.

A trace's rows are columns of numbers; names, places and kinds are lists that the numbers index.
Times are picoseconds. The player computes everything that it shows from these rows, the spans and
the transfers, so the page and the Python API agree.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from locksim.core.faults import file_name
from locksim.engine.trace import EVICTED, MARK
from locksim.study.traces.frames import WITH_WORD, what_name

if TYPE_CHECKING:
    from locksim.study.traces.trace import Trace

_Key = TypeVar("_Key", bound=Hashable)


class _Numbers(Generic[_Key]):
    """Numbers for keys, in the order of their first use."""

    def __init__(self) -> None:
        self.of: dict[_Key, int] = {}

    def __call__(self, key: _Key) -> int:
        return self.of.setdefault(key, len(self.of))


def of_trace(trace: Trace) -> dict[str, Any]:
    """A trace for the player."""
    words, whats, lines = _Numbers[int](), _Numbers[int](), _Numbers[int]()
    lock_of = trace.memory.lock_of
    rows: dict[str, list[int]] = {
        key: [] for key in ("time", "agent", "what", "word", "value", "place", "lock")
    }
    for (time, agent, what, address, value), place in zip(
        trace.rows.tolist(), trace.origins[:, 0].tolist(), strict=True
    ):
        is_mark = what > MARK and 0 <= address < len(lock_of)
        rows["time"].append(time)
        rows["agent"].append(agent)
        rows["what"].append(whats(what))
        rows["word"].append(words(address) if what in WITH_WORD else -1)
        rows["value"].append(value)
        rows["place"].append(place)
        rows["lock"].append(int(lock_of[address]) - 1 if is_mark else -1)
    transfers = [
        {
            "row": t.row,
            "line": lines(t.line),
            "cpu": t.cpu,
            "buffered": t.buffered,
            "kind": t.kind,
            "supplier": -1 if t.supplier is None else t.supplier,
            "losers": t.losers,
            "sharers": t.sharers,
            "asked": t.asked_ps,
            "served": t.served_ps,
            "ready": t.ready_ps,
            "place": t.place,
        }
        for t in trace.transfers
    ]
    evictions = [
        {"row": k, "line": lines(line), "cpu": agent >> 1, "back": bool(back)}
        for k, (_, agent, what, line, back) in enumerate(trace.rows.tolist())
        if what == EVICTED
    ]
    spans = [
        {
            "cpu": a.cpu,
            "lock": a.lock,
            "mode": a.mode,
            "start": a.start_ps,
            "acquired": a.acquired_ps,
            "released": a.released_ps,
            "end": a.end_ps,
        }
        for a in trace.attribution.acquisitions
        if not a.failed
    ]
    return {
        "kind": "trace",
        "version": 1,
        "title": trace.title,
        "cpus": trace.tables.n_cpus,
        "locks": trace.locks,
        "lines": [{"name": trace.line(line)} for line in lines.of],
        "words": [trace.word(address) for address in words.of],
        "whats": [what_name(what) for what in whats.of],
        "places": [
            {"file": file_name(place.file), "line": place.line, "source": trace.source(k)}
            for k, place in enumerate(trace.result.places)
        ],
        "rows": rows,
        "transfers": transfers,
        "evictions": evictions,
        "spans": spans,
    }
