"""Which operations an exploration has performed: what a proof speaks of, and what it does not.

A thread rests at each operation that others can notice. In a complete exploration without a
violation every state leads to the end, so a thread that rests at an operation performs it.
Operations that no other thread notices (``pause``, ``compute``, fences, marks) are left out.
"""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.search.explore import Exploration
from locksim.compiler import bytecode as b
from locksim.compiler.bytecode import Place


def performed_operations(found: Exploration) -> set[Place]:
    """The places of the operations at which a thread rests in some state."""
    width, count = int(found.tables.size[m.ROW]), int(found.space.thread_count[0])
    rests = {int(pc) for pc in found.space.threads[m.PC : count * width : width]}
    program = found.model.program
    return {program.places[pc] for pc in rests if program.code[pc][0] in b.NOTICED}
