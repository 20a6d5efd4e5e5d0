"""Models by formula: what people use where they do not simulate, on the same inputs.

    from locksim.study.analytic import compare

    compare([1, 2, 4, 8, 16], hold_ns=100, think_ns=2000, transfer_ns=50)

All see a lock as a closed loop: each of N CPUs works outside the lock for ``think_ns``, then needs
it for ``hold_ns``. They differ in what handing it over costs and in who waits for whom:
:mod:`mva` has a queue with a constant service time, :mod:`markov` one whose service time grows
with the number of waiters, :mod:`usl` a formula of three numbers, usually fitted. None knows what a
cache line is; the simulator does, and that is the comparison to make. :mod:`network` is for what is
no lock: messages that go round several stations.
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
