"""Studies that take a mechanism away or look at it alone (ablations.md, lmbench.md)."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from locksim.papers.experiment import ExperimentError
from lockui.suggest import did_you_mean

__all__ = ["find", "modules"]


def modules() -> dict[str, str]:
    """Return the module of each ablation, by the name that users write."""
    return {m.name.replace("_", "-"): m.name for m in pkgutil.iter_modules(__path__)}


def find(name: str) -> Any:
    """Return the module of an ablation; its ``view()`` gives the tables.

    Raises:
        ExperimentError: there is none of this name.
    """
    known = modules()
    if name not in known:
        raise ExperimentError(f"unknown ablation '{name}'; {did_you_mean(name, known)}")
    return importlib.import_module(f"{__name__}.{known[name]}")
