"""The coherence ledger on the terminal: the cost of an acquisition, the largest part first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from lockui import tables
from lockui.document import records

if TYPE_CHECKING:
    from locksim.study.traces import Ledger

__all__ = ["ledger_json", "print_ledger"]

MOST_ROWS = 20


def ledger_json(ledger: Ledger) -> dict[str, Any]:
    """Return the ledger for ``--json``; see ``locklab run``."""
    return {
        "acquisitions": len(ledger.warm()),
        "transfers_per_acquisition": ledger.per_acquisition(),
        "rows": records(ledger.table()),
    }


def print_ledger(output: Console, ledger: Ledger) -> None:
    """Print a row for each word, phase and source line, below their sums."""
    counted = Counter((ledger.trace.locks[a.lock], a.mode) for a in ledger.warm())
    output.print()
    if not counted:
        output.print("  [bold]ledger[/bold]: no lock was taken twice within the trace")
        return
    output.print("[bold]ledger[/bold]: mean line transfers per acquisition")
    for lock in dict.fromkeys(lock for lock, _ in counted):
        number = sum(n for (name, _), n in counted.items() if name == lock)
        own, all_ = ledger.per_acquisition(lock=lock), ledger.per_completion(lock)
        text = f"  {lock}: {number:,} acquisitions, {tables.digits(own)} line transfers each"
        output.print(f"{text}; with those of waiters {tables.digits(all_)}", markup=False)
    view = tables.table()
    tables.add(view, "phase")
    tables.add(view, "word", fold=True)
    tables.add(view, "transfer")
    for head in ("number", "queue", "move", "cost"):
        tables.add(view, head, right=True)
    tables.add(view, "by")
    sources: dict[str, int] = {}
    rows = records(ledger.table())
    for row in rows[:MOST_ROWS]:
        source = f"{row['file']}:{row['line']}  {row['source']}"
        view.add_row(
            row["phase"],
            escape(row["word"]),
            row["kind"] + ("*" if row["buffered"] else ""),
            tables.digits(row["per_acquisition"]),
            *(tables.digits(row[key]) for key in ("queue_ns", "transfer_ns", "cost_ns")),
            f"({sources.setdefault(source, len(sources) + 1)})",
        )
    tables.print_table(output, view)
    output.print()
    for source, number in sources.items():
        text = f"  ({number}) {source}"
        output.print(text, markup=False, no_wrap=True, overflow="ellipsis")
    output.print()
    if len(rows) > MOST_ROWS:
        output.print(f"  … and {len(rows) - MOST_ROWS} rows of lower cost")
    output.print("  number: line transfers per acquisition. queue, move: ns per transfer.")
    output.print("  cost: both, in ns per acquisition. *: a buffered store; its CPU does not wait.")
