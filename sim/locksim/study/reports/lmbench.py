"""The summary of lmbench 2 (McVoy and Staelin, USENIX 1996), with a line for each system.

Columns, their widths and their order are those of lmbench 2.0's summary in franke-2001. The names
of the values are those of lockdata's ``franke-2001/lmbench-*`` tables, with ``bandwidth_`` before
those of bandwidths. A section is printed if a system has a value for it; missing values are blank.

lmbench fits a number to its column. Below ten it has a point and all digits that fit; from ten on
it is whole; from ten thousand on it is in thousands (``14K``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["SECTIONS", "Section", "System", "number", "summary"]

_THOUSANDS = 10_000


@dataclass(frozen=True, slots=True)
class System:
    """A system, which has a line in every section.

    Arguments:
        host, os: as in the first two columns, cut to nine and thirteen characters.
        mhz: clock rate. values: name → value in the section's unit.
    """

    host: str
    os: str
    mhz: float
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the summary.

    Arguments:
        title: the title with the unit. mhz: whether the clock rate is a column.
        columns: name of the value, its heading in two lines, its width.
    """

    title: str
    mhz: bool
    columns: tuple[tuple[str, str, str, int], ...]


SECTIONS = (
    Section(
        "Processor, Processes - times in microseconds - smaller is better",
        True,
        (
            ("null_call", "null", "call", 4),
            ("null_io", "null", "I/O", 4),
            ("stat", "", "stat", 4),
            ("open_close", "open", "clos", 4),
            ("select_tcp", "selct", "TCP", 5),
            ("signal_install", "sig", "inst", 4),
            ("signal_handle", "sig", "hndl", 4),
            ("fork", "fork", "proc", 4),
            ("exec", "exec", "proc", 4),
            ("sh", "sh", "proc", 4),
        ),
    ),
    Section(
        "Context switching - times in microseconds - smaller is better",
        False,
        (
            ("2p_0k", "2p/0K", "ctxsw", 5),
            ("2p_16k", "2p/16K", "ctxsw", 6),
            ("2p_64k", "2p/64K", "ctxsw", 6),
            ("8p_16k", "8p/16K", "ctxsw", 6),
            ("8p_64k", "8p/64K", "ctxsw", 6),
            ("16p_16k", "16p/16K", "ctxsw", 7),
            ("16p_64k", "16p/64K", "ctxsw", 7),
        ),
    ),
    Section(
        "*Local* Communication latencies in microseconds - smaller is better",
        False,
        (
            ("pipe", "Pipe", "", 5),
            ("af_unix", "AF", "UNIX", 4),
            ("udp", "UDP", "", 5),
            ("rpc_udp", "RPC/", "UDP", 5),
            ("tcp", "TCP", "", 5),
            ("rpc_tcp", "RPC/", "TCP", 5),
            ("tcp_connect", "TCP", "conn", 4),
        ),
    ),
    Section(
        "File & VM system latencies in microseconds - smaller is better",
        False,
        (
            ("create_0k", "0K", "Create", 6),
            ("delete_0k", "File", "Delete", 6),
            ("create_10k", "10K", "Create", 6),
            ("delete_10k", "File", "Delete", 6),
            ("mmap", "Mmap", "Latency", 7),
            ("protection_fault", "Prot", "Fault", 5),
            ("page_fault", "Page", "Fault", 7),
        ),
    ),
    Section(
        "*Local* Communication bandwidths in MB/s - bigger is better",
        False,
        (
            ("bandwidth_pipe", "Pipe", "", 4),
            ("bandwidth_af_unix", "AF", "UNIX", 4),
            ("bandwidth_tcp", "TCP", "", 4),
            ("bandwidth_file_reread", "File", "reread", 6),
            ("bandwidth_mmap_reread", "Mmap", "reread", 6),
            ("bandwidth_bcopy_libc", "Bcopy", "(libc)", 6),
            ("bandwidth_bcopy_hand", "Bcopy", "(hand)", 6),
            ("bandwidth_memory_read", "Mem", "read", 4),
            ("bandwidth_memory_write", "Mem", "write", 5),
        ),
    ),
    Section(
        "Memory latencies in nanoseconds - smaller is better",
        True,
        (
            ("l1", "L1 $", "", 5),
            ("l2", "L2 $", "", 5),
            ("main_memory", "Main mem", "", 8),
        ),
    ),
)


def summary(systems: Sequence[System]) -> str:
    """The summary's text: the sections that have values, with a line for each system."""
    parts = ["                 L M B E N C H  2 . 0   S U M M A R Y"]
    for section in SECTIONS:
        if any(name in one.values for one in systems for name, *_ in section.columns):
            parts.append(_section(section, systems))
    return "\n\n".join(parts) + "\n"


def number(value: float, width: int) -> str:
    """A value as lmbench fits it to a column of a given width."""
    if value >= _THOUSANDS - 0.5:
        return f"{value / 1000:.0f}K"
    text = f"{value:.{max(0, width - 2)}f}"
    return text if len(text) <= width else f"{value:.0f}"


def _section(section: Section, systems: Sequence[System]) -> str:
    heads = ["Host                 OS" + ("  Mhz" if section.mhz else ""), " " * 23]
    heads[1] += " " * 5 * section.mhz
    rule = "--------- -------------" + " ----" * section.mhz
    for _, first, second, width in section.columns:
        heads[0] += f" {first:<{width}}"
        heads[1] += f" {second:<{width}}"
        rule += " " + "-" * width
    lines = [section.title, "-" * len(section.title), *(h.rstrip() for h in heads), rule]
    for one in systems:
        line = f"{one.host[:9]:<9} {one.os[:13]:>13}"
        if section.mhz:
            line += f" {one.mhz:4.0f}"
        for name, _, _, width in section.columns:
            value = one.values.get(name)
            line += f" {'' if value is None else number(value, width):>{width}}"
        lines.append(line.rstrip())
    return "\n".join(lines)
