"""A mutant of a struct of the library, and how the checker judges it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass

from locksim.checker import Budget
from locksim.compiler import CompileError
from locksim.compiler.addresses import LinkError
from locksim.core.result import SimulationError
from locksim.kinds import kind_of
from locksim.kinds.checking import check_lock
from locksim.lang import Struct
from locksim.lang.struct import ALL_MODELS
from locksim.library.registry import Entry, entries, from_text, resolve

Size = tuple[int, int]
"""Threads and rounds of a check."""
SIZES: tuple[Size, ...] = ((1, 1), (2, 1), (3, 1), (2, 2))
"""The checks that a mutant has to pass to survive, the cheapest first."""
PATHS = ("dcache_seqretry", "dcache_seqrwlock", "dcache_seqwriter", "dcache_seqwriter_queued")
"""Kernel paths that the checker proves beside the entries of the library."""
BUDGET = Budget(max_states=400_000, max_seconds=10.0, max_bytes=1 << 30)
"""Of one of them."""


@dataclass(frozen=True)
class Mutant:
    """A struct of the library with one change.

    Arguments:
        lock: its name. method: ``Class.method`` that is changed. line: what stands there, without
            indentation; "" for the whole method. change: what was done to it.
        text: the program. name: of the class in it.
    """

    lock: str
    method: str
    line: str
    change: str
    text: str
    name: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What lists of mutants know it by."""
        return self.lock, self.method, self.line, self.change

    def struct(self) -> type[Struct] | None:
        """Its class; None if the change is outside the language."""
        try:
            return from_text(self.text, f"{self.lock}.py", self.name).struct
        except (CompileError, LinkError):
            return None


@dataclass(frozen=True)
class Judgement:
    """What became of a mutant.

    Arguments:
        verdict: "killed", "proven", "unfinished", or "no program" where it does not compile.
        by: the check that killed it, else "". seconds: processor time.
    """

    verdict: str
    by: str = ""
    seconds: float = 0.0


def judge(mutant: Mutant, sizes: tuple[Size, ...] = SIZES, budget: Budget = BUDGET) -> Judgement:
    """Check a mutant, in one size after another, until one is violated; at last in its own sizes.

    A program that the checker refuses while it runs (an index out of range before time 0, a lock
    that does not fit into memory) counts as killed, too.
    """
    begin, unfinished = time.process_time(), ""
    struct = mutant.struct()
    if struct is None:
        return Judgement("no program")
    checks = itertools.product(sizes + needed_sizes(struct), models_of(struct))
    for (threads, rounds), memory in checks:
        size = f"{threads} threads, {rounds} rounds, {memory}"
        asked = {"threads": threads, "rounds": rounds, "memory": memory}
        try:
            verdict = check_lock(struct, **asked, budget=budget, simplest=False)
        except (CompileError, LinkError):
            return Judgement("no program")
        except SimulationError as error:
            return Judgement("killed", f"{size}: {error}", time.process_time() - begin)
        if verdict.found:
            by = f"{size}: {verdict.found} in {verdict.client}"
            return Judgement("killed", by, time.process_time() - begin)
        if verdict.verdict == "unfinished":
            unfinished = unfinished or size
    spent = time.process_time() - begin
    return Judgement("unfinished" if unfinished else "proven", unfinished, spent)


def needed_sizes(struct: type[Struct]) -> tuple[Size, ...]:
    """The checks without which not every line of a struct matters: its class says so."""
    threads, rounds = getattr(struct, "NEEDS_THREADS", 0), getattr(struct, "NEEDS_ROUNDS", 1)
    return ((threads, rounds),) if threads else ()


def models_of(struct: type[Struct]) -> tuple[str, ...]:
    """The memory models that a struct claims to be right under; what tso covers needs no sc."""
    claimed = getattr(struct, "MODELS", ALL_MODELS)
    return tuple(memory for memory in claimed if memory != "sc") or claimed


def checked_entries() -> Iterator[Entry]:
    """What the checker proves of the library, by name."""
    paths = [resolve(name) for name in PATHS]
    for entry in (*entries(), *paths):
        kind = kind_of(entry.struct)
        if kind and kind.clients(entry.struct, 2, 1) and entry.name != "no_check":
            yield entry
