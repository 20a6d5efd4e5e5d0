"""Loads for ``make twins`` that nobody thought of: drawn by lot, as in ``twin_loads.toml``.

The recipe and its seed were written before any of the loads was run. Each number is drawn by
itself, over the range that a kernel's locks have. A load's think time follows from the use of its
busiest lock, which is drawn, too: from 2 % to 4 times what one lock can do. So idle, moderate and
saturated locks are about as frequent as each other. Four changes are drawn for each load.
"""

from __future__ import annotations

import random
from typing import Any

__all__ = ["drawn_loads"]

SEED = 20261127
EXCLUSIVE = ("ticket", "qspinlock", "mcs", "ttas", "mutex")
SHARED = ("qrwlock", "rwlock", "rwsem")
TRANSFER_NS = 100
"""Of a line that another CPU had; only the think time follows from it."""


def drawn_loads(number: int) -> list[dict[str, Any]]:
    """Some loads, the same ones each time.

    Arguments:
        number: how many.
    """
    lot = random.Random(SEED)
    return [_load(lot, k) for k in range(number)]


def _load(lot: random.Random, k: int) -> dict[str, Any]:
    shared = lot.random() < 0.3
    lock = lot.choice(SHARED if shared else EXCLUSIVE)
    cpus = lot.choice((8, 16, 32, 64))
    hold = round(_between(lot, 60, 10_000))
    lines = lot.choice((0, 1, 1, 2, 4))
    instances = lot.choice((1, 1, 1, 4, 16, cpus))
    forms = ["random", "random", "owner_each"] + ["hot"] * (instances > 1)
    who: dict[str, Any] = {"form": lot.choice(forms)}
    busiest = 1 / instances
    if who["form"] == "hot":
        who["share"] = busiest = round(lot.uniform(0.2, 0.7), 2)
    use = _between(lot, 0.02, 4.0)
    work = hold + TRANSFER_NS * (1 + lines)
    think = max(50, round(cpus * busiest * work / use) - work)
    return {
        "name": f"drawn_{k + 1:02}",
        "lock": lock,
        "cpus": cpus,
        "threads_per_cpu": 1,
        "hold_ns": hold,
        "hold_spread": _spread(lot, hold),
        "think_ns": think,
        "think_spread": _rhythm(lot, think),
        "reader_share": round(lot.uniform(0.3, 0.99), 2) if shared else 0.0,
        "data_lines": lines,
        "instances": instances,
        "who_uses": who,
        "changes": [{"what": what} for what in lot.sample(_changes(lot, lock, cpus, shared), 4)],
    }


def _spread(lot: random.Random, hold: int) -> dict[str, Any]:
    form = lot.choice(("fixed", "exponential", "lognormal", "two"))
    if form == "lognormal":
        return {"form": form, "sigma": lot.choice((0.5, 0.8, 1.2))}
    if form == "two":  # one in ten is four times the mean
        return {"form": form, "values_ns": [2 * hold // 3, 4 * hold], "shares": [0.9, 0.1]}
    return {"form": form}


def _rhythm(lot: random.Random, think: int) -> dict[str, Any]:
    if lot.random() < 0.75:
        return {"form": "exponential"}
    return {"form": "bursts", "mean_burst": lot.choice((4, 16)), "gap_ns": max(20, think // 10)}


def _changes(lot: random.Random, lock: str, cpus: int, shared: bool) -> list[str]:
    others = [name for name in (SHARED if shared else EXCLUSIVE) if name != lock]
    return [
        f"lock={lot.choice(others)}",
        f"split:{lot.choice((2, 4, 8))}",
        f"hold*{lot.choice((0.25, 0.5, 2.0))}",
        f"cpus={2 * cpus}",
        f"batch:{lot.choice((2, 4, 8))}",
    ]


def _between(lot: random.Random, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(low * (high / low) ** lot.random())
