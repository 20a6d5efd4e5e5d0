"""All analytic models side by side, with the same inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from locksim.study.analytic.errors import AnalyticError
from locksim.study.analytic.markov import ticket_lock
from locksim.study.analytic.mva import machine_repairman
from locksim.study.analytic.usl import USL, fit

if TYPE_CHECKING:
    import pandas as pd


def compare(
    cpus: Sequence[int],
    *,
    hold_ns: float,
    think_ns: float,
    transfer_ns: float,
    measured: Mapping[int, float] | None = None,
) -> pd.DataFrame:
    """The predictions of each model for one lock.

    There is a row for each model and number of CPUs:

    - ``mva``: a queue in which each handoff costs one line transfer, for any number of waiters;
    - ``markov``: a ticket lock, whose handoff takes longer the more CPUs wait;
    - ``usl``: the same growth, but all CPUs request at once (``USL.of_times``);
    - ``usl_fitted``, if there are measurements: the law fitted to them, which uses none of the
      times.

    Arguments:
        cpus: the numbers of CPUs to predict for.
        hold_ns: mean time of a critical section without waiters, above 0.
        think_ns: mean time between two critical sections on one CPU.
        transfer_ns: time that one transfer of the lock's line takes.
        measured: number of CPUs → throughput per second, measured or simulated; at least four.

    Returns:
        Columns ``model``, ``cpus``, ``per_second`` (critical sections of all CPUs together),
        ``waiting`` (mean number of CPUs that wait, NaN if the model does not say), ``low`` and
        ``high`` (95 % interval of a fitted law, NaN elsewhere).

    Raises:
        AnalyticError: a number is out of range.
    """
    import pandas as pd

    if not len(cpus):
        raise AnalyticError("no numbers of CPUs: give at least one")
    nan = float("nan")
    law = USL.of_times(hold_ns=hold_ns, think_ns=think_ns, transfer_ns=transfer_ns)
    queues = [
        machine_repairman(n, service_ns=hold_ns + transfer_ns, think_ns=think_ns) for n in cpus
    ]
    chains = [
        ticket_lock(n, serial_ns=hold_ns, parallel_ns=think_ns, transfer_ns=transfer_ns)
        for n in cpus
    ]
    rows: list[tuple[str, int, float, float, float, float]] = []
    rows += [("mva", q.cpus, q.per_second, q.waiting, nan, nan) for q in queues]
    rows += [("markov", c.cpus, c.per_second, c.waiting, nan, nan) for c in chains]
    rows += [
        ("usl", n, float(x), nan, nan, nan) for n, x in zip(cpus, law.per_second(cpus), strict=True)
    ]
    if measured is not None:
        fitted = fit(list(measured), list(measured.values()))
        best, low, high = fitted.per_second(cpus)
        rows += [
            ("usl_fitted", n, float(x), nan, float(a), float(b))
            for n, x, a, b in zip(cpus, best, low, high, strict=True)
        ]
    columns = ["model", "cpus", "per_second", "waiting", "low", "high"]
    return pd.DataFrame(rows, columns=columns)
