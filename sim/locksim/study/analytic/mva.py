"""Machine repairman: N CPUs, one lock as a queue, exact by mean value analysis.

N CPUs think for Z on average, then queue for one station that serves each for S on average. Mean
value analysis adds one CPU after another. An arriving CPU finds, on average, the queue that there
would be without it (the arrival theorem), so

    R(n) = S (1 + Q(n - 1)),   X(n) = n / (Z + R(n)),   Q(n) = X(n) R(n),

starting with Q(0) = 0. This is exact for exponentially distributed service times, for any
distribution of the think times.

For a lock, S is the hold time plus the time of a handoff, the same for any number of waiters.
That is a queue lock at its best; the waiters' effect on the lock's line is not included.

Sources: Reiser and Lavenberg, JACM 27(2), 1980. Bounds: Denning and Buzen, ACM Computing Surveys
10(3), 1978.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.study.analytic.errors import check_cpus, check_times

NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class ClosedQueue:
    """The loop in equilibrium.

    Arguments:
        cpus: number of CPUs.
        per_second: critical sections of all CPUs together.
        response_ns: mean time from the request for the lock to its release.
        present: mean number of CPUs that wait for the lock or hold it.
        utilisation: share of the time in which it is held.
    """

    cpus: int
    per_second: float
    response_ns: float
    present: float
    utilisation: float

    @property
    def waiting(self) -> float:
        """Mean number of CPUs that wait."""
        return self.present - self.utilisation


def machine_repairman(
    cpus: int, *, service_ns: float, think_ns: float, locks: int = 1
) -> ClosedQueue:
    """Exact equilibrium of N CPUs and one lock, or several of which each takes one at random.

    Arguments:
        cpus: N, from 1.
        service_ns: mean time for which one CPU has the lock, above 0.
        think_ns: mean time between two critical sections.
        locks: alike; ``present`` and ``utilisation`` are those of all together.

    Raises:
        AnalyticError: a number is out of range.
    """
    check_cpus(cpus)
    check_times(positive="service_ns", service_ns=service_ns, think_ns=think_ns)
    present = response = rate = 0.0
    for n in range(1, cpus + 1):
        response = service_ns * (1 + present / locks)
        rate = n / (think_ns + response)
        present = rate * response
    return ClosedQueue(cpus, rate * NS_PER_S, response, present, rate * service_ns)


def bounds(cpus: int, *, service_ns: float, think_ns: float) -> tuple[float, float]:
    """The asymptotic bounds of throughput: the lowest and the highest, per second.

    Lowest: every CPU waits for all others each time. Highest: no CPU ever waits, or the lock is
    never free.

    Arguments, errors: as for :func:`machine_repairman`.
    """
    check_cpus(cpus)
    check_times(positive="service_ns", service_ns=service_ns, think_ns=think_ns)
    low = cpus / (think_ns + cpus * service_ns)
    high = min(cpus / (think_ns + service_ns), 1 / service_ns)
    return low * NS_PER_S, high * NS_PER_S
