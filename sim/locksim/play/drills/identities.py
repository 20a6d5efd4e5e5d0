"""The identities that every lock's report obeys: one value follows from the others."""

from __future__ import annotations

from random import Random

from locksim import machine
from locksim.engine.counters import LOCK_COUNTERS
from locksim.engine.prepared import prepare
from locksim.engine.reference.engine import run
from locksim.lang.ops import NS, US
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.play.drills.problem import Problem

_LONG_PS = 100 * US


def identities(drawn: Random) -> Problem:
    """A simulated ticket lock's report with one value left out."""
    cpus = drawn.choice((2, 3, 4))
    hold, think = drawn.choice((100, 200, 400)), drawn.choice((400, 800, 1600))
    tables = machine.load("ideal-4").tables(cpus)
    _, memory = prepare(
        CriticalSection(lock=TicketLock, hold_ps=hold * NS, think_ps=think * NS), tables
    )
    result = run(memory, tables, seed=drawn.randrange(10**6), until_ps=_LONG_PS)
    count = dict(zip(LOCK_COUNTERS, map(int, result.locks[0]), strict=True))
    ask = drawn.choice((_utilisation, _queue, _rate))
    return ask(count, cpus)


def _facts(cpus: int, **shown: str) -> str:
    lines = [f"  {name.replace('_', ' '):<34} {value}" for name, value in shown.items()]
    return f"A ticket lock on {cpus} CPUs was watched for 100 µs.\n\n" + "\n".join(lines)


def _utilisation(count: dict[str, int], cpus: int) -> Problem:
    hold_ns = count["hold_ps"] / count["total"] / 1e3
    facts = _facts(cpus, acquisitions=f"{count['total']}", mean_hold_time=f"{hold_ns:.1f} ns")
    share = count["hold_ps"] / _LONG_PS * 100
    return _problem(
        facts,
        "What is the lock's utilisation (UTIL), in per cent?",
        share,
        "Utilisation law: UTIL = rate x mean hold time, that is acquisitions x hold / 100,000 ns.",
    )


def _queue(count: dict[str, int], cpus: int) -> Problem:
    wait_ns = count["wait_ps"] / count["total"] / 1e3
    facts = _facts(
        cpus,
        acquisitions=f"{count['total']}",
        mean_wait_of_all_acquisitions=f"{wait_ns:.1f} ns",
    )
    return _problem(
        facts,
        "How many CPUs wait for the lock, on average over time?",
        count["wait_ps"] / _LONG_PS,
        "Little's law: number waiting = rate x mean wait = acquisitions x wait / 100,000 ns.",
    )


def _rate(count: dict[str, int], cpus: int) -> Problem:
    hold_ns = count["hold_ps"] / count["total"] / 1e3
    facts = _facts(
        cpus,
        utilisation=f"{count['hold_ps'] / _LONG_PS * 100:.2f} %",
        mean_hold_time=f"{hold_ns:.1f} ns",
    )
    return _problem(
        facts,
        "How many acquisitions were there in the 100 µs?",
        count["total"],
        "Utilisation law, solved for the rate: acquisitions = UTIL x 100,000 ns / mean hold time.",
    )


def _problem(facts: str, asked: str, answer: float, why: str) -> Problem:
    return Problem(
        f"{facts}\n\n{asked}",
        "a number, such as 12.5 (3 % off is right)",
        frozenset({(float(answer),)}),
        why,
        within=0.03,
    )
