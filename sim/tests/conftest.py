"""Fixtures that the tests of the simulator share."""

from collections.abc import Callable

import interleaving
import pytest


@pytest.fixture(scope="session")
def interleave() -> Callable[..., interleaving.Driver]:
    """Random interleavings of a workload's threads: see :func:`interleaving.interleave`."""
    return interleaving.interleave
