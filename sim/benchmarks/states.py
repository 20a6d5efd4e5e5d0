"""The tables of states and seconds in docs/evidence/states.md.

    python sim/benchmarks/states.py            print the tables
    python sim/benchmarks/states.py --write    put them into docs/evidence/states.md

The first table has every lock, under each model that it claims. Two threads do two rounds, three
threads one. A cell has the states of all test clients of the lock together and the time of their
exploration: the best of some runs in this process, beside any other load of the machine.
``sim/tests/checker/test_locks.py`` checks the states. The second table has some larger locks, with
and without reduction. The third has decision caches, directory caches and schedulers: two threads
(for a scheduler: CPUs), one round. The fourth has the ticket lock for any number of rounds, with
and without symmetry. The fifth has six locks and caches with 2 to 5 threads and one round: each
cell is a command of its own, whose memory and processor time the system counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track

from locksim.checker import Budget, Verdict, check_lock
from locksim.checker.models.layout import POOL
from locksim.checker.search import compiled as _compiled  # noqa: F401  # for small checks, too
from locksim.checker.verdict import UNBOUNDED
from locksim.kinds.checking import checked_bases
from locksim.library.registry import Entry, entries, resolve

PAGE = Path(__file__).parents[2] / "docs/evidence/states.md"
BEGIN, END = "<!-- made by sim/benchmarks/states.py --write: {} -->", "<!-- end of {} -->"

MEMORY = ("sc", "tso", "c11")
SIZES = {2: 2, 3: 1}
"""Threads → rounds."""
BUDGET = Budget(buffer_entries=16, history=POOL)
RUNS, SHORT = 3, 2.0
"""Runs of a cell, and the seconds above which one run is enough."""

LARGER = [
    ("mcs", "sc", 3, 3),
    ("mcs", "tso", 3, 3),
    ("mcs", "tso", 4, 1),
    ("mcs", "c11", 3, 2),
    ("clh", "tso", 3, 2),
    ("ticket", "tso", 4, 2),
    ("qspinlock", "tso", 4, 1),
    ("lockref", "tso", 3, 2),
    ("rwlock", "tso", 4, 2),
    ("rcu", "tso", 3, 1),
    ("rcu", "c11", 2, 2),
    ("rcu", "c11", 3, 1),
]
"""Lock, memory model, threads, rounds."""

OTHERS = [
    *["decisions_spinlock", "avc_spinlock", "avc_2_4", "avc_rwlock", "avc_rcu", "avc_of", "cipso"],
    *["dcache_seqwriter", "dcache_seqwriter_queued", "dcache_seqrwlock", "dcache_seqretry"],
    *["percpu_queues", "linux_2_4"],
]
"""Caches and schedulers of the third table."""
REFUTED = {("linux_2_4", "tso"), ("linux_2_4", "c11")}
"""What the page explains."""

BY_THREADS = ("ticket", "mcs", "rwlock", "seqrwlock", "avc_rcu", "cipso")
"""Locks and caches of the fifth table."""
ENOUGH = ["--max-states", "200000000", "--max-time", "10min", "--max-memory", "2384MiB"]
"""Where a cell of the fifth table ends."""

_Row = TypeVar("_Row")
Cell = tuple[str, str, int]
"""Lock, memory model, threads."""


def main() -> int:
    """Measure every cell, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--write", action="store_true", help="write them into docs/evidence/states.md"
    )
    parser.add_argument("tables", nargs="*", help="; ".join(TABLES) + "; by default all")
    asked = parser.parse_args()
    for name in asked.tables or sorted(TABLES, key=lambda name: name != "threads"):
        if name != "threads":
            # The first check in a process loads compiled code, or compiles it. A child's memory
            # counts from its parent's, so the table of commands comes before that.
            check_lock(locks()[0].struct, threads=2)
        table = TABLES[name]()
        if not asked.write:
            print(f"{table}\n")
            continue
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN.format(name))
        _, _, after = rest.partition(END.format(name))
        made = f"{BEGIN.format(name)}\n{table}\n{END.format(name)}"
        PAGE.write_text(f"{before}{made}{after}", encoding="utf-8")
    return 0


def locks() -> list[Entry]:
    """The locks of the library that have test clients."""
    return [e for e in entries() if e.kind == "lock" and issubclass(e.struct, checked_bases())]


def published() -> dict[Cell, int]:
    """The states in the page's table."""
    text = PAGE.read_text(encoding="utf-8")
    text = text.partition(BEGIN.format("locks"))[2].partition(END.format("locks"))[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.strip().splitlines()]
    columns = [tuple(head.removesuffix(" threads").split(", ")) for head in rows[0][1:]]
    return {
        (row[0], memory, int(threads)): int(cell.split(" · ")[0].replace(",", ""))
        for row in rows[2:]
        for (memory, threads), cell in zip(columns, row[1:], strict=True)
        if " · " in cell
    }


def every_lock() -> str:
    """The first table, as Markdown."""
    columns = [(memory, threads) for memory in MEMORY for threads in SIZES]
    heads = ["lock", *(f"{memory}, {threads} threads" for memory, threads in columns)]
    lines = [_line(heads), "|---|" + "---:|" * len(columns)]
    for entry in _tracked(locks()):
        cells = [
            _cell(entry, memory, threads, SIZES[threads])
            if memory in entry.struct.MODELS
            else "not claimed"
            for memory, threads in columns
        ]
        lines.append(_line([entry.name, *cells]))
    return "\n".join(lines)


def larger() -> str:
    """The second table, as Markdown."""
    heads = ["lock", "memory", "threads", "rounds", "with reduction", "without"]
    lines = [_line(heads), "|---|---|---:|---:|---:|---:|"]
    for name, memory, threads, rounds in _tracked(LARGER):
        entry = next(e for e in locks() if e.name == name)
        cells = [_cell(entry, memory, threads, rounds, reduction=r) for r in (True, False)]
        lines.append(_line([name, memory, str(threads), str(rounds), *cells]))
    return "\n".join(lines)


def others() -> str:
    """The third table, as Markdown."""
    lines = [_line(["cache or scheduler", *MEMORY]), "|---|" + "---:|" * len(MEMORY)]
    for name in _tracked(OTHERS):
        cells = [_cell(resolve(name), memory, 2, 1) for memory in MEMORY]
        lines.append(_line([name, *cells]))
    return "\n".join(lines)


def growth() -> str:
    """The fourth table, as Markdown."""
    entry = next(e for e in locks() if e.name == "ticket")
    asked: dict[str, Any] = {"rounds": UNBOUNDED, "client": "acquire and count up"}
    heads = [
        "threads",
        *(f"{memory}, {how}" for memory in MEMORY[:2] for how in ("symmetry", "no symmetry")),
    ]
    lines = [_line(heads), "|---|" + "---:|" * 4]
    for threads in _tracked(range(3, 8)):
        cells = [
            _cell(entry, memory, threads, **asked, symmetry=symmetry)
            for memory in MEMORY[:2]
            for symmetry in (True, False)
        ]
        lines.append(_line([str(threads), *cells]))
    return "\n".join(lines)


def by_threads() -> str:
    """The fifth table, as Markdown; after a cell that is not finished a row ends."""
    heads = ["lock or cache", "memory", *(f"{threads} threads" for threads in range(2, 6))]
    lines = [_line(heads), "|---|---|" + "---:|" * 4]
    for name, memory in _tracked([(name, memory) for name in BY_THREADS for memory in MEMORY]):
        cells: list[str] = []
        while len(cells) < 4 and not any("unfinished" in cell for cell in cells):
            cells.append(_command(name, memory, 2 + len(cells)))
        lines.append(_line([name, memory, *cells, *([""] * (4 - len(cells)))]))
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def _command(name: str, memory: str, threads: int) -> str:
    """States, the largest memory and the processor seconds of one ``locklab check``."""
    asked = ["check", name, "--memory", memory, "--threads", str(threads), "--json", *ENOUGH]
    locklab = [sys.executable, "-m", "locklab", *asked]
    with subprocess.Popen(locklab, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        found = json.loads(child.stdout.read())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    size, seconds = usage.ru_maxrss * 1024 / 1e6, usage.ru_utime + usage.ru_stime
    verdict = "" if found["verdict"].startswith("proven") else f"{found['verdict']}: "
    return f"{verdict}{found['states']:,} · {size:,.0f} MB · {seconds:.1f} s"


def _cell(entry: Entry, memory: str, threads: int, rounds: int, **asked: Any) -> str:
    def checked() -> Verdict:
        return check_lock(
            entry.struct, threads=threads, rounds=rounds, memory=memory, budget=BUDGET, **asked
        )

    runs = [checked()]
    while len(runs) < RUNS and runs[0].seconds < SHORT:
        runs.append(checked())
    verdict = runs[0]
    states, best = f"{verdict.states:,}", min(run.seconds for run in runs)
    if verdict.verdict == "unfinished":
        return f"not finished: {states} states to depth {verdict.depth}"
    if verdict.verdict == "violated" and (entry.name, memory) in REFUTED:
        return f"{verdict.found} (below)"
    if not verdict.is_proof():
        raise SystemExit(f"{entry.name}, {memory}, {threads} threads: {verdict}")
    return f"{states} · {best:.1f} s" if best >= 1 else f"{states} · {1000 * best:.1f} ms"


def _tracked(rows: Sequence[_Row]) -> Iterable[_Row]:
    return track(rows, "exploring", console=Console(stderr=True))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


TABLES = {
    "locks": every_lock,
    "larger": larger,
    "others": others,
    "growth": growth,
    "threads": by_threads,
}
"""Name in the page → how it is made."""


if __name__ == "__main__":
    sys.exit(main())
