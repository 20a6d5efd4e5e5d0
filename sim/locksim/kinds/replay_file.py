"""A verdict that was written as JSON, read back and replayed.

The file names the lock, the client and the steps; all else is built anew from the lock's source.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic

from locksim.checker.check import ON_NODES, dealt, expecting
from locksim.checker.models.model import model
from locksim.checker.question import Question
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.replay.replay import ReplayError, replay
from locksim.checker.spec import clients as spec_clients
from locksim.checker.verdict import Verdict
from locksim.kinds.checking import clients_of, endless_clients_of
from locksim.library.registry import resolve, specification

_VERDICT = pydantic.TypeAdapter(Verdict)


@dataclass(frozen=True)
class Replayed:
    """A counterexample that holds.

    Arguments:
        verdict: what the file said. found: what the replay showed.
    """

    verdict: Verdict
    found: str

    @property
    def counterexample(self) -> Counterexample:
        """The steps."""
        assert self.verdict.counterexample is not None
        return self.verdict.counterexample

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        verdict = self.verdict
        return {
            "lock": verdict.lock,
            "threads": verdict.threads,
            "rounds": verdict.rounds,
            "memory": self.counterexample.memory,
            "client": self.counterexample.client,
            "replayed": True,
            "found": self.found,
            "counterexample": self.counterexample.to_json(),
        }


def replay_file(path: Path) -> Replayed:
    """Replay what ``locklab check --json`` wrote.

    Raises:
        ReplayError: the file cannot be read, is not a verdict with a counterexample, or its
            counterexample does not hold for the lock as it is now.
        UnknownNameError, CompileError: the lock is not there, or is not a valid program any more.
    """
    verdict = _read(path)
    claim = verdict.counterexample
    if claim is None or not claim.steps:
        raise ReplayError(
            f"{path}: the verdict is '{verdict.verdict}', without a counterexample to replay"
        )
    entry = resolve(verdict.lock)
    if verdict.spec:
        spec = specification(verdict.spec)
        calls = claim.client.partition(ON_NODES)[0]
        known = spec_clients(entry.struct, spec, 0, calls, verdict.condition)
    elif claim.cycle is None:
        known = clients_of(entry.struct, verdict.threads, verdict.rounds)
    else:
        known = endless_clients_of(entry.struct)
    asked = Question(threads=verdict.threads, memory=claim.memory)
    known = [one for each in known for one in dealt(each, asked)]
    client = next((c for c in known if c.name == claim.client), None)
    if client is None:
        names = "; ".join(c.name for c in known)
        raise ReplayError(
            f"{path}: {verdict.lock} has no client '{claim.client}' (it has: {names})"
        )
    client = expecting(client, verdict.expect)
    built = model(client.workload, verdict.threads, claim.memory)
    try:
        found = replay(claim, client, memory=claim.memory, types=built.memory.types)
    except ReplayError as error:
        raise ReplayError(
            f"{path} does not replay: {error}\n"
            "help: has the lock changed since? check it again with --json"
        ) from None
    if found != claim.found:
        raise ReplayError(f"{path} does not replay: it shows '{found}', not '{claim.found}'")
    return Replayed(verdict, found)


def _read(path: Path) -> Verdict:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not valid UTF-8"
        raise ReplayError(f"{path} cannot be read: {reason}") from None
    try:
        return _VERDICT.validate_json(text)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise ReplayError(
            f"{path} is not a verdict: {where}: {first['msg']}\n"
            "help: give a file that `locklab check NAME --json` wrote"
        ) from None
