"""Short runs, and the loads and tables that several tests share."""

import pytest
from study.twin.twin_loads import CPUS, LOAD, MACHINE

from locksim.study.reports.formats import WRITERS
from locksim.study.twin import fit
from locksim.study.twin.load import Setting, measure


@pytest.fixture
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the sections."""
    monkeypatch.setattr(fit, "LEAST_SECTIONS", 2_000)
    monkeypatch.setattr(fit, "MOST_SECTIONS", 4_000)
    monkeypatch.setattr(fit, "WAITS", 100)


@pytest.fixture(scope="session")
def truth():
    """The load, measured for longer."""
    return measure(LOAD, Setting(MACHINE, CPUS, seed=7, sections=10_000))


@pytest.fixture(scope="session")
def report(truth) -> str:
    """The load's report as a kernel would print it."""
    return WRITERS["lock_stat"](truth.table("demo_lock", "a made-up kernel"))
