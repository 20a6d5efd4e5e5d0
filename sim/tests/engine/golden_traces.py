"""Golden traces: what every lock and cache did on the tiny machine, as hashes in a text file.

An accidental change of the physics, of a lock or of the random streams changes a hash. After a
change on purpose, look at what changed and why, then write the file anew (in the root):

    PYTHONPATH=sim/tests .venv/bin/python -m engine.golden_traces
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from tiny_machine import tables

from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.kinds import kind_of
from locksim.lang import Workload
from locksim.library import registry

FILE = Path(__file__).with_name("golden_traces.txt")
CPUS, SEED, THINK_PS, UNTIL_PS = 4, 1, 2_000, 100_000
SETTINGS = {"jitter_ps": 30, "tenure_ps": 10, "shared_read_ps": 40}


def current() -> dict[str, str]:
    """Lines of the file as they would be now: entry and workload → rows and hash."""
    return {
        f"{entry.name} {type(workload).__name__}": golden(workload)
        for entry in registry.entries()
        for workload in kind_of(entry.struct).test_loads(entry.struct, THINK_PS)
    }


def stored() -> dict[str, str]:
    """The lines of the file."""
    pairs = (line.split(": ") for line in FILE.read_text(encoding="utf-8").splitlines())
    return dict(pair for pair in pairs if len(pair) == 2)


def golden(workload: Workload) -> str:
    """Number of rows and hash (SHA-256, its first half) of a workload's trace."""
    machine = tables(CPUS, **SETTINGS)
    image, memory = prepare(workload, machine, heap_lines=512)
    result = fast.run(image, memory, machine, seed=SEED, until_ps=UNTIL_PS, trace=True, jump=False)
    assert result.trace is not None
    text = np.ascontiguousarray(result.trace, "<i8").tobytes()
    return f"{len(result.trace)} rows {hashlib.sha256(text).hexdigest()[:32]}"


if __name__ == "__main__":
    lines = [f"{name}: {what}\n" for name, what in current().items()]
    FILE.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} traces written to {FILE}")
