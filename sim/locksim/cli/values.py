"""The values that a shell completes.

Nothing is imported before a shell asks: the options of every command name these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def locks(*kinds: str) -> Callable[[], Iterable[str]]:
    """Return what gives the names of the library.

    Arguments:
        kinds: "lock", "cache" or "scheduler"; without any, all of them.
    """

    def names() -> Iterable[str]:
        from locksim.library.registry import entries

        return [entry.name for entry in entries() if not kinds or entry.kind in kinds]

    return names


def machines() -> Iterable[str]:
    """Return the names of the shipped profiles, and some of the ideal ones."""
    from locksim.machine import names

    return [*names(), *(f"ideal-{1 << k}" for k in range(11))]


def memory_models() -> Iterable[str]:
    """Return the names of the memory models."""
    from locksim.checker.models.model import MEMORY_MODELS

    return MEMORY_MODELS


def properties() -> Iterable[str]:
    """Return what the checker can prove."""
    from locksim.checker.verdict import PROPERTIES

    return PROPERTIES


def asked() -> Iterable[str]:
    """Return what ``locklab check --property`` takes: properties, and conditions on histories."""
    from locksim.checker.spec.history import CONDITIONS

    return [*properties(), *CONDITIONS]


def specifications() -> Iterable[str]:
    """Return the names of the library's specifications."""
    from locksim.library.registry import specifications as known

    return known()


def arrivals() -> Iterable[str]:
    """Return the ways in which requests come."""
    from locksim.kinds.load import ARRIVALS

    return ARRIVALS


def hold_times() -> Iterable[str]:
    """Return an example of a hold time for each distribution."""
    from locksim.kinds.load import TIMES

    return ["100ns", *(f"{name}:100ns" for name in TIMES)]


def think_times() -> Iterable[str]:
    """Return an example of a think time for each distribution."""
    from locksim.kinds.load import TIMES

    return ["400ns", *(f"{name}:400ns" for name in TIMES)]


def experiments() -> Iterable[str]:
    """Return the names of the published results that can be reproduced."""
    from locksim.papers import names

    return names()


def what_ifs() -> Iterable[str]:
    """Return the names of the what-ifs."""
    from locksim.papers.what_if import names

    return names()


def ablations() -> Iterable[str]:
    """Return the names of the ablations."""
    from locksim.papers.ablations import modules

    return modules()


def drills() -> Iterable[str]:
    """Return the kinds of drills."""
    from locksim.play.drills import KINDS

    return KINDS


def scripts() -> Iterable[str]:
    """Return the names of the scripts for other machines."""
    from locksim.study.reports.scripts import scripts as known

    return known()


def report_formats() -> Iterable[str]:
    """Return the formats of measured reports."""
    from locksim.study.reports.detect import FORMATS

    return FORMATS


def what_if_changes(incomplete: str) -> list[str]:
    """Return the changes that a what-if of a load may be; a lock's name is completed, too."""
    from locksim.study.twin.change import CHANGES

    prefix = "lock="
    if incomplete.startswith(prefix):
        found = [f"{prefix}{name}" for name in locks("lock")()]
    else:
        found = [name.rstrip("ANEMX") for name in CHANGES]
    return [one for one in found if one.startswith(incomplete)]
