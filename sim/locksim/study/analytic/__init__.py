"""Analytic models of a lock, with the same inputs as the simulation.

    from locksim.study.analytic import compare

    compare([1, 2, 4, 8, 16], hold_ns=100, think_ns=2000, transfer_ns=50)

Each model sees a lock as a closed loop: each of N CPUs works outside the lock for ``think_ns``,
then needs it for ``hold_ns``. They differ in the cost of a handoff and in the rules of waiting.
:mod:`mva` is a queue with a constant service time. In :mod:`markov` the service time grows with the
number of waiters. :mod:`usl` is a formula of three numbers, usually fitted. No model knows cache
lines; the simulator does, and that is the point of a comparison. :mod:`network` is not for locks,
but for messages that pass through several stations.
"""

from locksim.study.analytic.compare import compare
from locksim.study.analytic.errors import AnalyticError
from locksim.study.analytic.markov import TicketLockChain, ticket_lock
from locksim.study.analytic.mva import ClosedQueue, bounds, machine_repairman
from locksim.study.analytic.usl import USL, UslFit, fit

__all__ = [
    "USL",
    "AnalyticError",
    "ClosedQueue",
    "TicketLockChain",
    "UslFit",
    "bounds",
    "compare",
    "fit",
    "machine_repairman",
    "ticket_lock",
]
