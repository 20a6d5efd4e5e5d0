"""Comparison of event loops: the fast engine, the SimPy reference engine, the C model.

Compared runs are interleaved in short slices of the same simulated time, so that other load slows
both down; a ratio is the median over the slices. The loops run on one thread, and its processor
time counts: time off the processor is not included.
"""

from __future__ import annotations

from collections.abc import Iterator

from opponent import Opponent, OpponentError
from row import Row, Run, cpu_seconds, spread

from locksim import machine
from locksim.core.memory import Memory
from locksim.engine.fast import compiled as _compiled  # noqa: F401  # for short runs, too
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.reference import engine as reference
from locksim.lang.struct import Workload
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.machine import MachineTables
from workloads import PrivateLines

LOCKS = {"ticket": TicketLock, "TTAS": TTASLock}
SIMPY_AIM, C_AIM, SCALING_AIM = 100.0, 1.5, 2.0


def against_simpy(quick: bool = False) -> Iterator[Row]:
    """Compare one simulated interval in both engines, with and without jumps over idle spins."""
    _compile()
    for cpus in (2, 8, 32):
        tables = machine.load("ideal-32").tables(cpus, "compact")
        image, memory = prepare(CriticalSection(lock=TTASLock), tables)

        def slow(until: int, memory: Memory = memory, tables: MachineTables = tables) -> float:
            return cpu_seconds(lambda: reference.run(memory, tables, seed=1, until_ps=until))

        until = 1_000_000
        while slow(until) < (0.1 if quick else 0.4):
            until *= 2
        costs: dict[bool, list[float]] = {False: [], True: []}
        ratios: dict[bool, list[float]] = {False: [], True: []}
        events: dict[bool, int] = {}
        for _ in range(2 if quick else 5):
            took = slow(until)
            for jump in (False, True):
                session = fast.Session(image, memory, tables, seed=1, jump=jump)
                own = advance(session, until)
                costs[jump].append(own)
                ratios[jump].append(took / own)
                events[jump] = session.result().events
        for jump in (False, True):
            yield Row(
                "fast engine against SimPy",
                f"critical section, TTAS, {cpus} CPUs, "
                + ("idle spins jumped over" if jump else "event for event"),
                "reference engine, same simulated time",
                *spread(ratios[jump]),
                "x",
                SIMPY_AIM if cpus == 8 else None,
                ">=",
                {
                    "simulated_ps": until,
                    "reference_s": took,
                    "fast_s": spread(costs[jump])[0],
                    "fast_events_per_s": events[jump] / spread(costs[jump])[0],
                },
            )


def against_c(quick: bool = False) -> Iterator[Row]:
    """Compare slice by slice with the C model, which processes exactly the same events."""
    _compile()
    for name, lock in LOCKS.items():
        for cpus in (8, 64, 256):
            workload = CriticalSection(lock=lock)
            tables = machine.load(f"ideal-{cpus}").tables(cpus, "compact")
            image, memory = prepare(workload, tables)
            ours = fast.Session(image, memory, tables, seed=1)
            theirs = Opponent(workload, memory, tables, seed=1)
            until, length = slice_ps(ours, 0.005 if quick else 0.02)
            theirs.advance(until)
            # A stop during idle spinning costs events, and so far only one of the two has stopped.
            start, their_start = ours.result().events, theirs.result().events
            pairs: list[tuple[float, float]] = []
            for _ in range(9 if quick else 31):
                until += length
                pairs.append((advance(ours, until), advance(theirs, until)))
            events, their_events = (
                ours.result().events - start,
                theirs.result().events - their_start,
            )
            if events != their_events:
                raise OpponentError(
                    f"{name} on {cpus} CPUs: the fast engine took {events} events, "
                    f"model.c {their_events}; they are no longer the same model\n"
                    "help: make sim/tests/benchmarks/test_model.py pass"
                )
            per_slice = events / len(pairs)
            yield Row(
                "fast engine against C",
                f"critical section, {name}, {cpus} CPUs",
                "hand-written C, -O3, same events",
                *spread([mine / other for mine, other in pairs]),
                "x",
                C_AIM,
                "<=",
                {
                    "fast_ns_per_event": spread([a for a, _ in pairs])[0] / per_slice * 1e9,
                    "c_ns_per_event": spread([b for _, b in pairs])[0] / per_slice * 1e9,
                    "best_ratio": min(a for a, _ in pairs) / min(b for _, b in pairs),
                    "events": events,
                },
            )


def scaling(quick: bool = False) -> Iterator[Row]:
    """Cost per event from 8 to 1024 CPUs, relative to 8 CPUs in the same minute."""
    _compile()
    workloads: dict[str, Workload] = {"private lines": PrivateLines()}
    workloads |= {f"contended {n}": CriticalSection(lock=k) for n, k in LOCKS.items()}
    for name, workload in workloads.items():
        runs = {}
        for cpus in (8, 64, 256, 1024):
            tables = machine.load(f"ideal-{cpus}").tables(cpus, "compact")
            image, memory = prepare(workload, tables)
            session = fast.Session(image, memory, tables, seed=1)
            # Skip the first misses of all CPUs, and the queue's growth to its full length.
            session.advance(200_000_000 if cpus < 1024 else 400_000_000)
            runs[cpus] = session
        costs: dict[int, list[float]] = {cpus: [] for cpus in runs}
        lengths = {
            cpus: slice_ps(session, 0.004 if quick else 0.015, session.time_ps)[1]
            for cpus, session in runs.items()
        }
        for _ in range(7 if quick else 15):
            for cpus, session in runs.items():
                before, until = session.result().events, session.time_ps + lengths[cpus]
                took = advance(session, until)
                costs[cpus].append(took / (session.result().events - before) * 1e9)
        for cpus in runs:
            ratios = [own / base for own, base in zip(costs[cpus], costs[8], strict=True)]
            yield Row(
                "cost per event",
                f"{name}, {cpus} CPUs",
                "the same at 8 CPUs",
                *spread(ratios),
                "x",
                None if cpus == 8 else SCALING_AIM,
                "<=",
                {"ns_per_event": spread(costs[cpus])[0]},
            )


def advance(run: Run, until_ps: int) -> float:
    """Continue a run; the processor seconds that it took."""
    return cpu_seconds(lambda: run.advance(until_ps))


def slice_ps(run: Run, wanted_s: float, reached_ps: int = 0) -> tuple[int, int]:
    """Continue a run until a slice of simulated time takes about ``wanted_s``.

    Returns:
        The time reached and the length of such a slice, in picoseconds.
    """
    length = 1_000_000
    while True:
        reached_ps += length
        took = advance(run, reached_ps)
        if took >= wanted_s / 2:
            return reached_ps, max(1, int(length * wanted_s / took))
        length *= 2


def _compile() -> None:
    """Load numba's code before the first timing."""
    tables = machine.load("ideal-2").tables(2, "compact")
    image, memory = prepare(PrivateLines(), tables)
    fast.run(image, memory, tables, seed=1, until_ps=1_000_000)
