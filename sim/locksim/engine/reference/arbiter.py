"""Which of the requests that wait for a line is served next: ``sim/PHYSICS.md``, "Arbitration"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locksim.lang.randomness import ARBITRATIONS, below, draw
from locksim.machine import MachineTables

if TYPE_CHECKING:
    from locksim.engine.reference.agents import Agent
    from locksim.engine.reference.coherence import Line

FIFO, NEAR = 0, 1


class Arbiter:
    """The rule of one machine, and its draws so far."""

    def __init__(self, tables: MachineTables, seed: int) -> None:
        self.tables, self.seed, self.draws = tables, seed, 0

    def select(self, line: Line[Agent]) -> Agent:
        """The request that a line serves next; it stays in the queue."""
        requests = self._candidates(line)
        if len(requests) == 1:
            return requests[0]
        bits = draw(self.seed, ARBITRATIONS, self.draws)
        self.draws += 1
        return requests[below(bits, len(requests))]

    def _candidates(self, line: Line[Agent]) -> list[Agent]:
        """The requests of which any may be next, in the order of arrival."""
        head, rule = line.queue[0], self.tables.arbitration
        if rule == FIFO or (rule == NEAR and head.passed >= self.tables.arbitration_passes):
            return [head]
        if rule == NEAR:
            assert line.filler is not None
            distance = self.tables.distance[line.filler]
            nearest = min(distance[agent.cpu] for agent in line.queue)
            return [agent for agent in line.queue if distance[agent.cpu] == nearest]
        return list(line.queue)
