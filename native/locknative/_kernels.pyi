"""The C harness, as Python sees it (private: use :mod:`locknative`)."""

from collections.abc import Sequence
from typing import NamedTuple

COMPILER: str
FLAGS: str
URCU: str

class Tally(NamedTuple):
    """What one thread did (struct locklab_tally)."""

    acquisitions: int
    writes: int
    overlaps: int
    torn: int
    wall_ns: int
    cpu_ns: int

class Kernel(NamedTuple):
    """A row of the table of kernels (struct locklab_kernel)."""

    name: str
    kind: str
    loops: tuple[str, ...]
    has_read: bool

def kernels() -> list[Kernel]:
    """Return every kernel that was built."""

def run(
    kernel: str,
    loop: str,
    threads: int,
    cpus: Sequence[int],
    iterations: int = 0,
    duration_ns: int = 0,
    patience_ns: int = 0,
    read: bool = False,
) -> tuple[list[Tally], int]:
    """Run a plan once without the GIL; return each thread's tally, and the guarded counter."""
