"""How far the order in which CPUs start moves the throughput of every lock.

    python starting_orders.py [--cpus 64] [--file orders.jsonl] [MACHINE ...]

Each lock of the library runs its plain load on each machine, in ten random starting orders of the
CPUs with the same seed (:mod:`locksim.study.bands`). The band is the fastest over the slowest.
Where it is above 1.15 three experiments look for the cause. With random arbitration the order of
the start is forgotten: if the band then falls below, first come, first served had kept it. In a run
that is five times as long chance has less weight: if the band then falls below, the run was too
short. If neither helps the lock itself is unfair, as the slowest CPU's count over the fastest's
shows. The third one serves the nearest first.

Results are kept in a file, a line each, and a second start goes on. The tables are Markdown, for
docs/explain/uncertainty.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from locksim import machine as machines
from locksim.core.result import SimulationError
from locksim.kinds import LoadError, LoadSettings, plain_load
from locksim.library.registry import entries
from locksim.machine import Machine
from locksim.study.bands import one_at_a_time
from locksim.study.simulation import LONGEST_PS, simulate

MACHINES = (
    *("graviton2-64", "graviton3-64", "epyc-7773x-64"),
    *("xeon-8375c-2x32", "epyc-7r13-2x48", "epyc-7742-2x64"),
)
"""The profiles of docs/use/machines.md with 64 CPUs and more."""
ABOVE = 1.15
LONGER = 5
OPERATIONS, WARMUP = 10, 10
"""Critical sections of each CPU, measured and before: a queue of all CPUs goes round ten times
before the measurement, and ten times in it."""
DEAR = ("bakery", "filter", "rcu", "rcu_qsbr", "srcu")
SETTINGS = LoadSettings(hold_ps=100_000, think_ps=400_000, read_percent=90)


def locks() -> list[str]:
    """Every lock of the library; those that take minutes on 64 CPUs last."""
    found = [entry.name for entry in entries() if entry.kind == "lock"]
    return sorted(found, key=lambda name: (name in DEAR, name))


def band(
    lock: str,
    machine: Machine,
    cpus: int,
    *,
    orders: int = 10,
    operations: int = OPERATIONS,
    warmup: int = WARMUP,
) -> dict[str, float]:
    """Return the band of a lock, and the least fairness of its runs.

    Arguments:
        orders: random starting orders. operations, warmup: of each CPU, measured and before.

    Raises:
        LoadError: it has no plain load. SimulationError: it got stuck.
    """
    load = plain_load(lock, SETTINGS)
    rates, fairness = [], []
    for started in one_at_a_time(machine, orders=orders)[0].machines:
        run = simulate(
            load.workload,
            machine=started,
            cpus=cpus,
            operations=operations,
            warmup=warmup,
            replications=1,
            longest_ps=load.livelock_limit_ps(cpus) or LONGEST_PS,
        )
        rates.append(run.throughput().mean)
        fairness.append(run.fairness().mean)
    return {"band": max(rates) / min(rates), "fairness": min(fairness)}


def row(lock: str, machine: Machine, cpus: int) -> dict[str, Any]:
    """Return a line of the table: the band, and what becomes of it in the three experiments."""
    try:
        found: dict[str, Any] = {**band(lock, machine, cpus)}
        if found["band"] > ABOVE:
            near = machine.with_protocol(arbitration="near", arbitration_passes=8)
            any_of = machine.with_protocol(arbitration="random")
            longer = band(lock, machine, cpus, operations=LONGER * OPERATIONS)
            found["random"] = band(lock, any_of, cpus)["band"]
            found["near"] = band(lock, near, cpus)["band"]
            found["longer"], found["longer_fairness"] = longer["band"], longer["fairness"]
    except (LoadError, SimulationError) as error:
        found = {"error": str(error).partition("\n")[0]}
    return {"lock": lock, "machine": machine.name, "cpus": cpus, **found}


def shown(found: dict[str, Any]) -> str:
    """Return a cell of the table."""
    if "error" in found:
        return "–"
    text = f"{found['band']:.2f}"
    if "random" not in found:
        return text
    cause = f"unfair {found['longer_fairness']:.2f}"
    if found["random"] <= ABOVE:
        cause = "fifo"
    elif found["longer"] <= ABOVE:
        cause = "short run"
    return f"**{text}** {cause}"


def table(rows: Iterable[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table: a line for each lock, a column for each machine."""
    listed = list(rows)
    names = list(dict.fromkeys(one["machine"] for one in listed))
    by = {(one["lock"], one["machine"]): one for one in listed}
    lines = [f"| lock | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for lock in dict.fromkeys(one["lock"] for one in listed):
        cells = (shown(by[lock, name]) if (lock, name) in by else "" for name in names)
        lines.append(f"| `{lock}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Make what the file lacks, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("machines", nargs="*", default=MACHINES)
    parser.add_argument("--cpus", type=int, default=64)
    parser.add_argument("--file", type=Path, default=Path("orders.jsonl"))
    parser.add_argument("--locks", default="", help="some locks: mcs,ticket")
    chosen = parser.parse_args()
    kept = [json.loads(line) for line in chosen.file.open()] if chosen.file.exists() else []
    known = {(one["lock"], one["machine"], one["cpus"]) for one in kept}
    names = chosen.locks.split(",") if chosen.locks else locks()
    with chosen.file.open("a") as file:
        for name in chosen.machines:
            machine = machines.load(name)
            for lock in names if chosen.cpus <= machine.n_cpus else []:
                if (lock, name, chosen.cpus) not in known:
                    kept.append(row(lock, machine, chosen.cpus))
                    print(json.dumps(kept[-1]), file=file, flush=True)
                    print(kept[-1], file=sys.stderr)
    print(table(one for one in kept if one["cpus"] == chosen.cpus))


if __name__ == "__main__":
    main()
