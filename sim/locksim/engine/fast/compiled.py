"""The loop, compiled. The only place in the engine that knows numba."""

from __future__ import annotations

import inspect
from collections.abc import Generator
from importlib import import_module
from typing import Any

import numba
import numpy as np

from locksim import jit, machine
from locksim.compiler import arithmetic
from locksim.compiler.link import link
from locksim.core.memory import build
from locksim.engine import histogram, meters
from locksim.engine.fast import capacity, contention, loop, spins
from locksim.engine.fast.engine import state_of
from locksim.engine.fast.ways import BOTH, CACHES, CONTENTION, LOOP, PARTS, SOURCES
from locksim.lang import randomness
from locksim.lang.layout import Space
from locksim.lang.ops import Op, done
from locksim.lang.struct import Workload

__all__ = ["PARTS", "advance", "unpark_all", "warm"]

_RANDOM = (randomness.mix, randomness.draw, randomness.exponential_of)
for _function in (histogram.bucket_of, meters.mark, *_RANDOM):
    jit.compilable(_function)
for _small in (arithmetic.fault_of, arithmetic.jumps, arithmetic.value_of):
    jit.compilable(_small, forceinline=True, error_model="numpy")
for _name in LOOP:
    _module = import_module(f"locksim.engine.fast.{_name}")
    for _function in vars(_module).values():
        if inspect.isfunction(_function) and _function.__module__ == _module.__name__:
            _whole = "state" in inspect.signature(_function).parameters
            jit.compilable(_function, forceinline=_whole)

advance: Any = jit.kept(loop.advance, SOURCES, nogil=True, error_model="numpy")
unpark_all: Any = jit.kept(spins.unpark_all, SOURCES)
_typeof: Any = numba.typeof


class _Nothing(Workload):
    """A program to run where nothing is to run."""

    def thread(self) -> Generator[Op, Any, Any]:
        yield done()


def warm(name: str) -> None:
    """Compile a part, or load what is on disk.

    Arguments:
        name: of the part.
    """
    profile = machine.load("pentium3-8way" if name in (CACHES.name, BOTH.name) else "ideal-1")
    if name in (CONTENTION.name, BOTH.name):
        profile = profile.with_protocol(arbitration="random")
    tables, workload = profile.tables(1, "compact"), _Nothing()
    space = Space(tables.words_per_line, tables.n_cpus, 0)
    image = link(workload, space, base=tables.words_per_line)
    memory = build(workload, tables, list(image.types))
    state = state_of(image, memory, tables, 1, trace=False, jump=True)
    caches = capacity.held_by(tables, np.array(memory.place, np.int64))
    contended = contention.contention_of(tables)
    for function, arguments in (
        (advance, (state, caches, contended, 0, 0)),
        (unpark_all, (state, caches, contended, 0)),
    ):
        function.compile(tuple(_typeof(argument) for argument in arguments))
