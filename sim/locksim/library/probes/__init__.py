"""Probes: the loops that measure a real machine, as programs for a simulated one.

Each module here is one probe of ``native/probes``, under the same name and with the same operations
in the same order. The reading of a probe on a real machine is rarely one cost: a handoff is a
transfer, an atomic instruction, the line hold time (``tenure``) of the CPU that had the line, and a
wait for the bus. The same loop on a simulated machine reads the same mixture, so a cost can be
solved for: it is the one with which the simulated probe reads what the real one read. The probes of
one CPU by itself need no program: there a reading is a cost. (``own_spend`` has one for two threads
of a core.)

The load of ``stop`` is the harness's flag, which a waiting loop reads in each iteration; it is a
hit.
"""

from locksim.library.probes.contended_add import ContendedAdd
from locksim.library.probes.false_sharing import FalseSharing
from locksim.library.probes.handoff_cas import HandoffCas
from locksim.library.probes.handoff_store import HandoffStore
from locksim.library.probes.own_spend import OwnSpend
from locksim.library.probes.read_loop import ReadLoop
from locksim.library.probes.served_next import ServedNext
from locksim.library.probes.write_shared import WriteShared

__all__ = [
    "ContendedAdd",
    "FalseSharing",
    "HandoffCas",
    "HandoffStore",
    "OwnSpend",
    "ReadLoop",
    "ServedNext",
    "WriteShared",
]
