"""Machine repairman: N CPUs, one lock as a queue, exact by mean value analysis.

N CPUs think for Z on the mean, then queue up for one station that serves each for S on the mean.
Mean value analysis adds one CPU after another. A CPU that arrives finds, on the mean, what there
would be without it (the arrival theorem), so

    R(n) = S (1 + Q(n - 1)),   X(n) = n / (Z + R(n)),   Q(n) = X(n) R(n),

beginning with Q(0) = 0. This is exact for exponentially distributed service times, whatever the
distribution of the think times.

As a lock: S is the hold time and whatever a hand-over takes, the same for any number of waiters.
That is a queue lock at its best; what waiters do to the lock's line is not in it.

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
        cpus: how many take part.
        per_second: critical sections of all CPUs together.
        response_ns: mean time from asking for the lock to letting go of it.
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


def machine_repairman(cpus: int, *, service_ns: float, think_ns: float) -> ClosedQueue:
    """N CPUs and one lock, exactly.

    Arguments:
        cpus: N, from 1.
        service_ns: mean time for which one CPU has the lock, above 0.
        think_ns: mean time between two critical sections.

    Raises:
        AnalyticError: a number is out of range.
    """
    check_cpus(cpus)
    check_times(positive="service_ns", service_ns=service_ns, think_ns=think_ns)
    present = response = rate = 0.0
    for n in range(1, cpus + 1):
        response = service_ns * (1 + present)
        rate = n / (think_ns + response)
        present = rate * response
    return ClosedQueue(cpus, rate * NS_PER_S, response, present, rate * service_ns)


def bounds(cpus: int, *, service_ns: float, think_ns: float) -> tuple[float, float]:
    """The asymptotic bounds of throughput: the lowest and the highest, per second.

    Lowest: every CPU waits for all others each time. Highest: nobody ever waits, or the lock is
    never free.

    Arguments, errors: as for :func:`machine_repairman`.
    """
    check_cpus(cpus)
    check_times(positive="service_ns", service_ns=service_ns, think_ns=think_ns)
    low = cpus / (think_ns + cpus * service_ns)
    high = min(cpus / (think_ns + service_ns), 1 / service_ns)
    return low * NS_PER_S, high * NS_PER_S
