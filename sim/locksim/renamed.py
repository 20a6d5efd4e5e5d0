"""Modules under their former names: importing one still works, and the warning says what to write.

Lessons, labs and notebooks that others wrote import ``locksim.locks.mcs``; the module is now
``locksim.library.locks.mcs``. A finder in front of the import system gives the one module under
both names, so there is no second copy of any class.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["current", "install"]

MOVED = {
    "locksim.analytic": "locksim.study.analytic",
    "locksim.caches": "locksim.library.avc",
    "locksim.checker.render": "locksim.checker.replay.render",
    "locksim.experiments": "locksim.papers",
    "locksim.experiments.kaigai_2004": "locksim.papers.kaigai_2004.experiment",
    "locksim.kernel": "locksim.library.kernel",
    "locksim.locks": "locksim.library.locks",
    "locksim.probes": "locksim.library.probes",
    "locksim.registry": "locksim.library.registry",
    "locksim.reports": "locksim.study.reports",
    "locksim.schedulers": "locksim.library.schedulers",
    "locksim.simulation": "locksim.study.simulation",
    "locksim.traces": "locksim.study.traces",
    "locksim.workloads": "locksim.library.workloads",
}
"""Former name → name of today; what lies inside a package moved with it."""


def current(name: str) -> str:
    """Return a module's name of today, for a former name; every other name as it is."""
    head, rest = name, ""
    while head:
        if head in MOVED:
            return MOVED[head] + rest
        head, dot, last = head.rpartition(".")
        rest = f"{dot}{last}{rest}"
    return name


def install() -> None:
    """Let former names be imported in this process."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds modules by their former names.

    It stands first: a renamed package knows its folder, and the ordinary finder would load what
    lies in there a second time.
    """

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return a spec for a former name, None for every other."""
        if not fullname.startswith("locksim.") or current(fullname) == fullname:
            return None
        return ModuleSpec(fullname, _SameModule())


class _SameModule(Loader):
    """Puts the module of today in the place of the one that is being imported."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to the import system: the module made here is thrown away."""

    def exec_module(self, module: ModuleType) -> None:
        """Import the module of today and enter it under the former name."""
        former, today = module.__name__, current(module.__name__)
        warnings.warn(
            f"{former} is now {today}: import it from there", DeprecationWarning, stacklevel=2
        )
        sys.modules[former] = importlib.import_module(today)
