"""Fixtures that the tests of the simulator share."""

from collections.abc import Callable

import interleaving
import pytest
from hypothesis import settings

# An example that compiles something takes its time; no test is about that.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


@pytest.fixture(scope="session")
def interleave() -> Callable[..., interleaving.Driver]:
    """Random interleavings of a workload's threads: see :func:`interleaving.interleave`."""
    return interleaving.interleave
