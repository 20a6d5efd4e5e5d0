"""Waiting times of a user: first result, overhead of later calls, and memory.

Each value comes from new interpreters, in wall time; cold ones find an empty numba cache.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from row import Row, spread

CHILD = Path(__file__).with_name("fresh.py")
COLD_AIM_S, WARM_AIM_S, LATER_AIM_MS, MEMORY_AIM_MB = 10.0, 3.0, 50.0, 300.0


def first_calls(quick: bool = False) -> Iterator[Row]:
    """Measure first calls with a cold and a warm cache, later calls, peak memory at 1024 CPUs."""
    cold, warm = [], []
    with tempfile.TemporaryDirectory() as parent:
        for i in range(1 if quick else 3):
            cold.append(_fresh(8, Path(parent, str(i))))
        for _ in range(3 if quick else 7):
            warm.append(_fresh(8, Path(parent, "0")))
        large = [_fresh(1024, Path(parent, "0")) for _ in range(1 if quick else 3)]
        large_cold = [_fresh(1024, Path(parent, "large"))]
    for name, runs, aim in (("cold", cold, COLD_AIM_S), ("warm", warm, WARM_AIM_S)):
        yield Row(
            "first call",
            f"first simulate() with imports, {name} cache",
            "",
            *spread([run["total_s"] for run in runs]),
            "s",
            aim,
            "<=",
            {k: statistics.median(run[k] for run in runs) for k in ("imports_s", "first_call_s")},
        )
    yield Row(
        "later calls",
        "simulate() of 8 CPUs, 5 replications, without the event loop",
        "",
        *spread([overhead * 1e3 for run in warm for overhead in run["overheads_s"]]),
        "ms",
        LATER_AIM_MS,
    )
    for name, runs in (("warm", large), ("cold", large_cold)):
        yield Row(
            "memory",
            f"1024 CPUs, fresh process, {name} cache: peak resident size",
            "",
            *spread([run["peak_bytes"] / 1e6 for run in runs]),
            "MB",
            MEMORY_AIM_MB,
        )


def _fresh(cpus: int, cache: Path) -> dict[str, Any]:
    """Run the child with its compiled code in ``cache``."""
    cache.mkdir(exist_ok=True)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, str(CHILD), str(cpus)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{CHILD.name} {cpus} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
