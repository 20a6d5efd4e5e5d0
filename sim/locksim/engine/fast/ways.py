"""Which loop a run takes: the plain one while little has run, then the compiled one.

A run changes over between two events. Its result is the same, whenever that is.
"""

from __future__ import annotations

import sys

from locksim import jit
from locksim.core.result import SimulationError
from locksim.engine.fast import plain
from locksim.engine.fast.capacity import Held
from locksim.engine.fast.contention import Contention
from locksim.engine.fast.state import AGENT_BITS, MAX_TIME_PS, R_EVENTS, R_NOW, State
from locksim.ready import Choice, Part

LOOP = (
    *("accesses", "capacity", "contention", "loop", "operations", "registers", "requests"),
    *("spins", "state", "transactions"),
)
"""The modules whose functions are compiled into one."""
SOURCES = (
    *(f"engine/{name}.py" for name in ("counters", "histogram", "meters", "trace")),
    *(f"engine/fast/{name}.py" for name in (*LOOP, "compiled")),
    *(f"lang/{name}.py" for name in ("ops", "randomness", "words")),
    *(f"machine/{name}.py" for name in ("costs", "tables", "topology")),
    *("compiler/arithmetic.py", "compiler/bytecode.py"),
    "core/faults.py",
    "jit.py",
)
"""The files whose functions and numbers are compiled in."""

_MODULE = "locksim.engine.fast.compiled"
UNLIMITED = Part("engine", "the fast engine", _MODULE, SOURCES, 20)
CACHES = Part("engine-caches", "the fast engine for machines with caches", _MODULE, SOURCES, 25)
CONTENTION = Part(
    "engine-contention", "the fast engine for machines with contention", _MODULE, SOURCES, 25
)
BOTH = Part(
    "engine-caches-contention",
    "the fast engine for machines with caches and contention",
    *(_MODULE, SOURCES, 30),
)
PARTS = (UNLIMITED, CACHES, CONTENTION, BOTH)
"""Machines whose CPUs keep every line have a loop of their own (:mod:`capacity`), and so have those
that name none of the mechanisms of :mod:`contention`."""

SLICE = 20_000
"""Events of the plain loop between two looks whether compiled code is ready: half a second."""
CHOICES = {part: Choice(part, few=SLICE, many=150_000) for part in PARTS}
MOST = 2_000_000
"""Events of a run where nothing can be compiled: about a minute."""
_EVENT_S = 25e-6
"""What an event of the plain loop takes, about."""


def part_of(caches: Held | None, contention: Contention | None) -> Part:
    """What a run needs compiled."""
    if contention is None:
        return UNLIMITED if caches is None else CACHES
    return CONTENTION if caches is None else BOTH


def advance(
    state: State, caches: Held | None, contention: Contention | None, limit: int, budget: int
) -> int:
    """Process events as :func:`locksim.engine.fast.loop.advance`; perhaps fewer than ``budget``.

    Raises:
        SimulationError: nothing can be compiled here, and the run is long.
    """
    choice = CHOICES[part_of(caches, contention)]
    left = choice.left()
    if not left:
        status: int = choice.load().advance(state, caches, contention, limit, budget)
        return status
    if not jit.enabled() and state.control[R_EVENTS] > MOST:
        raise _too_long(int(state.control[R_NOW]), limit >> AGENT_BITS)
    before = int(state.control[R_EVENTS])
    status = plain.advance(state, caches, contention, limit, min(budget, SLICE, left))
    choice.spend(int(state.control[R_EVENTS]) - before)
    return status


def unpark_all(
    state: State, caches: Held | None, contention: Contention | None, until_ps: int
) -> None:
    """As :func:`locksim.engine.fast.spins.unpark_all`."""
    compiled = sys.modules.get(_MODULE) if jit.enabled() else None
    (plain if compiled is None else compiled).unpark_all(state, caches, contention, until_ps)


def _too_long(now_ps: int, until_ps: int) -> SimulationError:
    """The error for a run that would take minutes or hours."""
    estimate = "an unknown time, more than a minute"
    if until_ps < MAX_TIME_PS:
        minutes = MOST * _EVENT_S * until_ps / max(now_ps, 1) / 60
        estimate = f"about {minutes:,.0f} minutes or more" if minutes >= 2 else "over a minute"
    return SimulationError(
        f"the fast engine is not compiled, since numba is missing or switched off: this run would "
        f"take {estimate}, some hundred times as long as compiled\n"
        "help: install numba, and unset NUMBA_DISABLE_JIT; or simulate less (fewer CPUs, "
        "operations, replications)"
    )
