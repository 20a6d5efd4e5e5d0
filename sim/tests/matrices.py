"""Matrices of machines that do not exist, as core-to-core-latency would write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def matrix_csv(cpus: int, ns: Callable[[int, int], float]) -> str:
    """Return the CSV of a machine, the lower half only."""
    return "\n".join(
        ",".join(f"{ns(a, b)}" if b < a else "" for b in range(cpus)) for a in range(cpus)
    )


def two_sockets(a: int, b: int) -> float:
    """Eight CPUs: two sockets of two cores with two threads, numbered as Linux does; some noise."""
    noise = 1 + (a * 7 + b * 3) % 5 / 50
    if a % 4 == b % 4:
        return 20 * noise
    return (50 if a // 2 % 2 == b // 2 % 2 else 120) * noise


def clusters(a: int, b: int) -> float:
    """Twelve CPUs without SMT: two sockets of two clusters of three cores."""
    return 25 if a // 3 == b // 3 else 90 if a // 6 == b // 6 else 200


def write(folder: Path, cpus: int, ns: Callable[[int, int], float]) -> Path:
    """Write a matrix and return its file."""
    file = folder / "matrix.csv"
    file.write_text(matrix_csv(cpus, ns), encoding="utf-8")
    return file


LSCPU = """Architecture:        x86_64
CPU(s):              8
Vendor ID:           GenuineIntel
Model name:          Xeon Test @ 2.50GHz
Thread(s) per core:  2
Core(s) per socket:  2
Socket(s):           2
L3 cache:            32 MiB (2 instances)
"""
