"""A closed network of stations: messages that visit a sender, a link and a receiver in turn.

Each of N messages in the network needs ``demand_ns[k]`` of station k for a round, and a station
serves one message at a time. There are two quick answers. The first is the asymptotic bound: N
messages make at most N rounds in the time that one needs alone, and each station limits the rate to
one round per demand. With a single message it is exact. The second is mean value analysis over all
stations (Reiser and Lavenberg, JACM 27(2), 1980), exact for exponential service times. An arriving
message finds the queues of the network with one message less,

    R_k(n) = D_k (1 + Q_k(n - 1)),  X(n) = n / sum R_k(n),  Q_k(n) = X(n) R_k(n).

Not modelled: service times that are all equal (a link's frames), and blocking at full buffers.
"""

from __future__ import annotations

from collections.abc import Sequence

from locksim.study.analytic.errors import AnalyticError, check_times
from locksim.study.analytic.mva import NS_PER_S


def upper_bound(demand_ns: Sequence[float], messages: int) -> float:
    """Rounds per second that a network cannot exceed.

    Arguments:
        demand_ns: of each station for one round, 0 or more and not all 0.
        messages: messages in the network, from 1.

    Raises:
        AnalyticError: a number is out of range.
    """
    _check(demand_ns, messages)
    return NS_PER_S * min(messages / sum(demand_ns), 1 / max(demand_ns))


def mean_value(demand_ns: Sequence[float], messages: int) -> float:
    """Rounds per second if service times are exponential.

    Arguments, errors: as for :func:`upper_bound`.
    """
    _check(demand_ns, messages)
    queues = [0.0] * len(demand_ns)
    rate = 0.0
    for n in range(1, messages + 1):
        response = [demand * (1 + queue) for demand, queue in zip(demand_ns, queues, strict=True)]
        rate = n / sum(response)
        queues = [rate * time for time in response]
    return rate * NS_PER_S


def _check(demand_ns: Sequence[float], messages: int) -> None:
    if messages < 1:
        raise AnalyticError(f"messages must be at least 1 (got {messages})")
    check_times(positive="", **{f"demand_ns[{k}]": time for k, time in enumerate(demand_ns)})
    check_times(positive="the sum of demand_ns", **{"the sum of demand_ns": sum(demand_ns)})
