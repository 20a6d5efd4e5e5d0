"""Stress a lock on real cores: torture, ThreadSanitizer, AddressSanitizer.

All three are the harness's torture loop (``native/harness/torture.h``) in a process of its own.
``torture`` judges by the counts of the loop. ``tsan`` and ``asan`` are other builds of the same
files, in which the guarded data also has a plain word; they judge by the report of the sanitizer.

>>> from locknative.explorer.torture import Builder, torture
>>> with Builder("torture") as builder:  # doctest: +SKIP
...     torture(builder, "mcs", threads=4, seconds=1.0).verdict
'passed'
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from locknative.compilation import toolchain
from locknative.compilation.harness import Harness
from locknative.errors import NativeError, unknown

__all__ = ["TOOLS", "Builder", "TortureTrial", "torture"]

FLAGS = {
    "torture": (),
    "tsan": ("-fsanitize=thread", "-g", "-DLOCKLAB_PLAIN", "-Wno-tsan"),
    "asan": ("-fsanitize=address", "-g", "-DLOCKLAB_PLAIN"),
}
TOOLS = tuple(FLAGS)
PATIENCE_S = 3.0
REPORTED = 66
"""The exit status of a sanitizer that has found an error."""


@dataclass(frozen=True)
class TortureTrial:
    """The result of one trial.

    Attributes:
        lock: its name. tool: how it was judged. threads, seconds, seed: of the trial.
        verdict: ``passed``; ``wrong`` (two inside, a lost update, half an update); ``stuck``;
            ``race`` or ``memory`` (a sanitizer's report); ``crashed``.
        detail: the evidence, in words.
        acquisitions: of all threads. lost, overlaps, torn: violations.
        passed: the longest wait, in exclusive sections of others.
    """

    lock: str
    tool: str
    threads: int
    seconds: float
    seed: int
    verdict: str
    detail: str
    acquisitions: int = 0
    lost: int = 0
    overlaps: int = 0
    torn: int = 0
    passed: int = 0


class Builder:
    """Builds the harness with the torture loop of a lock; a context manager.

    Args:
        tool: one of :data:`TOOLS`.

    Raises:
        NativeError: no such tool, no compiler, or one without this sanitizer.
    """

    def __init__(self, tool: str) -> None:
        if tool not in FLAGS:
            raise unknown("tool", tool, TOOLS)
        self.tool = tool
        self._folder = tempfile.TemporaryDirectory(prefix="locklab-")
        self._harness = Harness(Path(self._folder.name), FLAGS[tool])

    def __enter__(self) -> Builder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._folder.cleanup()

    def build(self, lock: str, includes: Sequence[str | Path] = ()) -> Path:
        """Return an executable with one lock.

        Args:
            lock: its name.
            includes: folders that are searched before the library's own, for another version of
                the lock.
        """
        from locknative.explorer.locks import adapter

        source = adapter(lock)
        if self.tool == "torture" and not includes:
            return toolchain.find_built("locklab-native")
        return self._harness.program({lock: source}, ["torture"], includes)


def torture(
    builder: Builder,
    lock: str,
    threads: int = 4,
    seconds: float = 1.0,
    seed: int = 1,
    includes: Sequence[str | Path] = (),
    patience_s: float = PATIENCE_S,
) -> TortureTrial:
    """Build a lock and run one trial.

    Args:
        builder: for which tool.
        lock: its name. threads: how many, at least 2. seconds: how long.
        seed: of the delays.
        includes: as in :meth:`Builder.build`.
        patience_s: how long threads may take to finish once time is up, in s.

    Raises:
        NativeError: bad input, or a machine that cannot run this tool.
    """
    program = builder.build(lock, includes)
    return trial(program, builder.tool, lock, threads, seconds, seed, patience_s)


def trial(
    program: Path,
    tool: str,
    lock: str,
    threads: int,
    seconds: float,
    seed: int,
    patience_s: float = PATIENCE_S,
) -> TortureTrial:
    """Run one trial of an executable that :class:`Builder` has made."""
    command = [
        *(str(program), "run", lock, "--loop", "torture", "--threads", str(threads)),
        *("--duration-ms", str(round(1000 * seconds)), "--seed", str(seed)),
        *("--patience-ms", str(round(1000 * (patience_s + seconds)))),
    ]
    done = _run(command, seconds)
    if tool == "tsan" and "unexpected memory mapping" in done.stderr:
        # The kernel spreads addresses wider than this ThreadSanitizer supports: run without.
        setarch = shutil.which("setarch")
        if setarch is None:
            raise NativeError(
                "ThreadSanitizer does not start: the kernel spreads addresses too widely for it. "
                "Install setarch (util-linux), or run: sysctl vm.mmap_rnd_bits=28"
            )
        done = _run([setarch, "-R", *command], seconds)
    verdict, detail = _judge(tool, done)
    counts = _counts(done.stdout)
    if verdict == "wrong":
        detail = (
            f"{counts['lost']} updates lost, {counts['overlaps']} times another thread was inside, "
            f"{counts['torn']} times half an update"
        )
    return TortureTrial(lock, tool, threads, seconds, seed, verdict, detail, **counts)


def _run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    options = f"exitcode={REPORTED}:halt_on_error=1"
    environment = os.environ | {
        "TSAN_OPTIONS": options,
        "ASAN_OPTIONS": options + ":detect_leaks=0",
    }
    try:
        return subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10 * seconds + 60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 3, "", "the process did not end")


def _judge(tool: str, done: subprocess.CompletedProcess[str]) -> tuple[str, str]:
    if done.returncode == REPORTED:
        found = re.search(r"(?:ERROR|WARNING): \w+Sanitizer: (.*?)(?: \(pid=| on |$)", done.stderr)
        where = re.search(r"#\d+ \S+ (\S+?):(\d+)", done.stderr)
        what = found[1] if found else "a report"
        place = f" at {Path(where[1]).name}:{where[2]}" if where else ""
        return ("race" if tool == "tsan" and "race" in what else "memory"), what + place
    if done.returncode == 0:
        return "passed", ""
    if done.returncode == 1:
        return "wrong", ""
    if done.returncode == 3:
        return "stuck", "the threads did not finish"
    if done.returncode < 0:
        return "crashed", f"signal {-done.returncode}"
    raise NativeError(
        f"the torture executable ended with status {done.returncode}: {done.stderr.strip()[-300:]}"
    )


def _counts(text: str) -> dict[str, int]:
    """Return the counts of the executable; zeros where it ended before it printed them."""
    try:
        said = json.loads(text)
    except json.JSONDecodeError:
        return dict.fromkeys(("acquisitions", "lost", "overlaps", "torn", "passed"), 0)
    tallies = said["tallies"]
    return {
        "acquisitions": sum(tally["count"] for tally in tallies),
        "lost": sum(tally["writes"] for tally in tallies) - said["updates"],
        "overlaps": sum(tally["overlaps"] for tally in tallies),
        "torn": sum(tally["torn"] for tally in tallies),
        "passed": max(tally["passed"] for tally in tallies),
    }
