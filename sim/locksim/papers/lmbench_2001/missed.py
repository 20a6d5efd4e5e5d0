"""Why counted checks miss a row of the lmbench tables, in a few words each.

More of it, with figures, is in docs/LMBENCH.md.
"""

from __future__ import annotations

__all__ = ["why"]

FASTER = "faster with SELinux, which no check can be: one run each, and its spread"
LEVEL_TWO = "lines taken from the second level; colliding pages and the TLB are not modelled"
MOVED = "one check may move one of two processes to a CPU of its own; by how much is not modelled"
FAR_MORE = "checks are a tenth of it; one run each, of processes on eight CPUs"


def why(experiment: str, row: str) -> str:
    """What is missing for a row of an experiment, both by name; 'not explained' if not known."""
    return MISSED[experiment].get(row, "not explained")


MISSED: dict[str, dict[str, str]] = {
    "smalley-2001-lmbench": {
        "RPC/UDP": "32 us more than UDP; two or three polls are the only further calls",
        "sh": "printed as 10K and 11K, anything from 0 to 21 % fits",
    },
    "franke-2001-lmbench": {
        "select TCP": "one check for each descriptor is 18 of 27 us",
        "signal handle": FASTER,
        "sh": FASTER,
        **{f"switch {size}": LEVEL_TWO for size in ("2p_16k", "2p_64k", "8p_16k", "8p_64k")},
        "switch 16p_64k": LEVEL_TWO,
        "pipe": FASTER,
        "AF_UNIX": MOVED,
        "TCP": "no slower with SELinux, though null I/O says that a check is",
        "TCP connect": "the server's accept and close, perhaps; they run on another CPU",
        "10KB delete": FASTER,
        "mmap": "one check is 0.2 of 23 us, and a mapping asks no more",
        "protection fault": FASTER,
        "page fault": FASTER,
        "pipe bandwidth": FAR_MORE,
        "AF_UNIX bandwidth": MOVED,
        "TCP bandwidth": FAR_MORE,
    },
}
