"""A new interpreter's first and later simulations and peak memory: a JSON line on stdout.

first_call.py runs it: ``python fresh.py CPUS``. Time starts before the first import.
"""

import time

BEGAN = time.perf_counter()

import json  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402

LATER_CALLS = 15


def main(cpus: int) -> None:
    """Simulate ``cpus`` CPUs once, then time short calls."""
    from locksim.library.locks.ticket import TicketLock
    from locksim.library.workloads.critical_section import CriticalSection
    from locksim.study.simulation import simulate

    imported = time.perf_counter()
    workload = CriticalSection(lock=TicketLock)
    simulate(workload, machine=f"ideal-{cpus}", operations=5, warmup=1, replications=2)
    first = time.perf_counter()

    from locksim.engine.fast import compiled

    inside, loop = 0.0, compiled.advance

    def timed(*args: object) -> int:
        nonlocal inside
        began = time.perf_counter()
        status: int = loop(*args)
        inside += time.perf_counter() - began
        return status

    compiled.advance = timed
    overheads = []
    for seed in range(LATER_CALLS if cpus <= 64 else 0):
        began, inside = time.perf_counter(), 0.0
        simulate(workload, machine=f"ideal-{cpus}", operations=5, warmup=1, seed=seed)
        overheads.append(time.perf_counter() - began - inside)
    print(
        json.dumps(
            {
                "imports_s": imported - BEGAN,
                "first_call_s": first - imported,
                "total_s": first - BEGAN,
                "overheads_s": overheads,
                "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
