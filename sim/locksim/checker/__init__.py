"""The checker: every interleaving of a few threads, with a shortest counterexample.

    from locksim.checker import check_lock
    from locksim.library.locks.ticket import TicketLock

    check_lock(TicketLock, threads=3, memory="tso").verdict   # "proven"

From source to verdict: :mod:`program` unfolds the linked bytecode and finds what matters in a
state, :mod:`model` lays a state out, :mod:`step` takes one step with a memory model of :mod:`sc`,
:mod:`tso`, :mod:`c11`, :mod:`explore` takes all of them but those that make no difference
(:mod:`claims`), :mod:`progress` looks back from the ends, :mod:`leak` at them, :mod:`liveness` for
cycles, :mod:`counterexample` and :mod:`render` tell what went wrong, :mod:`check` puts it together.
:mod:`sample` draws random schedules. :mod:`replay` does a counterexample's steps on
:mod:`reference`, which shares nothing with what is compiled. What the memory models allow is in
``docs/CHECKER.md``.
"""

from locksim.checker.check import check_lock, check_workload, outcomes
from locksim.checker.errors import CheckError
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.replay.replay import ReplayError, replay
from locksim.checker.search.sample import Sampling, sample_lock
from locksim.checker.verdict import PROPERTIES, Budget, Verdict

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
    "check_workload",
    "outcomes",
    "replay",
    "sample_lock",
]
