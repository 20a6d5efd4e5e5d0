"""Which of the requests that wait for a line is served next: ``sim/PHYSICS.md``, "Arbitration"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locksim.lang.randomness import ARBITRATIONS, below, draw
from locksim.machine import MachineTables

if TYPE_CHECKING:
    from locksim.engine.reference.agents import Agent
    from locksim.engine.reference.coherence import Line


class Arbiter:
    """The rule of one machine, and its draws so far."""

    def __init__(self, tables: MachineTables, seed: int) -> None:
        self.tables, self.seed, self.draws = tables, seed, 0

    def select(self, line: Line[Agent]) -> Agent:
        """The request that a line serves next; it stays in the queue."""
        head = line.queue[0]
        if len(line.queue) == 1:
            return head
        match self.tables.arbitration:
            case 1:
                return (
                    head if head.passed >= self.tables.arbitration_passes else _nearest(self, line)
                )
            case 2:
                bits = draw(self.seed, ARBITRATIONS, self.draws)
                self.draws += 1
                return line.queue[below(bits, len(line.queue))]
            case _:
                return head


def _nearest(arbiter: Arbiter, line: Line[Agent]) -> Agent:
    """The request nearest to the CPU that was served last; the oldest of equally near ones."""
    assert line.filler is not None
    distance = arbiter.tables.distance[line.filler]
    return min(line.queue, key=lambda agent: distance[agent.cpu])
