"""The parts of docs/evidence/grading.md that scripts write, each between comments with its name."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from pathlib import Path

__all__ = ["PAGE", "machine", "table", "write"]

PAGE = Path(__file__).resolve().parents[2] / "docs/evidence/grading.md"


def write(name: str, text: str) -> None:
    """Put a text between the comments of a part.

    Raises:
        ValueError: the page has no such part.
    """
    page = PAGE.read_text()
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{PAGE.name} has no part between {begin} and {end}")
    PAGE.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def machine() -> str:
    """Where and when, in a sentence."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    load = os.getloadavg()[0]
    cpus = len(os.sched_getaffinity(0))
    return f"{cpus} CPUs ({cpu}), load {load:.1f} at the end, {day}."
