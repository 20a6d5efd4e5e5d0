"""The values that a shell completes; nothing is imported before one asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def kernels(*kinds: str) -> Callable[[], Iterable[str]]:
    """Return what gives the names of the build's kernels.

    Arguments:
        kinds: those of ``locklab show kernel``, such as "probe"; without any, all of them.
    """

    def names() -> Iterable[str]:
        from locknative.compilation import executable

        return [one.name for one in executable.kernels() if not kinds or one.kind in kinds]

    return names


def locks() -> Iterable[str]:
    """Return the names of the locks of ``include/locklab``."""
    from locknative.explorer.locks import locks as known

    return known()


def explored() -> Iterable[str]:
    """Return what ``native explore`` takes besides files."""
    return [*locks(), "all"]


def standards() -> Iterable[str]:
    """Return the standards of release sequences."""
    from locknative.explorer.search import STANDARDS

    return STANDARDS


def tools() -> Iterable[str]:
    """Return the tools that look for evidence."""
    from locknative.explorer.torture import TOOLS

    return [*TOOLS, "all"]


def workloads() -> Iterable[str]:
    """Return the names of the workloads."""
    from locknative.benchmark.workloads import workloads as known

    return known()


def variants() -> Iterable[str]:
    """Return the variants of all workloads."""
    from locknative.benchmark.workloads import workloads as known

    return sorted({variant for variants in known().values() for variant in variants})


def operations() -> Iterable[str]:
    """Return the timed operations of lmbench."""
    from locknative.benchmark.workloads import OPERATIONS

    return OPERATIONS
