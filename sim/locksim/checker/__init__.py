"""The checker: every interleaving of a few threads, with a shortest counterexample.

    from locksim.checker import check_lock
    from locksim.library.locks.ticket import TicketLock

    check_lock(TicketLock, threads=3, memory="tso").verdict   # "proven"

From source to verdict: :mod:`.models.program` unfolds the linked bytecode and finds what matters in
a state, :mod:`.models.model` lays a state out, :mod:`.search.step` takes one step with a memory
model of :mod:`.models.sc`, :mod:`.models.tso`, :mod:`.models.c11`, :mod:`.search.explore` takes all
steps but those that make no difference (:mod:`.models.reduction`). :mod:`.search.invariants` are
asked of every state, an :mod:`.expectation` of the final ones. :mod:`.search.progress` searches
backwards from the final states, :mod:`.search.leak` searches them for lost objects,
:mod:`.search.liveness` looks for cycles, :mod:`.replay.counterexample` and :mod:`.replay.render`
show what went wrong, :mod:`.check` puts it together. :mod:`.sample` draws random schedules.
:mod:`.replay` does a counterexample's steps on :mod:`.replay.reference`, which shares nothing with
what is compiled. What is explored is a :mod:`.client`; :mod:`.weakest` looks for weaker memory
orders; a lock's kind has its clients (:mod:`locksim.kinds`). What the memory models allow is in
``docs/explain/checker.md``.
"""

from typing import TYPE_CHECKING, Any

from locksim.checker.check import check_workload, outcomes
from locksim.checker.errors import CheckError
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.replay.replay import ReplayError, replay
from locksim.checker.sample import Sampling
from locksim.checker.spec import check_spec
from locksim.checker.verdict import PROPERTIES, Budget, Verdict

if TYPE_CHECKING:
    from locksim.kinds.checking import check_lock, sample_lock

__all__ = [
    "PROPERTIES",
    "Budget",
    "CheckError",
    "Counterexample",
    "ReplayError",
    "Sampling",
    "Step",
    "Verdict",
    "check_lock",
    "check_spec",
    "check_workload",
    "outcomes",
    "replay",
    "sample_lock",
]

_OF_KINDS = ("check_lock", "sample_lock")
"""Offered here because users look for them here. They ask a lock's kind, and kinds stand above."""


def __getattr__(name: str) -> Any:
    import locksim

    if name not in _OF_KINDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(locksim, name)
