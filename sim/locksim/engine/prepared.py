"""A workload made ready for a machine: linked, its memory laid out, as both engines take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from locksim.compiler.link import link
from locksim.core.memory import HEAP_LINES, build
from locksim.lang.layout import Space
from locksim.lang.struct import Struct, Workload, tasks_of

if TYPE_CHECKING:
    from locksim.compiler.bytecode import Image
    from locksim.core.memory import Memory
    from locksim.machine import MachineTables


def prepare(
    workload: Workload,
    tables: MachineTables,
    *,
    heap_lines: int | None = None,
    built_with: Sequence[Struct] = (),
) -> tuple[Image, Memory]:
    """Link a workload and lay out its memory for a machine, as input of the engines' ``run``.

    Arguments:
        built_with: descriptions that pointers to their classes mean, instead of the defaults: every
            ``Sock`` of a kernel may have another lock, as a compile option would give it.

    Raises:
        CompileError, LinkError, SimulationError: the program is outside the language, or faulty.
    """
    space = Space(
        tables.words_per_line, tables.n_cpus, tasks_of(workload), built_with, tables.n_nodes
    )
    image = link(workload, space, base=tables.words_per_line)
    lines = HEAP_LINES if heap_lines is None else heap_lines
    types = list(image.types)
    return image, build(workload, tables, types, heap_lines=lines, built_with=built_with)
