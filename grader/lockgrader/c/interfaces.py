"""The interfaces of C submissions: a header, the functions to define, and our clients.

Each folder beside this module is an interface, but for ``common``, which holds what their clients
share. The files are public: students read them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lockgrader.c import decisions, references, sections
from lockgrader.c.history import Asked, Order, Records
from lockgrader.lab import LabError

__all__ = ["INTERFACES", "Interface", "interface"]


_RECORDS = {n: frozenset({"records"}) for n in (1, 2, 3)}
COMMON = Path(__file__).parent / "common"
CANARIES: dict[str, dict[int, frozenset[str]]] = {
    "explorer": {
        1: frozenset({"freed", "race", "memory"}),
        2: frozenset({"race"}),
        3: frozenset({"assertion"}),
    },
    "torture": _RECORDS,
    "validate": _RECORDS,
    "asan": {11: frozenset({"report"})},
    "tsan": {12: frozenset({"report"})},
    "ubsan": {13: frozenset({"report"})},
}
"""The deliberate mistakes of our clients (common/confined.h, records.h, canary.c)."""


@dataclass(frozen=True, eq=False)
class Interface:
    """An interface.

    Arguments:
        name: also the folder's. header: the file that a submission includes.
        exports: functions that it defines.
        scenarios: of the explorer's client, name → value of SCENARIO.
        asked, sequential, concurrent: what an order determines of the records, and what is wrong
            with records of operations in turns, and of concurrent ones.
        calls: functions of our clients that a submission may call.
        canaries: tool → number of a deliberate mistake → tags that must be found; "records" for
            tools whose records are judged outside.
    """

    name: str
    header: str
    exports: frozenset[str]
    scenarios: dict[str, int]
    asked: Callable[[Order], Asked]
    sequential: Callable[[Records, Order], str]
    concurrent: Callable[[Records], str]
    calls: frozenset[str] = frozenset({"locklab_relax"})
    canaries: dict[str, dict[int, frozenset[str]]] = field(default_factory=CANARIES.copy)

    @property
    def folder(self) -> Path:
        """The folder with its files."""
        return Path(__file__).parent / self.name

    def source(self, name: str) -> Path:
        """A file of a client: the interface's own, or the one that all share."""
        own = self.folder / name
        return own if own.exists() else COMMON / name

    def scenario(self, name: str) -> int:
        """A scenario's number.

        Raises:
            LabError: there is no scenario of this name.
        """
        if name not in self.scenarios:
            known = ", ".join(self.scenarios)
            raise LabError(f"{self.name} has no scenario '{name}'; there are {known}")
        return self.scenarios[name]


def _names(prefix: str, words: str) -> frozenset[str]:
    return frozenset(f"{prefix}_{word}" for word in words.split())


def _numbered(names: str) -> dict[str, int]:
    return {name: number for number, name in enumerate(names.split(), start=1)}


_ALL = (
    Interface(
        name="avc",
        header="avc.h",
        exports=_names("avc", "init destroy lookup insert reclaim"),
        scenarios=_numbered("replace reclaim writers hit lockless held"),
        asked=decisions.asked,
        sequential=decisions.sequential,
        concurrent=decisions.concurrent,
        calls=frozenset(),
    ),
    Interface(
        name="spinlock",
        header="spinlock.h",
        exports=_names("spinlock", "init acquire release"),
        scenarios=_numbered("excludes again"),
        asked=sections.exclusive,
        sequential=sections.sequential,
        concurrent=sections.concurrent,
    ),
    Interface(
        name="seqlock",
        header="seqlock.h",
        exports=_names("seqlock", "init read_begin read_retry write_begin write_end"),
        scenarios=_numbered("torn writers quiet crowd"),
        asked=sections.shared,
        sequential=sections.sequential,
        concurrent=sections.concurrent,
    ),
    Interface(
        name="rwlock",
        header="rwlock.h",
        exports=_names("rwlock", "init read_acquire read_release write_acquire write_release"),
        scenarios=_numbered("excludes writers together"),
        asked=sections.shared,
        sequential=sections.sequential,
        concurrent=sections.concurrent,
    ),
    Interface(
        name="lockref",
        header="lockref.h",
        exports=_names(
            "lockref", "init lock unlock count get put get_not_zero put_or_lock mark_dead"
        ),
        scenarios=_numbered("count last dead keeps lockless"),
        asked=references.asked,
        sequential=references.sequential,
        concurrent=references.concurrent,
    ),
)
INTERFACES = {one.name: one for one in _ALL}


def interface(name: str) -> Interface:
    """An interface by its name.

    Raises:
        LabError: there is none.
    """
    if name not in INTERFACES:
        raise LabError(f"there is no C interface '{name}'; there are {', '.join(INTERFACES)}")
    return INTERFACES[name]
