"""Fuzz one target in this process until its processor time is up: started by ``run.py``.

Atheris may end its process at any time, and a finding ends it at once. So the counters are in a
small file that is mapped into memory and survives.
"""

from __future__ import annotations

import importlib
import mmap
import os
import struct
import sys
import time
from pathlib import Path

import atheris

INSTRUMENTED = ["lockgrader", "zipfile"]
"""Not the engines: numba would compile the instrumentation with them."""
COUNTERS = struct.Struct("=qqd")
"""Executions, accepted ones, seconds of processor time."""


def main() -> None:
    """Fuzz: arguments are the target, seconds, the file of counters, and libFuzzer's own."""
    name, seconds, counters = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])
    _plain_imports()
    importlib.import_module("locksim.study.simulation")  # and all that it needs, as it is
    importlib.import_module("locksim.checker")
    with atheris.instrument_imports(include=INSTRUMENTED):
        import mutate
        import targets

        from lockgrader.judging.evaluate import warm
    if name == "bytecode":
        warm()  # compiling the engines must not count for an input
    target = targets.TARGETS[name]
    mutator = mutate.mutate_zip if name == "archive" else mutate.mutate_json
    with open(counters, "r+b") as file:
        counters = mmap.mmap(file.fileno(), COUNTERS.size)
    began = time.process_time()
    runs = accepted = 0

    def test(data: bytes) -> None:
        nonlocal runs, accepted
        used = time.process_time() - began
        runs += 1
        COUNTERS.pack_into(counters, 0, runs, accepted, used)
        if used > seconds:
            os._exit(0)
        accepted += target.read(data)

    seeds = target.seeds()

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        # Every other one is an honest document with a few changes: what lies behind the door.
        data = seeds[seed // 2 % len(seeds)] if seed % 2 else data
        return mutator(data, most, seed, atheris.Mutate)

    atheris.Setup([sys.argv[0], *sys.argv[4:]], test, custom_mutator=mutated)
    atheris.Fuzz()


def _plain_imports() -> None:
    """Find our packages by their folders: the fuzzer does not see through an editable install."""
    sys.meta_path[:] = [one for one in sys.meta_path if "Redirecting" not in type(one).__name__]
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root / name) for name in ("grader", "labs", "sim", "datasets")]


if __name__ == "__main__":
    main()
