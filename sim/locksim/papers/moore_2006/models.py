"""Analytic models of netperf: a closed network of two hosts' CPUs and the link.

The models get the works of the simulation and the frames' times on the link. They know neither
cache lines nor a link that serves every frame in the same time. A stream is a window of frames that
circulate through sender, link and receiver. A transaction is one message that visits both hosts and
both directions of the link. ``bounds`` is the busiest station's bound (for a transaction, the sum
of all times), and ``mva`` is mean value analysis of the same network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from locksim.library.workloads.netperf import Stream
from locksim.papers.experiment import Cell
from locksim.papers.models import Load, ModelCell, Models
from locksim.papers.moore_2006.setting import CONFIGURATIONS, SEND_PS, Works, traffic
from locksim.study.analytic.network import mean_value, upper_bound

__all__ = ["demands_ns", "netperf_models"]

MODELS = {"bounds": upper_bound, "mva": mean_value}


def netperf_models(cells: Sequence[Cell], works: Works) -> dict[str, Any]:
    """Both models' values for cells of the table; their rows are tests.

    Arguments:
        cells: of the reproduction. works: of the hosts.
    """
    found: list[ModelCell] = []
    loads: dict[str, Load] = {}
    for test in dict.fromkeys(cell.column for cell in cells):
        for name, model in MODELS.items():
            for cell in (c for c in cells if c.column == test):
                demands = demands_ns(cell.row, test, works)
                loads[f"{test}, {cell.row}"] = _load(demands)
                found.append(
                    ModelCell(
                        name,
                        test,
                        cell.row,
                        cell.corrected,
                        cell.simulated,
                        _printed(test, cell.row, model(demands, _under_way(test))),
                        cell.unit,
                        fitted=False,
                        role=cell.role,
                    )
                )
    return Models(loads, found).to_json()


def demands_ns(row: str, test: str, works: Works) -> list[float]:
    """Demand of one round at each station: sender, link, receiver (and the link back).

    A round is a frame of a stream (the mean one for a datagram of several frames), or a
    transaction.
    """
    configuration = CONFIGURATIONS[row]
    message = traffic(test, configuration.option_bytes)
    option_ps = {0: 0, 12: works.short_ps, 40: works.long_ps}[configuration.option_bytes]
    check_ps = works.check_ps if configuration.strict else 0
    asked = configuration.option_bytes and not configuration.cached

    def labels_ps(percent: int, translate_ps: int) -> tuple[float, float]:
        """Works for a frame and for a message."""
        return check_ps * percent / 100, option_ps * percent / 100 + (translate_ps if asked else 0)

    frame_ps, message_ps = labels_ps(works.percent, works.server_ps)
    if test.endswith("_stream"):
        n = message.frames
        link_ps = ((n - 1) * message.frame_ps + message.last_ps) / n
        receive_ps = works.receive_ps + frame_ps + message_ps / n
        return [SEND_PS / 1e3, link_ps / 1e3, receive_ps / 1e3]
    host_ps = works.tcp_ps if test == "tcp_rr" else works.udp_ps
    client = host_ps + sum(labels_ps(200 - works.percent, works.client_ps))
    server = host_ps + frame_ps + message_ps
    return [client / 1e3, message.frame_ps / 1e3, server / 1e3, message.frame_ps / 1e3]


def _under_way(test: str) -> int:
    return int(Stream().window) if test.endswith("_stream") else 1


def _printed(test: str, row: str, per_second: float) -> float:
    """The value that netperf prints, from rounds per second."""
    if not test.endswith("_stream"):
        return per_second
    message = traffic(test, CONFIGURATIONS[row].option_bytes)
    return per_second / message.frames * message.bits / 1e6


def _load(demands: list[float]) -> Load:
    busiest = max(demands)
    return Load(
        busiest,
        sum(demands) - busiest,
        0.0,
        "the busiest station's time for a round, and the others'; no line is contended",
    )
