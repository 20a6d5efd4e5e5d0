"""Published results, reproduced: one module an experiment, each an :class:`Experiment`."""

from __future__ import annotations

from locksim.papers.experiment import Cell, Experiment, Reproduction

__all__ = ["Cell", "Experiment", "Reproduction", "find", "names"]

_MODULES = {
    "smalley-2001-lmbench": "lmbench_2001.experiment:SMALLEY",
    "franke-2001-lmbench": "lmbench_2001.experiment:FRANKE",
    "franke-2001-chatroom": "franke_2001.chatroom",
    "franke-2001-lockmeter": "franke_2001.lockmeter",
    "franke-2001-kernprof": "franke_2001.kernprof",
    "kaigai-2004": "kaigai_2004.experiment",
    "moore-2006-netlabel": "moore_2006.experiment",
    "long-2013-redo": "long_2013.redo",
    "long-2013-awr": "long_2013.awr",
    "mckenney-2019": "curves.experiment:MCKENNEY",
    "downs-2020": "curves.experiment:DOWNS",
    "folly-locks": "curves.experiment:FOLLY",
}
"""Name → module, and after a colon its object where it is not ``EXPERIMENT``."""


def names() -> list[str]:
    """The experiments that can be reproduced."""
    return list(_MODULES)


def find(name: str) -> Experiment:
    """An experiment by its name.

    Raises:
        ExperimentError: there is none of this name.
    """
    import importlib

    from locksim.papers.experiment import ExperimentError
    from lockui.suggest import did_you_mean

    if name not in _MODULES:
        raise ExperimentError(f"unknown experiment {name!r}; {did_you_mean(name, _MODULES)}")
    module, _, attribute = _MODULES[name].partition(":")
    loaded = importlib.import_module(f"locksim.papers.{module}")
    found: Experiment = getattr(loaded, attribute or "EXPERIMENT")
    return found
