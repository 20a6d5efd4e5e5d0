"""A class's fingerprint: what of its bytecode stays when names, lines and comments change.

Each method is cut into overlapping runs of instructions. Registers are numbered anew within a run,
addresses keep only the number of their fields, jumps only their direction. So a renamed, commented
or reordered copy shares most runs with its original. The runs are kept as short hashes: enough to
compare, and nothing from which to read the program.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from locksim.compiler.ir import SIGNATURES, ClassCode, Instr

__all__ = ["fingerprints"]

RUN = 5
"""Instructions in a run: a loop that waits has about this many."""


def fingerprints(codes: Mapping[str, ClassCode]) -> dict[str, tuple[str, ...]]:
    """Class → its runs as hashes, sorted."""
    found = {}
    for name, code in codes.items():
        runs: set[str] = set()
        for method in code.methods.values():
            instrs = method.instrs
            for start in range(max(1, len(instrs) - RUN + 1)):
                runs.add(_run(instrs, start))
        found[name] = tuple(sorted(runs))
    return found


def _run(instrs: Sequence[Instr], start: int) -> str:
    registers: dict[str, int] = {}
    words = []
    for place, instr in enumerate(instrs[start : start + RUN], start):
        words.append(instr.op)
        for kind, value in zip(SIGNATURES[instr.op], instr.args, strict=False):
            if kind == "label":
                words.append("back" if int(value) <= place else "on")
            elif kind == "path":
                words.append(str(len(value)))
            elif kind not in ("type", "method", "args"):
                is_register = isinstance(value, str) and value.startswith("r")
                text = f"r{registers.setdefault(value, len(registers))}" if is_register else value
                words.append(str(text))
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:10]
