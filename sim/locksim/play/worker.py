"""What the playground's page asks of Python, which runs in a worker of the reader's browser.

One function takes and gives JSON, so that the page's script knows nothing of our classes. Nothing
here needs numpy or numba: the checker runs uncompiled and the reference engine simulates. A mistake
in the reader's program is an answer with an ``error``; anything else that goes wrong is a bug.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from locksim.checker.play.game import answer as move
from locksim.checker.play.told import of_counterexample
from locksim.compiler.diagnostics import CompileError
from locksim.compiler.frontend import compile_source
from locksim.kinds import kind_of
from locksim.kinds.checking import walk_of_lock
from locksim.play.argument import (
    Argument,
    argument,
    claim_from,
    differences,
    opened,
    proved,
    schedule,
    simulated,
)

if TYPE_CHECKING:
    from locksim.checker.play.walk import Walk
    from locksim.compiler.bytecode import Image
    from locksim.core.memory import Memory
    from locksim.core.result import RunResult
    from locksim.machine import MachineTables

Report = Callable[[str, float], None]


def answer(ask: str, text: str, report: Report) -> str:
    """Answer a question.

    Arguments:
        ask: one of the questions below. text: its data, JSON.
        report: called at times with what is done and the share of it.

    Returns:
        JSON: the answer, or ``{"error": {"message", "line", "column", "end_column", "help"}}``;
        without a place ``line`` is 0.
    """
    try:
        found = _ASKS[ask](json.loads(text), report)
    except Exception as error:
        if not isinstance(getattr(error, "exit_code", None), int):
            raise
        found = {"error": _mistake(error)}
    return json.dumps(found)


def _mistake(error: Exception) -> dict[str, Any]:
    if isinstance(error, CompileError):
        names = ("line", "column", "end_column", "message", "help")
        return {name: getattr(error, name) for name in names}
    message, _, helped = str(error).partition("\nhelp: ")
    return {"line": 0, "column": 0, "end_column": 0, "message": message, "help": helped}


def _read(said: dict[str, Any], _: Report) -> dict[str, Any]:
    """The classes of a program, and whether each can be checked and simulated."""
    asked, classes = argument(**said), []
    for name, code in compile_source(asked.text, asked.file).items():
        kind = kind_of(code.struct)
        checked = kind is not None and bool(kind.clients(code.struct, 2, 1))
        classes.append({"name": name, "usable": checked})
    return {"classes": classes}


def _check(said: dict[str, Any], report: Report) -> dict[str, Any]:
    """The verdict, a sentence, and the counterexample for the player."""
    asked = argument(**said)
    verdict = proved(asked, report)
    found = verdict.counterexample
    return {
        "verdict": verdict.verdict,
        "found": verdict.found,
        "schedule": schedule(found),
        "states": verdict.states,
        "limits": verdict.limits,
        "memory": "" if found is None else found.memory,
        "play": None if found is None else of_counterexample(found, asked.lock or asked.file),
    }


class _Games:
    """The game that is being played: its walk is kept, as each move asks about it."""

    def __init__(self) -> None:
        self.asked: Argument | None = None
        self.walk: Walk | None = None

    def of(self, said: dict[str, Any]) -> Walk:
        """The walk of a game; of a lock that is broken, the client that breaks it."""
        asked = argument(**said)
        if self.walk is None or asked != self.asked:
            struct = asked.entry().struct
            options = {"threads": asked.threads, "rounds": asked.rounds, "memory": asked.memory}
            verdict = proved(asked)
            client = verdict.client if verdict.verdict == "violated" else ""
            self.walk = walk_of_lock(struct, client=client, name=struct.__name__, **options)  # type: ignore[arg-type]
            self.asked = asked
        return self.walk


_games = _Games()


def _game(said: dict[str, Any], _: Report) -> dict[str, Any]:
    """A game's heading; its moves are asked for one by one."""
    return _games.of(said).heading()


def _move(said: dict[str, Any], _: Report) -> dict[str, Any]:
    """Where a path leads, or a hint: ``{"argument", "ask": "at" or "hint", "path"}``."""
    return move(_games.of(said["argument"]), said["ask"], said["path"])


def _simulate(said: dict[str, Any], report: Report) -> dict[str, Any]:
    """Units of work for each number of CPUs."""
    # Engine and machines are more than all that a proof needs: the page loads them at first use.
    from locksim.engine.reference.engine import run as reference

    def run(_: Image, memory: Memory, tables: MachineTables, seed: int, until: int) -> RunResult:
        return reference(memory, tables, seed=seed, until_ps=until)

    return {"units": simulated(argument(**said), run, report)}


def _link(said: dict[str, Any], _: Report) -> dict[str, Any]:
    """The fragment of an argument."""
    return {"fragment": argument(**said).fragment()}


def _open(said: dict[str, Any], _: Report) -> dict[str, Any]:
    """The argument of a fragment."""
    return opened(said["fragment"]).to_json()


def _compare(said: dict[str, Any], _: Report) -> dict[str, Any]:
    """What a claim says and was not found."""
    return {"wrong": differences(claim_from(said["claimed"]), claim_from(said["found"]))}


_ASKS: dict[str, Callable[[dict[str, Any], Report], dict[str, Any]]] = {
    "read": _read,
    "check": _check,
    "game": _game,
    "move": _move,
    "simulate": _simulate,
    "link": _link,
    "open": _open,
    "compare": _compare,
}
