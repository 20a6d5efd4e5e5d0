"""Studies that take a mechanism away or look at it alone (ablations.md, lmbench.md)."""

import pkgutil

__all__ = ["modules"]


def modules() -> dict[str, str]:
    """Return the module of each ablation, by the name that users write."""
    return {m.name.replace("_", "-"): m.name for m in pkgutil.iter_modules(__path__)}
