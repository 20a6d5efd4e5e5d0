"""The C opponent: ``model.c``, compiled when needed, with the fast engine's interface.

``Opponent`` is to ``model.c`` as ``locksim.engine.fast.engine.Session`` is to the numba loop: made
for a workload and a machine, continued by ``advance``, read by ``result``.
"""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from locksim.core.memory import Memory
from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.engine.fast.contention import contention_of
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.paced import CLOSED, CONSTANT, EXPONENTIAL
from locksim.machine import MachineTables

SOURCE = Path(__file__).with_name("model.c")
FLAGS = ("-std=c11", "-O3", "-march=native", "-Wall", "-Wextra", "-Werror")
"""``-march=native`` because numba also compiles for the present processor."""

_WHOLE = (
    ["n_cpus", "n_nodes", "n_classes", "n_lines", "line_shift", "entries"]
    + ["l1", "store", "rmw", "pause", "tenure", "tenure_plain", "jitter"]
    + ["invalidate_each", "shared_read", "bus"]
    + ["blocking", "nearest", "bus_kind", "busy_percent"]
)
_TABLES = [
    "transfer",
    "memory",
    "invalidate",
    "overlap",
    "node_of",
    "distance",
    "home_distance",
    "home",
]
_PROGRAM = ["ttas", "lock", "data", "n_words", "hold", "think", "exponential", "seed", "jump"]
_CHANGED = ["words", "count", "transactions", "meter"]


class OpponentError(Exception):
    """The C model cannot be built, or cannot run the workload; the message says why."""

    exit_code = 2


class _Setup(ctypes.Structure):
    """``struct setup`` of model.c."""

    _fields_ = [
        *[(name, ctypes.c_int64) for name in _WHOLE],
        *[(name, ctypes.c_void_p) for name in _TABLES],
        *[(name, ctypes.c_int64) for name in _PROGRAM],
        *[(name, ctypes.c_void_p) for name in _CHANGED],
    ]


@functools.cache
def compiler() -> str:
    """Path of the C compiler.

    Raises:
        OpponentError: there is none.
    """
    for name in ("gcc", "cc", "clang"):
        if found := shutil.which(name):
            return found
    raise OpponentError(
        "no C compiler found (gcc, cc or clang), and the fast engine's opponent is written in C\n"
        "help: install one, on Debian or Ubuntu with 'apt install gcc'"
    )


@functools.cache
def library() -> ctypes.CDLL:
    """``model.c`` compiled and loaded, once per process.

    Raises:
        OpponentError: there is no compiler, or it refuses the source.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "model.so")
        command = [compiler(), *FLAGS, "-fPIC", "-shared", str(SOURCE), "-o", str(target), "-lm"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            raise OpponentError(f"{' '.join(command)} failed:\n{made.stderr}")
        model = ctypes.CDLL(str(target))
    if model.model_setup_size() != ctypes.sizeof(_Setup):
        raise OpponentError(
            "struct setup of model.c and _Setup of opponent.py differ: fix one of them"
        )
    model.model_new.argtypes, model.model_new.restype = [ctypes.c_void_p], ctypes.c_void_p
    model.model_advance.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    model.model_advance.restype = ctypes.c_int64
    model.model_free.argtypes, model.model_free.restype = [ctypes.c_void_p], None
    return model


class Opponent:
    """A run of the C model that can be continued.

    Arguments:
        workload: a CriticalSection with a TicketLock or a TTASLock.
        memory: its memory before time 0; it is not changed.
        tables: the machine.
        seed: of the threads' random streams.
        jump: False runs idle spin iterations one by one.

    Raises:
        OpponentError: another workload, rhythm or lock, a machine with finite caches or with
            mechanisms that act under load, or no C compiler.
    """

    def __init__(
        self,
        workload: CriticalSection,
        memory: Memory,
        tables: MachineTables,
        *,
        seed: int,
        jump: bool = True,
    ) -> None:
        lock = workload.lock
        if type(workload) is not CriticalSection or type(lock) not in (TicketLock, TTASLock):
            raise OpponentError(
                f"model.c runs only CriticalSection with TicketLock or TTASLock, not {workload!r}"
            )
        if (
            workload.arrivals != CLOSED
            or workload.burst != 1
            or workload.hold_times != CONSTANT
            or workload.think_times not in (CONSTANT, EXPONENTIAL)
        ):
            raise OpponentError(
                "model.c has only a closed load with equal holds and equal or exponential thinking"
            )
        if contention_of(tables) is not None:
            raise OpponentError(
                "model.c has none of the mechanisms that act under load\n"
                "help: take a machine without them, such as 'desktop-4'"
            )
        if tables.private_sets:
            raise OpponentError(
                "model.c has no finite caches\n"
                "help: remove them, as in load('pentium3-8way').without_caches()"
            )
        root: Any = memory.root
        t, n_lines = tables, len(memory.home)
        self._time_ps = 0
        self._words = np.array(memory.words, np.int64)
        self._count = np.zeros((t.n_cpus, len(CPU_COUNTERS)), np.int64)
        self._lines = np.zeros(n_lines, np.int64)
        self._locks = np.zeros((1, len(LOCK_COUNTERS)), np.int64)
        data = int(root) + memory.space.layout(workload).offset("data")
        whole = (
            [t.n_cpus, t.n_nodes, len(t.transfer_ps), n_lines]
            + [t.words_per_line.bit_length() - 1, t.store_buffer_entries]
            + [t.l1_hit_ps, t.store_ps, t.rmw_ps, t.pause_ps]
            + [t.tenure_ps, t.tenure_plain_ps, t.jitter_ps]
            + [
                t.invalidate_each_ps,
                t.shared_read_ps,
                t.bus_ps,
                t.blocking,
                t.clean_nearest,
                t.bus_kind,
                t.line_busy_percent,
            ]
        )
        program = (
            [type(lock) is TTASLock, int(root.lock), data]
            + [
                workload.words,
                workload.hold_ps,
                workload.think_ps,
                workload.think_times == EXPONENTIAL,
            ]
            + [seed, jump]
        )
        # References that keep the arrays alive while C reads them.
        self._tables: list[npt.NDArray[Any]] = [
            _whole(t.transfer_ps),
            _whole(t.memory_ps),
            _whole(t.invalidate_ps),
            _whole(t.overlap_ps),
            _whole(t.node_of),
            np.ascontiguousarray(t.distance, np.int8),
            np.ascontiguousarray(t.home_distance, np.int8),
            _whole(memory.home),
        ]
        changed = [self._words, self._count, self._lines, self._locks]
        setup = _Setup(
            *whole,
            *(array.ctypes.data for array in self._tables),
            *program,
            *(array.ctypes.data for array in changed),
        )
        self._library = library()
        self._events = 0
        self._model = self._library.model_new(ctypes.byref(setup))
        if not self._model:
            raise MemoryError(f"no memory for a C model of {t.n_cpus} CPUs")

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            self._library.model_free(self._model)

    def advance(self, until_ps: int) -> None:
        """Process all events before ``until_ps``."""
        self._events = int(self._library.model_advance(self._model, until_ps))
        self._time_ps = until_ps

    def result(self) -> RunResult:
        """The result so far. The arrays are copies; there is no trace."""
        return RunResult(
            end_ps=self._time_ps,
            events=self._events,
            finished=0,
            cpu=self._count.copy(),
            locks=self._locks.copy(),
            lines=self._lines.copy(),
            trace=None,
            memory=self._words.copy(),
        )


def _whole(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    return np.ascontiguousarray(values, np.int64)
