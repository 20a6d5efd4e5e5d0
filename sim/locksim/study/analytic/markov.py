"""A ticket lock as a Markov chain: the more CPUs wait, the longer each handoff.

State k: k CPUs wait for the lock or hold it, from 0 to N. Each of the other N - k requests it after
a mean time of Z, so k grows at the rate (N - k) / Z. While k - 1 CPUs wait, a critical section and
its handoff together take s + c (k - 1) / 2, and k shrinks at the inverse of that. The reason: the
release invalidates the line in all waiters' caches, and their reads are served one after another,
each for c. On average the next owner's read is the middle one. All times are exponentially
distributed. A chain that only steps up and down by one has its equilibrium in closed form,

    P(k) / P(0) = N! / (N - k)! / Z^k · product over j < k of (s + c j / 2).

The collapse comes from the last factor. Once several CPUs wait, sections take longer, so more CPUs
start to wait before the next section ends. For many CPUs the throughput approaches
1 / (s + c (N - 1) / 2).

With c = 0 this is the machine repairman of :mod:`mva`. It leaves out distances between CPUs,
traffic on lines other than the lock's, times that are not exponential. Its authors found its
collapse more gradual than the measured one.

Source: Boyd-Wickizer, Kaashoek, Morris and Zeldovich, "Non-scalable locks are dangerous", Ottawa
Linux Symposium 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from locksim.study.analytic.errors import AnalyticError, check_cpus, check_times
from locksim.study.analytic.mva import NS_PER_S


@dataclass(frozen=True, slots=True)
class TicketLockChain:
    """The chain in equilibrium.

    Arguments:
        cpus: N.
        probabilities: float64[N + 1], the share of time in which k CPUs wait or hold.
        per_second: critical sections of all CPUs together.
    """

    cpus: int
    probabilities: npt.NDArray[np.float64]
    per_second: float

    @property
    def present(self) -> float:
        """Mean number of CPUs that wait for the lock or hold it."""
        return float(self.probabilities @ np.arange(self.cpus + 1))

    @property
    def utilisation(self) -> float:
        """Share of the time in which the lock is held or in a handoff."""
        return float(1 - self.probabilities[0])

    @property
    def waiting(self) -> float:
        """Mean number of CPUs that wait."""
        return self.present - self.utilisation


def ticket_lock(
    cpus: int, *, serial_ns: float, parallel_ns: float, transfer_ns: float
) -> TicketLockChain:
    """Equilibrium of N CPUs that share one ticket lock.

    Arguments:
        cpus: N, from 1.
        serial_ns: s, mean time of a critical section without waiters, above 0.
        parallel_ns: Z, mean time between two critical sections of a CPU.
        transfer_ns: c, the time for which one waiter's read occupies the line.

    Raises:
        AnalyticError: a number is out of range.
    """
    check_cpus(cpus)
    check_times(
        positive="serial_ns", serial_ns=serial_ns, parallel_ns=parallel_ns, transfer_ns=transfer_ns
    )
    waiters = np.arange(cpus)
    service_ns = serial_ns + transfer_ns * waiters / 2
    if not np.isfinite(service_ns[-1]):
        raise AnalyticError(f"transfer_ns = {transfer_ns}: the time is too large; give fewer ns")
    if parallel_ns == 0:  # no CPU is ever outside: all the time is spent in the last state
        probabilities = np.zeros(cpus + 1)
        probabilities[-1] = 1
    else:
        # Logarithms, since the products overflow a float at about 100 CPUs.
        steps = np.log(cpus - waiters) + np.log(service_ns) - np.log(parallel_ns)
        logs = np.concatenate([[0.0], np.cumsum(steps)])
        weights = np.exp(logs - logs.max())
        probabilities = weights / weights.sum()
    rate = float(probabilities[1:] @ (1 / service_ns))
    return TicketLockChain(cpus, probabilities, rate * NS_PER_S)
