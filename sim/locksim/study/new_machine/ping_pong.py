"""The core-to-core ping-pong on a simulated machine, and the transfer that explains a reading.

The probe :class:`~locksim.library.probes.HandoffCas` by two CPUs is that loop: both try all the
time to exchange the flag, and the one whose turn it is succeeds. Half a round trip is one handoff.
So a reading holds a transfer, the line hold time (``tenure``) of the CPU that had the line and kept
trying, and the jitter. The transfer cannot be read off; it is the one with which the simulated loop
takes as long as the real one.
"""

from __future__ import annotations

from locksim.library.probes import HandoffCas
from locksim.machine import Machine
from locksim.machine.quantities import PS_PER_NS

HANDOFFS = 400
"""Handoffs that a simulated reading is taken over, for each CPU."""
NEAREST_NS = 0.1
PRECISION_NS = 0.01


def pair_of(machine: Machine, name: str) -> tuple[int, int] | None:
    """Return two CPUs at a distance, by their numbers; None if the machine has no such pair.

    Arguments:
        name: a distance class, or ``core`` for two threads of a core.
    """
    topology = machine.topology
    order = topology.order(topology.cpu_order)
    if name == "core":
        other = (0, 0, 1)
    elif name == "node":
        other = (0, 1, 0)
    else:
        index = topology.node_classes.index(name)
        every = range(topology.nodes)
        a, b = next((a, b) for a in every for b in every if topology.node_class(a, b) == index)
        return order.index((a, 0, 0)), order.index((b, 0, 0))
    return (order.index((0, 0, 0)), order.index(other)) if other in order else None


def ping_pong_ns(machine: Machine, name: str, *, seed: int = 1) -> float:
    """Return the simulated reading of two CPUs at a distance, in ns.

    Arguments:
        name: a distance class for which :func:`pair_of` finds a pair.
        seed: of the jitter.
    """
    from locksim.study.simulation import simulate

    pair = pair_of(machine, name)
    assert pair is not None
    run = simulate(
        HandoffCas(),
        machine=machine,
        cpus=2,
        placement=list(pair),
        operations=HANDOFFS,
        warmup=HANDOFFS // 4,
        replications=1,
        seed=seed,
    )
    return 1e9 / run.throughput().mean


def transfer_ns(machine: Machine, name: str, reading_ns: float) -> float | None:
    """Return the transfer with which the simulated ping-pong gives a reading, in ns.

    Arguments:
        machine: with all nearer transfers right; farther ones are moved along.
        name: the distance class. reading_ns: the measured one-way latency.

    Returns:
        None if even a transfer as short as the nearer class's gives a longer reading.
    """
    from scipy.optimize import brentq

    ladder = [key for key in machine.cost_ps() if key.startswith("transfer.")]
    k = ladder.index(f"transfer.{name}")
    nearer = ladder[k - 1] if k else "l1_hit"
    lowest = max(NEAREST_NS, machine.cost_ps()[nearer] / PS_PER_NS)

    def excess(ns: float) -> float:
        return ping_pong_ns(with_transfer(machine, name, ns), name) - reading_ns

    if excess(lowest) > PRECISION_NS:
        return None
    if reading_ns <= lowest:
        return lowest
    # A handoff is at least a transfer, so the reading itself is an upper bound.
    return float(brentq(excess, lowest, reading_ns, xtol=PRECISION_NS / 4, maxiter=60))


def with_transfer(machine: Machine, name: str, ns: float) -> Machine:
    """Return the machine with a transfer replaced; farther ones are at least as long."""
    costs = machine.cost_ps()
    ladder = [key for key in costs if key.startswith("transfer.")]
    cost = max(1, round(ns * PS_PER_NS))
    k = ladder.index(f"transfer.{name}")
    changed = {ladder[k]: cost} | {key: max(cost, costs[key]) for key in ladder[k + 1 :]}
    return machine.with_costs(**changed)  # type: ignore[arg-type]
