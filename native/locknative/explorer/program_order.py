"""The atomic operations that a search has met, for the limits that C11's reorderings set.

The runtime notes them (``native/explorer/orders.c``); which of them give a limit is said in
:mod:`locksim.checker.program_order`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from locknative.explorer.names import Names
from locknative.explorer.trace import place
from locksim.checker.program_order import Access, ProgramOrder
from locksim.lang.ops import ACQ_REL, ACQUIRE, RELAXED, RELEASE, SEQ_CST

ORDERS = (RELAXED, ACQUIRE, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST)
"""C11's memory orders by their numbers in C; CONSUME is compiled as ACQUIRE."""


def reorderings(program: Path, parts: Sequence[Sequence[dict[str, Any]]]) -> list[str]:
    """Return the limits of a proof under c11 that come from what the explorer does not reorder.

    Args:
        program: the executable.
        parts: what each process has met: its operations, which name each other by number.
    """
    numbers: dict[tuple[int, int, int, bool, bool], int] = {}
    words: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    overtaking: dict[int, set[int]] = defaultdict(set)
    later: dict[int, int] = defaultdict(int)
    for part in parts:
        here = [numbers.setdefault(_key(raw), len(numbers)) for raw in part]
        for number, raw in zip(here, part, strict=True):
            overtaking[number] |= {here[other] for other in raw["overtaking"]}
            for other in raw["later"]:
                later[number] |= 1 << here[other]
            if raw["words"]:
                words[raw["thread"]][number] |= set(raw["words"])
    accesses = {
        number: Access(ORDERS[order], reads, writes)
        for (_, _, order, reads, writes), number in numbers.items()
    }
    names = Names(program)
    pcs = [pc for pc, *_ in numbers]
    return ProgramOrder(
        accesses=accesses,
        words=words,
        overtaking=lambda load: overtaking[load],
        later=[later[number] for number in range(len(numbers))],
        place=lambda number: place(names, pcs[number]),
        name=names.word,
    ).limits()


def _key(raw: dict[str, Any]) -> tuple[int, int, int, bool, bool]:
    return raw["pc"], raw["thread"], raw["order"], raw["reads"], raw["writes"]
