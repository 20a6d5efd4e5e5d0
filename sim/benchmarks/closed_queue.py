"""One closed queue in a simulator that others wrote; prints sections and processor seconds as JSON.

    python closed_queue.py simpy|salabim|ciw CLIENTS THINK HOLD UNTIL SEED

Each of CLIENTS customers thinks for an exponential time and then holds the one server for a fixed
time, first come, first served; times in ns. That is the queueing model of a lock: it has a service
time where LockLab has cache lines. Runs in an environment of its own (``tools/beside.py``) and
imports nothing of ours.
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import Any


def with_simpy(clients: int, think: float, hold: float, until: float, seed: int) -> int:
    """The model in SimPy: processes as generators."""
    import simpy

    draw, done = random.Random(seed), 0
    environment = simpy.Environment()
    lock = simpy.Resource(environment)

    def client() -> Any:
        nonlocal done
        while True:
            yield environment.timeout(draw.expovariate(1 / think))
            with lock.request() as mine:
                yield mine
                yield environment.timeout(hold)
            done += 1

    for _ in range(clients):
        environment.process(client())
    environment.run(until)
    return done


def with_salabim(clients: int, think: float, hold: float, until: float, seed: int) -> int:
    """The model in salabim: components, in its form with yield."""
    import salabim

    salabim.yieldless(False)
    draw, done = random.Random(seed), 0
    environment = salabim.Environment(trace=False, random_seed=seed)
    lock = salabim.Resource("lock", monitor=False)

    class Client(salabim.Component):  # type: ignore[misc]
        def process(self) -> Any:
            nonlocal done
            while True:
                yield self.hold(draw.expovariate(1 / think))
                yield self.request(lock)
                yield self.hold(hold)
                self.release(lock)
                done += 1

    for _ in range(clients):
        Client()
    environment.run(till=until)
    return done


def with_ciw(clients: int, think: float, hold: float, until: float, seed: int) -> int:
    """The model in Ciw: a network of two nodes that customers never leave."""
    import ciw

    ciw.seed(seed)
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([1e-9, float("inf")]), None],
        batching_distributions=[ciw.dists.Deterministic(clients), ciw.dists.Deterministic(1)],
        service_distributions=[ciw.dists.Exponential(1 / think), ciw.dists.Deterministic(hold)],
        routing=[[0.0, 1.0], [1.0, 0.0]],
        number_of_servers=[float("inf"), 1],
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(until)
    return sum(
        record.node == 2 and record.record_type == "service"
        for customer in simulation.get_all_individuals()
        for record in customer.data_records
    )


MODELS = {"simpy": with_simpy, "salabim": with_salabim, "ciw": with_ciw}


if __name__ == "__main__":
    name, clients, *times, seed = sys.argv[1:]
    think, hold, until = map(float, times)
    MODELS[name](int(clients), think, hold, 100 * (think + hold), int(seed))  # imports, first calls
    began = time.process_time()
    sections = MODELS[name](int(clients), think, hold, until, int(seed))
    print(json.dumps({"sections": sections, "cpu_s": time.process_time() - began}))
