"""The operations by which a program can distinguish places and times: a lab can refuse them."""

from __future__ import annotations

from typing import Literal

Operation = Literal[
    "block",
    "cpu",
    "n_cpus",
    "n_threads",
    "node",
    "now",
    "random_below",
    "random_exponential",
    "switch",
    "thread",
    "wake",
]
OPERATIONS: dict[str, str] = {
    "block": "BLOCK",
    "cpu": "CPU",
    "n_cpus": "NCPUS",
    "n_threads": "NTHREADS",
    "node": "NODE",
    "now": "NOW",
    "random_below": "RANDOM",
    "random_exponential": "EXPONENTIAL",
    "switch": "SWITCH",
    "thread": "THREAD",
    "wake": "WAKE",
}
"""The operations by which a program can distinguish places and times, and their instructions."""
