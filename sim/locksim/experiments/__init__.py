"""Historical results, reproduced: one module an experiment, each an :class:`Experiment`."""

from __future__ import annotations

from locksim.experiments.experiment import Cell, Experiment, Reproduction

__all__ = ["Cell", "Experiment", "Reproduction", "find", "names"]

_MODULES = {
    "kaigai-2004": "kaigai_2004",
    "moore-2006-netlabel": "moore_2006",
}


def names() -> list[str]:
    """The experiments that can be reproduced."""
    return list(_MODULES)


def find(name: str) -> Experiment:
    """An experiment by its name.

    Raises:
        ExperimentError: there is none of this name.
    """
    import difflib
    import importlib

    from locksim.experiments.experiment import ExperimentError

    if name not in _MODULES:
        close = difflib.get_close_matches(name, _MODULES, 1)
        hint = f": did you mean {close[0]!r}?" if close else f" (there are: {', '.join(_MODULES)})"
        raise ExperimentError(f"there is no experiment {name!r}{hint}")
    found: Experiment = importlib.import_module(f"locksim.experiments.{_MODULES[name]}").EXPERIMENT
    return found
