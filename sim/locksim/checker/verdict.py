"""What is asked for, within which budget, and the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from locksim.checker.errors import CheckError
from locksim.checker.limits import is_proof
from locksim.checker.models.layout import POOL
from locksim.checker.models.model import MOST_ENTRIES
from locksim.checker.replay.counterexample import Counterexample
from locksim.compiler.bytecode import Place

SAFETY = ("all", "exclusion", "deadlock", "assertion", "invariant", "memory", "race", "leak")
LIVENESS = ("starvation", "bypass")
PROPERTIES = SAFETY + LIVENESS
"""What can be asked for. A fault of the program (dead memory used, an index out of range, …) ends
every check, since nothing that follows it has a meaning; "memory" asks for nothing else. LIVENESS
is asked of clients that never end, and is not part of "all"."""


UNBOUNDED = -1
"""As a number of rounds: each thread runs its program any number of times, and may stop after any.
"""

_NOT_SAVED = ("ran", "stopped")

MIN_BYTES = 1 << 24
"""Less memory than that is not worth a check."""
_ENTRIES, _HISTORY = 16, 8
"""Of store buffers and of a word's old values, until they are full."""


@dataclass(frozen=True)
class Budget:
    """When to give up.

    Arguments:
        max_states: states of one client. max_seconds: CPU time for all clients together.
        max_bytes: memory for the states of one client.
        buffer_entries: stores that a store buffer holds under TSO; None: few, or many where few
            were full.
        heap_lines: lines that ``alloc`` can hand out.
        history: overtaken messages of a word that are remembered under C11; None: as above.
    """

    max_states: int = 5_000_000
    max_seconds: float = 600.0
    max_bytes: int = 8 << 30
    buffer_entries: int | None = None
    heap_lines: int = 16
    history: int | None = None

    def __post_init__(self) -> None:
        if not self.max_seconds > 0:
            raise CheckError(f"the time must be above 0 s (got {self.max_seconds:g} s)")
        if self.max_bytes < MIN_BYTES:
            least = f"{MIN_BYTES:,} bytes"
            raise CheckError(f"memory must be at least {least} (got {self.max_bytes:,})")

    def depth(self, *, large: bool = False) -> dict[str, int]:
        """The sizes of store buffers and histories, as keywords of a model.

        Arguments:
            large: whether those that were not given are as large as they can be.
        """
        entries, history = (MOST_ENTRIES, POOL) if large else (_ENTRIES, _HISTORY)
        return {
            "buffer_entries": entries if self.buffer_entries is None else self.buffer_entries,
            "history": history if self.history is None else self.history,
        }


@dataclass(frozen=True)
class Verdict:
    """The answer.

    Arguments:
        lock: name of what was checked. threads: how many. memory: "sc", "tso" or "c11".
        property: what was asked, one of PROPERTIES.
        verdict: "proven", "proven within limits", "violated" or "unfinished".
        states: different states found, all clients together. depth: steps to the last of them.
        seconds: CPU time spent.
        found: the property that is violated under this memory model, or "".
        client: name of the client that violates it, or of the last one.
        limits: what the verdict depends on, in sentences (:mod:`locksim.checker.limits`); empty if
            there is nothing to say.
        counterexample: a shortest path to a violation, or None: under the strongest memory model
            that breaks what is checked, which its ``memory`` names.
        rounds: critical sections of each thread; 0 where the client decides; UNBOUNDED.
        bypass: the most acquisitions by others while a thread waits, if that was asked for and
            there is a bound; else None.
        not_checked: the properties that were not asked for; empty unless ``property`` is "all".
        expect: what the user expected at the end, or "".
        spec, condition: the specification, and how its histories are compared; "" without one.
        told_apart: client's name → why its threads were told apart; "" where they were exchanged
            for one another.
        ran: the operations that some explored step does (:mod:`locksim.checker.search.coverage`).
        stopped: why it is unfinished: "states", "time", "memory", "heap" or "growth"; else "".
    """

    lock: str
    threads: int
    memory: str
    property: str
    verdict: str
    states: int
    depth: int
    seconds: float
    found: str = ""
    client: str = ""
    limits: list[str] = field(default_factory=list)
    counterexample: Counterexample | None = None
    rounds: int = 0
    bypass: int | None = None
    not_checked: list[str] = field(default_factory=list)
    expect: str = ""
    spec: str = ""
    condition: str = ""
    told_apart: dict[str, str] = field(default_factory=dict)
    ran: frozenset[Place] = field(default=frozenset(), repr=False)
    stopped: str = field(default="", repr=False)

    def is_proof(self) -> bool:
        """Whether it is a proof, within limits or without any."""
        return is_proof(self.verdict)

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        steps = None if self.counterexample is None else self.counterexample.to_json()
        known = {name: value for name, value in vars(self).items() if name not in _NOT_SAVED}
        return {**known, "counterexample": steps}
