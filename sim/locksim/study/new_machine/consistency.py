"""Whether latencies can be those of the machine that the other files describe."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from locksim.study.new_machine.lscpu import Lscpu
from locksim.study.new_machine.shape import ALIKE, Reading, Shape


def inconsistencies(
    shape: Shape, readings: Mapping[str, Reading], lscpu: Lscpu | None
) -> list[str]:
    """Return a sentence for each sign that the latencies are those of another machine.

    Arguments:
        shape: of the profile. readings: distance class → ping-pong. lscpu: None without its file.
    """
    known = [name for name in ("core", *shape.classes) if name in readings]
    found = [
        f"the ping-pong of {far} takes {readings[far].ns:.1f} ns and that of the nearer {near} "
        f"{readings[near].ns:.1f} ns: check that both were measured on this machine"
        for near, far in pairwise(known)
        if readings[far].ns < ALIKE * readings[near].ns
    ]
    if lscpu is not None and shape.readings:
        caches = lscpu.caches or lscpu.sockets
        if max(lscpu.sockets, caches) > 1 and shape.nodes not in (lscpu.sockets, caches):
            found.append(
                f"the matrix has {shape.nodes} group{'s' * (shape.nodes > 1)} of near CPUs, but "
                f"{lscpu.where} has {lscpu.sockets} socket{'s' * (lscpu.sockets > 1)} and {caches} "
                f"last-level cache{'s' * (caches > 1)}: check that both are of the same machine, "
                "and that the threads were pinned"
            )
    return found
