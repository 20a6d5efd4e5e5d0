"""Run a program's search, and say what came of it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from locknative.errors import NativeError, unknown
from locknative.explorer.program import Program
from locksim.checker.limits import limit, proven
from locksim.checker.replay.counterexample import Counterexample
from lockui import portable
from lockui.extras import demand

MEMORIES = ("sc", "tso", "c11")
STANDARDS = ("c11", "c++20")
MOST_MEMORY = 4 << 30
"""Bytes of address space that a program may use."""
MOST_WORKERS = 64
BEGINNINGS, BEGINNING_S = 8, 0.5
"""An estimate begins the search so often, each time for so long at most (CPU time)."""
SHARED, WORKER = struct.Struct("Q"), struct.Struct("Qd")
"""What explorer/parts.c shares: the part that failed; of each process its runs and progress."""
Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Search:
    """How to explore.

    Attributes:
        threads: how many run ``locklab_thread``, 1 to 8; an ordinary main() makes its own.
        preemptions: None: a complete search. Else a search for errors through runs
            of up to so many deviations: preemptions of a thread that could go on, under ``tso``
            stores that linger in their buffer, under ``c11`` old values that are read and stores
            that go before later ones. 0 to 100.
        memory: ``sc``, ``tso`` or ``c11``.
        pct: above 0: no exhaustive search, but random runs that find any error of this depth with
            a known probability (Burckhardt and others, ASPLOS 2010). Up to 64.
        runs: how many random runs.
        seed: of the random runs, and what ``locklab_seed()`` gives.
        replay: the choices of one run, as a counterexample gives them.
        seconds: CPU time that each process spends at most.
        max_steps: of one run.
        every_access: interrupt threads before plain accesses too, not only before atomic ones.
        spurious: condition variables and futex waits wake up, and weak compare-and-swaps fail, for
            no reason, as POSIX and C11 allow.
        malloc_fails: each malloc() can return NULL.
        leaks: report memory that nothing points to at the end.
        release_sequences: ``c11`` (and C17): later stores of the thread that released carry the
            sequence on; ``c++20``: they end it, as any store does.
        workers: processes that make the search together. The verdict is the same for any number,
            and so is the counterexample for any above 1.
    """

    threads: int = 2
    preemptions: int | None = None
    memory: str = "sc"
    pct: int = 0
    runs: int = 10_000
    seed: int = 1
    replay: str | None = None
    seconds: float = 60.0
    max_steps: int = 200_000
    every_access: bool = False
    spurious: bool = True
    malloc_fails: bool = False
    leaks: bool = True
    release_sequences: str = "c11"
    workers: int = 1

    def __post_init__(self) -> None:
        if self.memory not in MEMORIES:
            raise unknown("memory model", self.memory, MEMORIES)
        if self.release_sequences not in STANDARDS:
            raise unknown("standard", self.release_sequences, STANDARDS)
        for name, low, high in (
            ("threads", 1, 8),
            ("preemptions", 0, 100),
            ("pct", 0, 64),
            ("runs", 1, 10**12),
            ("seed", 0, 2**64 - 1),
            ("workers", 1, MOST_WORKERS),
            ("seconds", 0.001, 86400),
            ("max_steps", 100, 10**7),
        ):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise NativeError(f"{name} must be between {low:,} and {high:,} (got {value})")


@dataclass(frozen=True)
class Exploration:
    """What came of a search.

    Attributes:
        program: the files, as they were named.
        threads: how many the program had (of a main(): with it).
        memory: ``sc``, ``tso`` or ``c11``.
        verdict: ``proven``: of all interleavings that differ, one was seen, and none was wrong.
            ``proven within limits``: the same, and `limits` says what else can happen.
            ``bounded``: no error was found within a bound, or with some of the program's inputs.
            ``sampled``: random runs only. ``violated``. ``unfinished``: neither.
        found: what is violated: race, memory, deadlock, assertion, exclusion, leak, rcu, fault.
        runs: executions. traces: those of them that went to the end, and were not cut short because
            another run covers what they lead to. steps: of all runs together. seconds: that they
            took.
        bound: deviations of a run up to which a bounded search came.
        choices: what to pass as ``replay`` to have the last run again.
        limits: what the verdict depends on, in words.
        counterexample: the run that shows it, or that was replayed.
    """

    program: str
    threads: int
    memory: str
    verdict: str
    found: str
    runs: int
    traces: int
    steps: int
    seconds: float
    bound: int
    choices: str
    limits: list[str]
    counterexample: Counterexample | None


@dataclass(frozen=True)
class Estimate:
    """How much work a complete search is.

    The search is begun several times, each time in another order. Each beginning gives an estimate
    after Knuth (1975) and Kilby and others (AAAI 2006). The reduction finds some choices late, so
    the estimates tend to be low.

    Attributes:
        program, threads, memory: as in :class:`Exploration`.
        runs: about how many there are: the median of all beginnings. If a beginning was all of the
            search, the number is exact.
        lowest, highest: of all beginnings.
        seconds: CPU time of as many runs.
        exact: whether the search came to its end.
    """

    program: str
    threads: int
    memory: str
    runs: float
    lowest: float
    highest: float
    seconds: float
    exact: bool


def explore(files: Sequence[str | Path], *, defines: Sequence[str] = (), **how: Any) -> Exploration:
    """Compile C files and explore what they do.

    Args:
        files: a program, or the functions of ``locklab/explore.h``.
        defines: macros for the compiler.
        how: fields of :class:`Search`.

    Raises:
        NativeError: bad input, a file that does not compile or cannot be explored.
    """
    search = Search(**how)
    with Program(files, defines) as program:
        return run(program, search)


def run(program: Program, search: Search, report: Report | None = None) -> Exploration:
    """Explore a compiled program, in processes of their own with a limit on time and memory.

    Args:
        program: what to explore. search: how.
        report: called now and then with a text and how much is done, from 0 to 1: an estimate.

    Raises:
        NativeError: the explorer has ended without a report.
        UsageError: what reads a program's names is not installed.
    """
    demand("a counterexample", "elftools", package=__package__)
    return _judge(program, search, _reported(program, search, report))


def estimate(program: Program, search: Search) -> Estimate | Exploration:
    """Estimate the work of a complete search by the beginnings of several.

    Args:
        program: what to explore. search: how, for at most `seconds` together; not bounded, not at
            random, not one run.

    Returns:
        The estimate; or the verdict, where a beginning finds an error or a loop without an end.

    Raises:
        NativeError: the explorer has ended without a report.
    """
    seconds = min(search.seconds / BEGINNINGS, BEGINNING_S)
    begun: list[tuple[float, float]] = []
    part = replace(search, seconds=seconds, workers=1)
    for beginning in range(BEGINNINGS):
        raw = _reported(program, part, None, shuffles=beginning)
        exact = raw["verdict"] == "passed"
        if not exact and (raw["verdict"] == "violated" or not raw["done"]):
            return _judge(program, search, raw)
        if exact:
            begun = [(raw["runs"], raw["seconds"])]
            break
        begun.append((raw["runs"] / raw["done"], seconds / raw["done"]))
    numbers = [runs for runs, _ in begun]
    return Estimate(
        program=", ".join(map(str, program.files)),
        threads=raw["threads"],
        memory=search.memory,
        runs=median(numbers),
        lowest=min(numbers),
        highest=max(numbers),
        seconds=median(each for _, each in begun),
        exact=exact,
    )


def _reported(
    program: Program, search: Search, report: Report | None, *, shuffles: int = 0
) -> dict[str, Any]:
    """Run the processes of a search, and return their reports as one."""
    workers = search.workers if search.replay is None else 1
    with tempfile.TemporaryDirectory(prefix="locklab-") as name:
        shared = Path(name, "shared")
        shared.write_bytes(bytes(SHARED.size + MOST_WORKERS * WORKER.size))
        files = [Path(name, str(worker)) for worker in range(workers)]
        started: list[subprocess.Popen[bytes]] = []
        try:
            for worker, file in enumerate(files):
                options = [*_options(search), "worker", worker, "workers", workers]
                options += ["shuffles", shuffles]
                started.append(
                    subprocess.Popen(
                        [program.path, file, *map(str, options), "shared", shared],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=None if search.replay is not None else subprocess.DEVNULL,
                        preexec_fn=_limit,
                    )
                )
            _wait(started, search, shared, report)
        finally:
            for process in started:
                process.kill()
                process.wait()
        for process, file in zip(started, files, strict=True):
            if process.returncode != 0 or not file.is_file() or not file.stat().st_size:
                raise NativeError(
                    f"the explorer ended with status {process.returncode} and without a report: "
                    "the program has overwritten memory that is not its own, or used too much of it"
                )
        return _joined([json.loads(file.read_text()) for file in files])


def _options(search: Search) -> list[str | int | float]:
    """The runtime's options, name after value."""
    options: dict[str, str | int | float] = {
        "threads": search.threads,
        "preemptions": -1 if search.preemptions is None else search.preemptions,
        "memory": search.memory,
        "pct": search.pct,
        "runs": search.runs,
        "seed": search.seed,
        "seconds": search.seconds,
        "max-steps": search.max_steps,
        "every-access": int(search.every_access),
        "spurious": int(search.spurious),
        "malloc-fails": int(search.malloc_fails),
        "leaks": int(search.leaks),
        "release-sequences": search.release_sequences,
    }
    if search.replay is not None:
        options["replay"] = search.replay
    return [word for pair in options.items() for word in pair]


def _cpu_s(pid: int) -> float:
    """Seconds of CPU time that a process has used."""
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _wait(
    started: list[subprocess.Popen[bytes]], search: Search, shared: Path, report: Report | None
) -> None:
    """Wait until all have ended."""
    limit_s = 2 * search.seconds + 60
    end = time.monotonic() + limit_s
    for process in started:
        while True:
            try:
                process.wait(timeout=0.2 if report else 10)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() > end and _cpu_s(process.pid) < search.seconds / 10:
                    raise NativeError(
                        f"the program did not answer within {limit_s:.0f} s: it waits for "
                        "something outside (input, a file, the network), which a test must not"
                    ) from None
            if report:
                told = shared.read_bytes()[SHARED.size :][: len(started) * WORKER.size]
                runs, done = zip(*WORKER.iter_unpack(told), strict=True)
                share = sum(done) / len(done)
                whole = f" of about {sum(runs) / share:.2g} or more" if share > 1e-6 else ""
                report(f"{sum(runs):,}{whole} runs", share)


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the reports of the processes as one: that of the first part that failed, if any."""
    failed = [part for part in parts if part["part"]]
    stopped = [part for part in parts if part["verdict"] == "unfinished"]
    joined = dict(min(failed, key=lambda part: part["part"]) if failed else [*stopped, parts[0]][0])
    for name in ("runs", "traces", "steps"):
        joined[name] = sum(part[name] for part in parts)
    for name in ("seconds", "bound", "threads"):
        joined[name] = max(part[name] for part in parts)
    joined["partial"] = next((part["partial"] for part in parts if part["partial"]), "")
    joined["accesses"] = [part["accesses"] for part in parts]
    joined["limits"] = sorted({name for part in parts for name in part["limits"]})
    return joined


def _limit() -> None:
    portable.limit("RLIMIT_AS", MOST_MEMORY)
    portable.limit("RLIMIT_CORE", 0)


def _judge(program: Program, search: Search, raw: dict[str, Any]) -> Exploration:
    verdict, limits = raw["verdict"], []
    if verdict == "unfinished":
        from locknative.explorer.trace import reason

        limits.append(reason(program.path, raw["message"]))
    elif verdict == "passed":
        verdict, limits = _passed(program, search, raw)
    counterexample = None
    if raw["path"] or raw["found"]:
        from locknative.explorer.trace import tell

        counterexample = tell(program.path, raw)
    return Exploration(
        program=", ".join(map(str, program.files)),
        threads=raw["threads"],
        memory=search.memory,
        verdict=verdict,
        found=raw["found"],
        runs=raw["runs"],
        traces=raw["traces"],
        steps=raw["steps"],
        seconds=raw["seconds"],
        bound=raw["bound"],
        choices=raw["choices"],
        limits=limits,
        counterexample=counterexample,
    )


def _passed(program: Program, search: Search, raw: dict[str, Any]) -> tuple[str, list[str]]:
    if search.replay is not None:
        return "sampled", ["one run was replayed, and nothing was wrong in it"]
    if search.pct > 0:
        return "sampled", [f"{raw['runs']:,} random runs of all that there are: this is no proof"]
    partial = [raw["partial"]] if raw["partial"] else []
    if raw["complete"]:
        if partial:
            return "bounded", partial
        within = [limit(name) for name in raw["limits"]]
        if search.memory == "c11":
            from locknative.explorer.program_order import reorderings

            within += reorderings(program.path, raw["accesses"])
        if program.idle_calls:
            calls = ", ".join(f"{name}()" for name in program.idle_calls)
            within.append(limit("library", functions=calls))
        return proven(within), within
    deviations = f"{raw['bound']} preemption{'s' * (raw['bound'] != 1)}"
    deviations += {"tso": " and lingering stores together", "c11": " and old values together"}.get(
        search.memory, ""
    )
    return "bounded", [
        f"runs with more than {deviations} were not tried: this is no proof",
        *partial,
    ]
