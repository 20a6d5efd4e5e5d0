"""Is the capstone's leader board the same for other seeds?

Thirteen locks (board_locks.py) are ranked by the lab's own check on its five secret pairs, with
other random streams each time. Kendall's tau compares the rankings of each two seeds; 1 means the
same order. The interval is a bootstrap's over seeds.

    python grader/benchmarks/board.py --seeds 10
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from pathlib import Path

import numpy as np
from scipy import stats

from lockgrader.kinds.ranked import Ranked
from lockgrader.lab import load
from lockgrader.lab.variants import variant
from lockgrader.submitted import Submitted
from locklabs import find
from locksim.compiler import compile_source

BASES = {"Exclusive"}
RESAMPLES = 2000


def main() -> None:
    """Print the board and how stable it is."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=10)
    seeds = options.parse_args().seeds
    file = Path(__file__).with_name("board_locks.py")
    codes = compile_source(file.read_text(encoding="utf-8"), str(file))
    submitted = Submitted(codes=codes)
    names = [name for name in codes if name not in BASES]
    lab = load(find("lab11-capstone"))
    checks = [c for c in lab.checks(variant(lab, "board", b"k" * 16)) if isinstance(c, Ranked)]
    for check in checks:
        scores = np.array([[_score(check, submitted, n, s) for n in names] for s in range(seeds)])
        _print(check, names, scores)


def _score(check: Ranked, submitted: Submitted, name: str, seed: int) -> float:
    """A lock's score with random streams of its own."""
    pairs = tuple(p.model_copy(update={"seed": p.seed + 1000 * seed}) for p in check.pairs)
    finding = check.model_copy(update={"lock": name, "pairs": pairs}).judge(submitted)
    return finding.score or 0.0


def _print(check: Ranked, names: list[str], scores: np.ndarray) -> None:
    print(f"{check.title}, {len(scores)} seeds: score beside {check.against}")
    for i in np.argsort(-np.median(scores, axis=0)):
        one = scores[:, i]
        print(f"  {names[i]:14} {np.median(one):6.2f}   {one.min():.2f} to {one.max():.2f}")
    count = len(scores)
    tau = np.eye(count)
    for i, j in itertools.combinations(range(count), 2):
        tau[i, j] = tau[j, i] = stats.kendalltau(scores[i], scores[j]).statistic
    draw = np.random.default_rng(1)
    means = [_mean(tau, draw.integers(count, size=count)) for _ in range(RESAMPLES)]
    low, high = np.nanquantile(means, [0.025, 0.975])
    print(f"  Kendall's tau of two seeds: {_mean(tau, np.arange(count)):.3f}, ", end="")
    print(f"95 % of bootstraps {low:.3f} to {high:.3f}, smallest {tau.min():.3f}\n")


def _mean(tau: np.ndarray, seeds: np.ndarray) -> float:
    """The mean over pairs of different seeds."""
    pairs = [tau[i, j] for i, j in itertools.combinations(seeds, 2) if i != j]
    return statistics.fmean(pairs) if pairs else float("nan")


if __name__ == "__main__":
    main()
