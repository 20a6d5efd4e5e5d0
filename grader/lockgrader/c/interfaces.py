"""The interfaces of C submissions: a header, the functions to define, and our clients.

Each folder beside this module is an interface. Its files are public: students read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockgrader.lab import LabError

__all__ = ["INTERFACES", "Interface", "interface"]


@dataclass(frozen=True, eq=False)
class Interface:
    """An interface.

    Arguments:
        name: also the folder's. header: the file that a submission includes.
        exports: functions that it defines.
        scenarios: of the explorer's client, name → value of SCENARIO.
        canaries: tool → number of a deliberate mistake → tags that must be found; "records" for
            tools whose records are judged outside.
    """

    name: str
    header: str
    exports: frozenset[str]
    scenarios: dict[str, int]
    canaries: dict[str, dict[int, frozenset[str]]]

    @property
    def folder(self) -> Path:
        """The folder with its files."""
        return Path(__file__).parent / self.name

    def scenario(self, name: str) -> int:
        """A scenario's number.

        Raises:
            LabError: there is no scenario of this name.
        """
        if name not in self.scenarios:
            known = ", ".join(self.scenarios)
            raise LabError(f"{self.name} has no scenario '{name}'; there are {known}")
        return self.scenarios[name]


_RECORDS = {n: frozenset({"records"}) for n in (1, 2, 3)}
INTERFACES = {
    "avc": Interface(
        name="avc",
        header="avc.h",
        exports=frozenset(f"avc_{x}" for x in ("init", "destroy", "lookup", "insert", "reclaim")),
        scenarios={"replace": 1, "reclaim": 2, "writers": 3, "hit": 4, "lockless": 5, "held": 6},
        canaries={
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
        },
    )
}


def interface(name: str) -> Interface:
    """An interface by its name.

    Raises:
        LabError: there is none.
    """
    if name not in INTERFACES:
        raise LabError(f"there is no C interface '{name}'; there are {', '.join(INTERFACES)}")
    return INTERFACES[name]
