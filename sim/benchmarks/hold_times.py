"""How far off the published curves are when line hold times vary from one to the next.

    python sim/benchmarks/hold_times.py

Each point of the train half (datasets/README.md, "Curves to learn from") with two or more CPUs is
simulated once, with line hold times of one length and with two spreads. The factor is the geometric
mean of max(p/m, m/p). ``locklab machine new`` takes its default from here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import fmean

from curve_questions import PS_PER_NS, TRAIN, questions

from locksim.study.simulation import simulate

SPREADS = (0.0, 0.5, 1.0)


def main() -> None:
    """Print a row for each dataset, and one for all points."""
    found: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for dataset in TRAIN:
        for q in questions(dataset):
            for spread in SPREADS if q.cpus > 1 else ():
                run = simulate(
                    q.workload,
                    machine=q.machine.with_spread(tenure=spread),
                    cpus=q.cpus,
                    placement=q.placement,
                    replications=1,
                )
                off = abs(math.log(run.operation_ps().mean / PS_PER_NS / q.measured_ns))
                for name in (dataset, "all points"):
                    found[name][spread].append(off)
    print(f"| dataset | points | {' | '.join(f'spread {s:g}' for s in SPREADS)} |")
    print(f"|---|---:|{'---:|' * len(SPREADS)}")
    for name, by in found.items():
        factors = " | ".join(f"{math.exp(fmean(by[s])):.2f}" for s in SPREADS)
        print(f"| {name} | {len(by[SPREADS[0]])} | {factors} |")


if __name__ == "__main__":
    main()
