"""Label caches: what NetLabel asks for every labelled packet.

They have no base class of their own: ``label_put`` makes a struct one.
"""

from __future__ import annotations

from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.lang import NS, Struct, Workload
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.workloads.label_lookups import LabelLookups


class LabelCacheKind(StructKind):
    """``lookup``, ``add``, ``label_new`` and ``label_put``."""

    base = Struct
    methods = ("label_put",)
    unit = "label lookups"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Label lookups; a miss costs the hold time."""
        labels = NetLabel(cache=struct, option_ps=NS, translate_ps=settings.hold_ps)
        return LabelLookups(labels=labels, other_ps=max(settings.think_ps, 1))

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Label lookups of a few labels."""
        labels = NetLabel(cache=struct(), option_ps=think_ps // 10, translate_ps=think_ps)
        return [LabelLookups(labels=labels, other_ps=think_ps, n_labels=6)]
