"""A Dask cluster to work on: how to reach it, and whether its workers are the right ones.

The workers and the scheduler belong to the user and are trusted. Anyone who can reach the scheduler
can run code on the workers: use Dask's TLS, or a private network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

__all__ = ["ClusterError", "as_completed", "connected"]

PATIENCE_S = 20
"""Time in which a scheduler has to answer."""


class ClusterError(Exception):
    """There is no such cluster, or a part of the work could not be done on it."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@contextmanager
def connected(address: str, sources: Callable[[], str]) -> Iterator[Any]:
    """Connect to a scheduler; give Dask's client.

    Arguments:
        address: the scheduler's, such as ``tcp://10.0.0.1:8786``.
        sources: gives the digest of the sources that decide the results, here as on the workers; a
            function at the top level of a module.

    Raises:
        ClusterError: no scheduler answers, it has no workers, or one has other sources.
    """
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise ClusterError(
            f"--cluster {address}: no scheduler answers ({error})\n"
            "help: start one (dask scheduler), and workers on it (dask worker ADDRESS)"
        ) from error
    with client:
        _check_workers(client, sources)
        yield client


def as_completed(client: Any, futures: Iterable[Any]) -> Iterator[Any]:
    """The futures of a client, each when it is done."""
    yield from _distributed().as_completed(list(futures), loop=client.loop)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(
            "--cluster needs Dask, which is not installed\nhelp: pip install 'locklab[cluster]'"
        ) from error
    return distributed


def _check_workers(client: Any, sources: Callable[[], str]) -> None:
    """Refuse workers that have another version than this machine."""
    try:
        found = client.run(_versions, sources)
    except ImportError as error:
        raise ClusterError(f"LockLab is not installed on the workers: {error}") from error
    if not found:
        raise ClusterError("the scheduler has no workers; start some: dask worker ADDRESS")
    here = _versions(sources)
    for worker, there in found.items():
        if there != here:
            raise ClusterError(
                f"worker {worker} has LockLab {_said(there)}, this machine has {_said(here)}: "
                "install the same version everywhere"
            )


def _versions(sources: Callable[[], str]) -> dict[str, str]:
    return {"locklab": version("locklab"), "sources": sources()}


def _said(versions: Mapping[str, str]) -> str:
    return f"{versions['locklab']} (sources {versions['sources']})"
