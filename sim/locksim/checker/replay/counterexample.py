"""A counterexample: the steps of a path, the client's calls above them, and what is wrong."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, replace
from typing import Any

from locksim.checker.models import layout as m
from locksim.checker.models.model import Model
from locksim.checker.replay.invocations import Invocation
from locksim.checker.replay.messages import verdict, waits
from locksim.checker.replay.path import Replay
from locksim.checker.replay.path import Step as Step
from locksim.checker.search.conduct import WRITING, Misconduct
from locksim.checker.search.explore import Exploration
from locksim.checker.search.liveness import Lasso


@dataclass(frozen=True)
class Counterexample:
    """A shortest path to what is wrong.

    Arguments:
        found: "exclusion", "deadlock", "assertion", "invariant", "memory", or "fault" (index,
            shift, …).
        message: what is wrong, in words.
        steps: the path. The last step shows the fault, or reaches the state that is wrong.
        threads: how many there are.
        cycle: where the steps go round for ever: the index of the first one of the cycle, whose
            last step leads back to where it began. None: they do not.
        victim: the thread that never gets on in the cycle, or -1.
        memory: the memory model that the steps are of: the strongest that breaks what is checked,
            which may be stronger than the one asked for; "" where the explorer of C made them.
        client: name of the test client that does them, or "".
        calls: what the client calls, in order.
        library: what a program of the reader's own calls of the library, in order; a reader need
            not follow its steps.
        grows: word's name → by how much it is larger after each round of the cycle.
        initial: word's name → its value before the first step, where that is not 0.
    """

    found: str
    message: str
    steps: list[Step]
    threads: int
    cycle: int | None = None
    victim: int = -1
    memory: str = ""
    client: str = ""
    calls: list[Invocation] = field(default_factory=list)
    library: list[Invocation] = field(default_factory=list)
    grows: dict[str, int] = field(default_factory=dict)
    initial: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        return dataclasses.asdict(self)


def of_path(
    model: Model, path: list[int], status: int, expect: dict[str, int] | None = None
) -> Counterexample:
    """The counterexample of some steps (thread * 64 + action each), whose end shows what is wrong.

    Arguments:
        model: of what. path: the steps.
        status: what is wrong. expect: word's name → its value at the end, for the message.
    """
    walk = Replay(model)
    for via in path:
        walk.step(via)
    kind, message = verdict(walk, status, expect or {})
    return _of_walk(walk, kind, message)


def of_misconduct(found: Exploration, wrong: Misconduct, path: list[int]) -> Counterexample:
    """The counterexample of a thread that does what it may not do inside a call.

    Arguments:
        found: the exploration. wrong: what is done. path: the steps to the state of it.
    """
    walk = Replay(found.relied)
    for via in (*path, *wrong.steps):
        walk.step(via)
    who = f"thread {wrong.thread}"
    if wrong.found == WRITING:
        lines = [f"{who} writes in {wrong.method}()"]
    else:
        lines = [
            f"{who} does not come out of {wrong.method}() while the others stay where they are:"
        ]
        lines += waits(walk)
    return _of_walk(walk, wrong.found, "\n".join(lines))


def of_lasso(found: Exploration, lasso: Lasso) -> Counterexample:
    """The counterexample of a run that goes round for ever."""
    walk = Replay(found.relied)
    for via in lasso.path:
        walk.step(via)
    before = walk.shared.copy()
    for via in lasso.cycle:
        walk.step(via)
    static = found.model.tables.size[m.STATIC]
    grows = {walk.names.word(a): walk.shared[a] - before[a] for a in range(static)}
    grows = {word: amount for word, amount in grows.items() if amount}
    growth = [f"  {word} is larger by {amount} each time" for word, amount in grows.items()]
    message = _FOR_EVER[lasso.found].format(
        steps="no step at all"
        if not lasso.cycle
        else f"steps {len(lasso.path) + 1} to {len(walk.steps)}",
        victim=lasso.victim,
    )
    example = _of_walk(walk, lasso.found, "\n".join([message, *waits(walk), *growth]))
    return replace(example, cycle=len(lasso.path), victim=lasso.victim, grows=grows)


def _of_walk(walk: Replay, found: str, message: str) -> Counterexample:
    """The steps and calls of a path that has been walked."""
    size, shared = walk.model.tables.size[m.N_WORDS], walk.model.shared
    words = {s.word: shared[s.address] for s in walk.steps if s.order and 0 < s.address < size}
    return Counterexample(
        found,
        message,
        walk.steps,
        walk.model.n_threads,
        calls=walk.invocations.client,
        library=walk.invocations.library,
        initial={word: value for word, value in words.items() if value},
    )


_FOR_EVER = {
    "starvation": "{steps} repeat for ever: every thread keeps running, others acquire the lock, "
    "and thread {victim} never does",
    "livelock": "{steps} repeat for ever: every thread keeps running, no thread acquires the lock, "
    "and thread {victim} waits",
    "bypass": "{steps} can repeat any number of times while thread {victim} waits: "
    "others overtake it without bound",
}
