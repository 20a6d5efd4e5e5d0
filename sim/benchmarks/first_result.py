"""What the first commands after installing cost: processor seconds with an empty cache.

``python sim/benchmarks/first_result.py [--json]`` runs each command in a terminal of its own, where
the compiled engine is made in the background, and without one, where it is not. Each gets an empty
folder for compiled code; ``read-only`` gets none that can be written. The foreground is the command
itself; the background is the process that it starts, measured until it ends. Processor time depends
on what else the machine does: start it on a quiet one.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from lockui.console import console

COMMANDS = {
    "check mcs --threads 2": 3.0,
    "run ticket --cpus 4": 5.0,
    "show lock": 0.5,
    "--help": 0.2,
}
"""Commands, and the most processor seconds that they should take in the foreground."""
BACKGROUND_AIM_S = 22.0
LONGEST_S = 600


@dataclass(frozen=True, slots=True)
class Cost:
    """What one start of a command cost, in seconds of processor time.

    Arguments:
        command, where: what ran, and how. foreground_s: the command's own.
        background_s: of the process that it started; None: it started none. aim_s: of the command.
        said: its lines on stderr, up to a progress bar.
    """

    command: str
    where: str
    foreground_s: float
    background_s: float | None
    aim_s: float
    said: str


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON only")
    found = list(costs())
    if parser.parse_args().json:
        print(json.dumps([asdict(cost) for cost in found], indent=2))
        return
    table = Table("command", "where", "foreground", "aim", "background", "said")
    for cost in found:
        behind = "-" if cost.background_s is None else f"{cost.background_s:.1f} s"
        ahead = f"{cost.foreground_s:.2f} s", f"{cost.aim_s:.1f} s"
        table.add_row(cost.command, cost.where, *ahead, behind, cost.said)
    console().print(table)
    console().print(f"aim of a command and its background together: {BACKGROUND_AIM_S:.0f} s")


def costs() -> Iterator[Cost]:
    """Each command: first and again in a terminal, without one, and with nothing to write to."""
    for command, aim_s in COMMANDS.items():
        with tempfile.TemporaryDirectory() as cache:
            for where in ("terminal, first", "terminal, later"):
                yield _cost(command, where, aim_s, cache, terminal=True)
        with tempfile.TemporaryDirectory() as cache:
            yield _cost(command, "no terminal", aim_s, cache, terminal=False)
        yield _cost(command, "read-only", aim_s, "/proc/nothing", terminal=True)


def _cost(command: str, where: str, aim_s: float, cache: str, *, terminal: bool) -> Cost:
    """Run a command in an environment without a cache of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment |= {"NUMBA_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
    ours, theirs = pty.openpty()
    said: list[bytes] = []
    reader = threading.Thread(target=_read, args=(ours, said), daemon=True)
    reader.start()
    process = subprocess.Popen(
        [sys.executable, "-m", "locklab", *command.split()],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=theirs if terminal else subprocess.DEVNULL,
    )
    os.close(theirs)
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"locklab {command} failed ({where})")
    background_s = _background(cache)
    reader.join(timeout=1)
    text = b"".join(said).decode(errors="replace")
    text = text.partition("\x1b")[0].strip()  # a progress bar follows
    return Cost(command, where, used.ru_utime + used.ru_stime, background_s, aim_s, text)


def _read(descriptor: int, said: list[bytes]) -> None:
    """Read a terminal until it is closed."""
    try:
        while data := os.read(descriptor, 4096):
            said.append(data)
    except OSError:  # the last process with this terminal has ended
        pass


def _background(cache: str) -> float | None:
    """Wait for the process that compiles into a folder; its processor time, or None without one."""
    tick, used, began = os.sysconf("SC_CLK_TCK"), None, time.monotonic()
    while time.monotonic() - began < LONGEST_S:
        times = [
            sum(map(int, fields[11:13])) / tick
            for folder in Path("/proc").glob("[0-9]*")
            if (fields := _stat(folder, cache))
        ]
        if not times:
            return used
        used = times[0]
        time.sleep(0.1)
    raise RuntimeError(f"the process in the background has not ended after {LONGEST_S} s")


def _stat(folder: Path, cache: str) -> list[str]:
    """The fields of /proc/PID/stat after the name, of a process that compiles into a folder."""
    try:
        if b"locksim.ready" not in (folder / "cmdline").read_bytes():
            return []
        if f"NUMBA_CACHE_DIR={cache}".encode() not in (folder / "environ").read_bytes():
            return []
        return (folder / "stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


if __name__ == "__main__":
    main()
