"""Reasons why counted checks miss a row of the lmbench tables, in a few words each.

lmbench.md explains them with numbers.
"""

from __future__ import annotations

__all__ = ["why"]

FASTER = "faster with SELinux, which checks cannot cause: the spread of single runs"
LEVEL_TWO = "lines evicted from the second level; colliding pages and the TLB are not modelled"
MOVED = "one check may move one of two processes to another CPU; the effect is not modelled"
FAR_MORE = "checks explain a tenth; single runs of processes on eight CPUs"


def why(experiment: str, row: str) -> str:
    """The reason for a row of an experiment, both by name, or 'not explained'."""
    return MISSED[experiment].get(row, "not explained")


MISSED: dict[str, dict[str, str]] = {
    "smalley-2001-lmbench": {
        "RPC/UDP": "32 µs more than UDP; two or three polls are the only additional calls",
        "sh": "printed as 10K and 11K, anything from 0 to 21 % fits",
    },
    "franke-2001-lmbench": {
        "select TCP": "one check for each descriptor is 18 of 27 µs",
        "signal handle": FASTER,
        "sh": FASTER,
        **{f"switch {size}": LEVEL_TWO for size in ("2p_16k", "2p_64k", "8p_16k", "8p_64k")},
        "switch 16p_64k": LEVEL_TWO,
        "pipe": FASTER,
        "AF_UNIX": MOVED,
        "TCP": "no slower with SELinux, although a check is, by null I/O",
        "TCP connect": "possibly the server's accept and close, which run on another CPU",
        "10KB delete": FASTER,
        "mmap": "a mapping makes one check, 0.2 of 23 µs",
        "protection fault": FASTER,
        "page fault": FASTER,
        "pipe bandwidth": FAR_MORE,
        "AF_UNIX bandwidth": MOVED,
        "TCP bandwidth": FAR_MORE,
    },
}
