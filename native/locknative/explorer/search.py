"""Run a program's search, and say what came of it."""

from __future__ import annotations

import dataclasses
import json
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locknative.errors import NativeError, unknown
from locknative.explorer.program import Program

if TYPE_CHECKING:
    from locksim.checker.replay.counterexample import Counterexample

MEMORIES = ("sc", "tso", "c11")
STANDARDS = ("c11", "c++20")
MOST_MEMORY = 4 << 30
"""Bytes of address space that a program may use."""


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
        seed: of the random runs.
        replay: the choices of one run, as a counterexample gives them.
        seconds: time to spend at most.
        max_steps: of one run.
        every_access: interrupt threads before plain accesses too, not only before atomic ones.
        spurious: condition variables wake up, and weak compare-and-swaps fail, for no reason.
        leaks: report memory that nothing points to at the end.
        release_sequences: ``c11`` (and C17): later stores of the thread that released carry the
            sequence on; ``c++20``: they end it, as any store does.
    """

    threads: int = 2
    preemptions: int | None = None
    memory: str = "sc"
    pct: int = 0
    runs: int = 10_000
    seed: int = 1
    replay: str | None = None
    seconds: float = 60.0
    max_steps: int = 20_000
    every_access: bool = False
    spurious: bool = False
    leaks: bool = True
    release_sequences: str = "c11"

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
            ("seconds", 0.001, 86400),
            ("max_steps", 100, 10**6),
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

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data; the counterexample has the shape of ``locklab check``'s."""
        return dataclasses.asdict(self)


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


def run(program: Program, search: Search) -> Exploration:
    """Explore a compiled program, in a process of its own with a limit on time and memory."""
    with tempfile.NamedTemporaryFile(prefix="locklab-", suffix=".json") as file:
        options = {
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
            "leaks": int(search.leaks),
            "release-sequences": search.release_sequences,
        }
        if search.replay is not None:
            options["replay"] = search.replay
        words = [str(word) for pair in options.items() for word in pair]
        try:
            done = subprocess.run(
                [str(program.path), file.name, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=None if search.replay is not None else subprocess.DEVNULL,
                timeout=2 * search.seconds + 60,
                preexec_fn=_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NativeError(
                f"the program did not answer within {2 * search.seconds + 60:.0f} s: it waits for "
                "something outside (input, a file, the network), which a test must not"
            ) from None
        text = Path(file.name).read_text()
    if done.returncode != 0 or not text:
        raise NativeError(
            f"the explorer ended with status {done.returncode} and without a report: the program "
            "has overwritten memory that is not its own, or used too much of it"
        )
    return _judge(program, search, json.loads(text))


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _judge(program: Program, search: Search, raw: dict[str, Any]) -> Exploration:
    verdict, limits = raw["verdict"], []
    if verdict == "unfinished":
        from locknative.explorer.trace import reason

        limits.append(reason(program.path, raw["message"]))
    elif verdict == "passed":
        verdict, limit = _passed(search, raw)
        limits += limit
    counterexample = None
    if raw["path"]:
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


def _passed(search: Search, raw: dict[str, Any]) -> tuple[str, list[str]]:
    if search.replay is not None:
        return "sampled", ["one run was replayed, and nothing was wrong in it"]
    if search.pct > 0:
        return "sampled", [f"{raw['runs']:,} random runs of all that there are: this is no proof"]
    partial = [raw["partial"]] if raw["partial"] else []
    if raw["complete"]:
        return ("bounded", partial) if partial else ("proven", [])
    deviations = f"{raw['bound']} preemption{'s' * (raw['bound'] != 1)}"
    deviations += {"tso": " and lingering stores together", "c11": " and old values together"}.get(
        search.memory, ""
    )
    return "bounded", [
        f"runs with more than {deviations} were not tried: this is no proof",
        *partial,
    ]
