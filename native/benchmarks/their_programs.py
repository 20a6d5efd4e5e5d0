"""The programs to compare, ours and theirs: built here, each run once for a sample.

Ours is locklab-native with Concurrency Kit's locks added. Theirs are liburcu's ``test_urcu`` in
four flavours and Concurrency Kit's throughput programs, with unchanged sources. Their builds differ
from the authors' in two ways. liburcu's are linked as ours is (static, where that is possible),
because thread-local counters of a shared library cost an indirection that is no part of the
harness. And a macro for the compiler makes Concurrency Kit's fixed ``sleep(10)`` last one second.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sources import CompareError

NATIVE = Path(__file__).resolve().parents[1]
SECONDS = 1
FLAVOURS = {
    "memb": ("test_urcu.c", ["-DRCU_MEMBARRIER"]),
    "mb": ("test_urcu.c", ["-DRCU_MB"]),
    "qsbr": ("test_urcu_qsbr.c", []),
    "bp": ("test_urcu_bp.c", []),
}
CK_LOCKS = ("ck_ticket", "ck_mcs")

# Included before Concurrency Kit's sources. unistd.h comes first, since the macro would change its
# declaration, with the definition that the sources make before they include it.
ONE_SECOND = f"""
#define _GNU_SOURCE
#include <unistd.h>
#undef _GNU_SOURCE
#define sleep(seconds) (sleep)({SECONDS})
"""


@dataclass(frozen=True)
class Sample:
    """The counts of one process.

    ``operations`` of all threads together; ``cpu_ns`` is their processor time. On a quiet machine
    that is threads times ``wall_ns``; ``share`` is the part of it that they got.
    """

    operations: int
    cpu_ns: float
    wall_ns: float
    threads: int

    @property
    def ns(self) -> float:
        """Processor time of an operation, in ns."""
        return self.cpu_ns / self.operations

    @property
    def share(self) -> float:
        """Processor time as a share of the time that the threads could have had."""
        return self.cpu_ns / (self.threads * self.wall_ns)


@dataclass(frozen=True)
class Ours:
    """A kernel of locklab-native in its throughput loop."""

    program: Path
    kernel: str
    read: bool = False

    def command(self, cpus: list[int]) -> list[str]:
        """Return the command line for a thread on each of the CPUs."""
        return [
            *(str(self.program), "run", self.kernel, "--loop", "throughput"),
            *(["--read"] if self.read else []),
            *("--threads", str(len(cpus)), "--cpus", ",".join(map(str, cpus))),
            *("--duration-ms", str(1000 * SECONDS)),
        ]

    def run(self, cpus: list[int]) -> Sample:
        """Run one process and return what it counted."""
        trial = json.loads(_output(self.command(cpus))[0])
        tallies = trial["tallies"]
        return Sample(
            operations=sum(tally["count"] for tally in tallies),
            cpu_ns=sum(tally["cpu_ns"] for tally in tallies),
            wall_ns=sum(tally["wall_ns"] for tally in tallies) / len(cpus),
            threads=len(cpus),
        )


@dataclass(frozen=True)
class Urcu:
    """liburcu's test_urcu: readers without an updater."""

    program: Path

    def command(self, cpus: list[int]) -> list[str]:
        """Return the command line for a reader on each of the CPUs."""
        pinning = [word for cpu in cpus for word in ("-a", str(cpu))]
        return [str(self.program), str(len(cpus)), "0", str(SECONDS), *pinning]

    def run(self, cpus: list[int]) -> Sample:
        """Run one process and return what it counted."""
        output, cpu_ns = _output(self.command(cpus))
        return Sample(urcu_reads(output), cpu_ns, 1e9 * SECONDS, len(cpus))


@dataclass(frozen=True)
class Ck:
    """Concurrency Kit's throughput program of a lock; thread i runs on CPU i."""

    program: Path

    def command(self, cpus: list[int]) -> list[str]:
        """Return the command line for a thread on each of the first CPUs."""
        return [str(self.program), str(len(cpus)), "1", "0"]

    def run(self, cpus: list[int]) -> Sample:
        """Run one process and return what it counted."""
        output, cpu_ns = _output(self.command(cpus))
        return Sample(ck_acquisitions(output), cpu_ns, 1e9 * SECONDS, len(cpus))


def urcu_reads(output: str) -> int:
    """Return the number of read-side sections from test_urcu's line.

    >>> urcu_reads("SUMMARY test_urcu  testdur    1 nr_reads    12 nr_writes  0 nr_ops   12")
    12
    """
    return _number(r"nr_reads\s+(\d+)", output, "test_urcu")


def ck_acquisitions(output: str) -> int:
    r"""Return the number of acquisitions of all threads from ck's report.

    >>> ck_acquisitions("0   7\n1   5\n\n# total       :     12\n")
    12
    """
    return _number(r"# total\s*:\s*(\d+)", output, "ck_spinlock")


def build_ours(ck: Path, folder: Path) -> Path:
    """Build locklab-native with Concurrency Kit's locks; return the executable."""
    _build(["sh", "configure"], cwd=ck)
    configure = ["cmake", "-S", str(NATIVE), "-B", str(folder)]
    _build([*configure, f"-DLOCKLAB_CK={ck / 'include'}", f"-DPython_EXECUTABLE={sys.executable}"])
    _build(["cmake", "--build", str(folder), "--target", "locklab-native"])
    return folder / "locklab-native"


def build_urcu(liburcu: Path, folder: Path, static: bool) -> dict[str, Path]:
    """Build test_urcu in each flavour against the installed liburcu; return the executables."""
    folder.mkdir(parents=True, exist_ok=True)
    tests = liburcu / "tests"
    # The settings that its configure finds on Linux.
    have = ["-D_GNU_SOURCE", "-DHAVE_GETTID", "-DHAVE_RAND_R", "-DHAVE_SCHED_SETAFFINITY"]
    where = [f"-I{tests / 'common'}", f"-I{liburcu / 'src'}"]
    link = ["-static"] if static else []
    programs = {}
    for flavour, (source, flags) in FLAVOURS.items():
        programs[flavour] = folder / f"test_urcu_{flavour}"
        _build(
            ["cc", "-O2", "-g", *have, *flags, *where, str(tests / "benchmark" / source), *link]
            + [f"-lurcu-{flavour}", "-lurcu-common", "-pthread", "-o", str(programs[flavour])]
        )
    return programs


def build_ck(ck: Path, folder: Path) -> dict[str, Path]:
    """Build Concurrency Kit's programs by its own makefile; return the executables."""
    folder.mkdir(parents=True, exist_ok=True)
    shorter = folder / "one_second.h"
    shorter.write_text(ONE_SECOND)
    where = ck / "regressions/ck_spinlock/benchmark"
    flags = re.search(r"^CFLAGS=(.*)$", (ck / "build/regressions.build").read_text(), re.MULTILINE)
    if flags is None:
        raise CompareError(
            f"{ck}/build/regressions.build names no CFLAGS: is this the source of Concurrency Kit?"
        )
    programs = {lock: where / f"{lock}.THROUGHPUT" for lock in CK_LOCKS}
    for program in programs.values():
        program.unlink(missing_ok=True)
    targets = [program.name for program in programs.values()]
    _build(["make", f"CFLAGS={flags[1]} -pthread -include {shorter.resolve()}", *targets], where)
    return programs


def is_static(program: Path) -> bool:
    """Return whether an executable needs no shared library."""
    shown = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    return shown.returncode != 0


def _number(pattern: str, output: str, program: str) -> int:
    found = re.search(pattern, output)
    if found is None:
        raise CompareError(f"{program} printed no count, but: {output.strip()[:200]!r}")
    return int(found[1])


def _output(command: list[str]) -> tuple[str, float]:
    """Run a program; return what it printed, and its processor time in ns."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        output, complaint = running.stdout.read().decode(), running.stderr.read().decode()
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 0:
        raise CompareError(f"'{' '.join(command)}' failed: {complaint.strip() or output.strip()}")
    return output, 1e9 * (usage.ru_utime + usage.ru_stime)


def _build(command: list[str], cwd: Path | None = None) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise CompareError(
            f"'{command[0]}' is not installed: install it to build the programs"
        ) from None
    if done.returncode != 0:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-12:])
        raise CompareError(f"'{' '.join(command)}' failed:\n{last}")
