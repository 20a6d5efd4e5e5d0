"""The checks of ``locklab doctor``: each examines one thing and returns one finding.

Checks only read. Those that read the kernel's files take the root of the file system as an
argument, so that a test can describe any machine.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from locksim.jit import cache_folders
from lockui import installation
from lockui.findings import Check
from lockui.plugins import plugins

__all__ = ["examine"]

#: Entry points of other packages' checks: functions of the file system's root.
GROUP = "locklab.doctor"
#: Free disk space below which the results of a sweep may not fit.
FREE_LIMIT_BYTES = 1_000_000_000


def examine(root: Path = Path("/")) -> list[Check]:
    """Run every check; ``root`` is the folder of ``proc`` and ``sys``."""
    return [
        python(sys.version_info[:3]),
        numba(),
        cache(cache_folders(os.environ)),
        compiler(),
        liburcu(),
        cpus(root),
        *others(root),
        disk(Path.cwd()),
    ]


def python(version: tuple[int, int, int]) -> Check:
    """Is this Python new enough?"""
    found = f"{'.'.join(map(str, version))} ({platform.python_implementation()})"
    if version < (3, 11):
        return Check("python", "broken", found, "Install Python 3.11 or newer.")
    return Check("python", "ok", found)


def numba() -> Check:
    """Can numba, the fast engine's compiler, be imported?"""
    try:
        module = importlib.import_module("numba")
    except Exception as error:  # a numba that does not fit numpy or LLVM fails in many ways
        advice = f"Run '{installation.again()}'."
        return Check("numba", "broken", f"{type(error).__name__}: {error}", advice)
    return Check("numba", "ok", str(module.__version__))


def cache(candidates: list[Path]) -> Check:
    """Can compiled code be kept on disk? Otherwise every start compiles it again."""
    for folder in candidates:
        if _writable(folder):
            return Check("cache", "ok", f"{folder} is writable")
    return Check(
        "cache",
        "warning",
        f"not writable: {', '.join(map(str, candidates))}",
        "Set NUMBA_CACHE_DIR to a writable folder; until then every start compiles again.",
    )


def compiler() -> Check:
    """Is there a C compiler for the native kernels?"""
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path:
            return Check("C compiler", "ok", _first_line_of([path, "--version"]) or path)
    return Check("C compiler", "warning", "none on PATH", "Install gcc to build native kernels.")


def liburcu() -> Check:
    """Is the userspace RCU library installed with its headers?"""
    then = f"then run '{installation.again(build=True)}'."
    if shutil.which("pkg-config") is None:
        advice = f"Install pkg-config and liburcu-dev, {then}"
        return Check("liburcu", "unknown", "pkg-config is not installed", advice)
    version = _first_line_of(["pkg-config", "--modversion", "liburcu"])
    if version is None:
        return Check("liburcu", "warning", "not found", f"Install liburcu-dev, {then}")
    return Check("liburcu", "ok", version)


def cpus(root: Path) -> Check:
    """How many CPUs may this process use, and what are they?"""
    from lockui.portable import usable_cpus

    usable = usable_cpus()
    found = f"{usable} of {os.cpu_count()} usable; {_cpu_model(root)}"
    if usable < 2:
        advice = "Simulation is unaffected; native contention needs two CPUs."
        return Check("CPUs", "warning", found, advice)
    return Check("CPUs", "ok", found)


def others(root: Path) -> list[Check]:
    """Run the checks that other packages offer as plug-ins."""
    found = []
    for name, load in plugins(GROUP):
        try:
            found += load()(root)
        except Exception as error:  # not built, built for another Python, or built in part
            text = f"{type(error).__name__}: {error}"
            advice = f"Run '{installation.again(build=True)}' to build it."
            found.append(Check(name, "warning", text, advice))
    return found


def disk(folder: Path) -> Check:
    """Is there room for results in ``folder``?"""
    free_bytes = shutil.disk_usage(folder).free
    found = f"{free_bytes / 1e9:.1f} GB free at {folder}"
    if free_bytes < FREE_LIMIT_BYTES:
        return Check(
            "disk", "warning", found, "Free some space: the results of a sweep may not fit."
        )
    return Check("disk", "ok", found)


def _cpu_model(root: Path) -> str:
    """Return the CPU's name as the kernel gives it, or the architecture."""
    for line in (_read(root / "proc/cpuinfo") or "").splitlines():
        if _key(line) == "model name":
            return line.partition(":")[2].strip()
    return platform.machine()


def _key(line: str) -> str:
    """Return the text before the colon in a line of /proc/cpuinfo."""
    return line.partition(":")[0].strip()


def _read(path: Path) -> str | None:
    """Return a file's text without surrounding space, or None where it cannot be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None


def _writable(folder: Path) -> bool:
    """Return whether files can be created in a folder or in its nearest existing parent.

    The check creates a file: permission bits mislead on read-only file systems and for root.
    """
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _first_line_of(command: list[str]) -> str | None:
    """Return the first line that a command prints, or None if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.partition("\n")[0].strip() or None
