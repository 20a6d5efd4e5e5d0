"""Make a link that holds a lock, the question about it and the answer.

The link's fragment, the part behind ``#``, holds all of it: nothing is uploaded. ``locklab play
open`` and the playground's page prove and simulate it again.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typing_extensions import TypedDict

from locksim.cli import options, values
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say, warn
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from locksim.checker import Verdict
    from locksim.compiler.bytecode import Image
    from locksim.core.memory import Memory
    from locksim.core.result import RunResult
    from locksim.machine import MachineTables
    from locksim.play.argument import Argument

app = typer.Typer(add_completion=False)

PAGE = "http://localhost:8000/playground/"
"""The playground as ``python -m http.server --directory out/site`` serves it."""


class ShareAnswer(TypedDict):
    """The link, and what it claims: verdict, schedule, units of work."""

    link: str
    claim: dict[str, Any]


@command(app)
def share(
    lock: options.LockName,
    threads: Annotated[int, Detail("1 to 4")] = 2,
    rounds: Annotated[int, Detail("1 to 10")] = 1,
    memory: options.MemoryModel = "sc",
    property_: Annotated[str, Detail("as for 'locklab check'", among(values.properties))] = "all",
    machine: options.MachineName = "ideal-16",
    cpus: Annotated[int, Detail("of the simulation, 1 to 16")] = 8,
    seed: int = 1,
    page: Annotated[str | None, Detail(default="LOCKLAB_PLAYGROUND, or localhost")] = None,
) -> Report[ShareAnswer]:
    """Make a link that holds a lock, the question about it and the answer.

    Exit code 0: the link is on stdout. 2: bad input.
    """
    from locksim.play.argument import argument, claim_of

    bounded(threads, "--threads", 1, 4)
    bounded(rounds, "--rounds", 1, 10)
    bounded(cpus, "--cpus", 1, 16)
    file, text, name = _program(lock)
    asked = argument(
        file=file,
        text=text,
        lock=name,
        threads=threads,
        rounds=rounds,
        memory=memory,
        property=property_,
        machine=machine,
        cpus=cpus,
        seed=seed,
    )
    claim = claim_of(*found(asked))
    where = page or os.environ.get("LOCKLAB_PLAYGROUND", PAGE)
    link = f"{where}#{replace(asked, claim=claim).fragment()}"
    document = ShareAnswer(link=link, claim=claim.to_json())
    return Report(document, lambda view: say(link, view))


def found(asked: Argument) -> tuple[Verdict, list[tuple[int, int]]]:
    """Check and simulate an argument, with a bar on stderr; no points if it cannot be simulated."""
    from locksim.core.result import SimulationError
    from locksim.kinds import LoadError
    from locksim.play.argument import proved, simulated

    with progress(asked.file) as report:
        verdict = proved(asked, report)
        try:
            return verdict, simulated(asked, fast, report)
        except (LoadError, SimulationError) as error:
            warn(f"not simulated: {error}")
            return verdict, []


def fast(
    image: Image, memory: Memory, tables: MachineTables, seed: int, until_ps: int
) -> RunResult:
    """The fast engine as :func:`locksim.play.argument.simulated` calls it."""
    from locksim.engine.fast.engine import run

    return run(image, memory, tables, seed=seed, until_ps=until_ps)


def _program(lock: str) -> tuple[str, str, str]:
    """File name, text and class of what a user names.

    Raises:
        UsageError, UnknownNameError: there is none.
    """
    import importlib

    from locksim.library.registry import resolve

    file, colon, name = lock.partition(":")
    if colon or file.endswith(".py"):
        path = Path(file)
    else:
        struct = resolve(lock).struct
        path, name = (
            Path(importlib.import_module(struct.__module__).__file__ or ""),
            struct.__name__,
        )
    try:
        return path.name, path.read_text(encoding="utf-8"), name
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}; give the path of a file") from None
