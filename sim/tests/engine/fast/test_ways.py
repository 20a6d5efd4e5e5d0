"""A run changes over from the plain loop to the compiled one, and the result is the same."""

import json
from contextlib import contextmanager
from functools import partial

import pytest
from checker.search.test_compiled import imported as imports_of
from engine.engine_pair import difference, outcome, said
from engine.test_arithmetic import COMPUTING, INT64, TABLES
from engine.test_equal_random import folder, imported, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_machines import machines
from random_workloads import workloads
from typer.testing import CliRunner

from locksim import jit
from locksim.cli.run import app
from locksim.core.result import RunResult, SimulationError
from locksim.engine.fast import compiled, engine, ways
from locksim.engine.prepared import prepare
from locksim.study.simulation import simulate

__all__ = ["folder"]
NEVER = 1 << 60


class Until:
    """A choice that takes the plain loop for some events."""

    def __init__(self, events):
        self.rest = events

    def left(self):
        """Events to go."""
        return max(0, self.rest)

    def spend(self, events):
        """Count them."""
        self.rest -= events

    def load(self):
        """The compiled loop."""
        return compiled


@contextmanager
def plain_until(events):
    """Let a run change over after so many events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ways, "CHOICES", dict.fromkeys(ways.PARTS, Until(events)))
        yield


@pytest.mark.parametrize("name", ways.LOOP)
def test_every_source_of_the_loop_is_in_the_digest(name):
    """Also what only decides on columns: a new number of the machine moves the others."""
    assert imports_of(f"engine/fast/{name}.py") <= set(ways.SOURCES)


@settings(suppress_health_check=list(HealthCheck))
@given(text=workloads(), tables=machines(), seed=seeds, events=st.integers(0, 400))
def test_random_programs(folder, text, tables, seed, events):
    """Traces, counters, meters, memory, errors: all compiled, all plain, and first plain."""
    image, memory = prepare(imported(text, folder)(), tables, heap_lines=12)
    run = partial(engine.run, image, memory, tables, seed=seed, until_ps=800, trace=True)
    found = []
    for change in (0, NEVER, events):
        with plain_until(change):
            found.append(outcome(run))
    assert 1 == len(set(map(said, found)))
    if isinstance(found[0], RunResult):
        assert ["", ""] == [difference(found[0], other, trace=True) for other in found[1:]]


@given(INT64, INT64)
def test_arithmetic_wraps_round(a, b):
    """Registers and words of the plain loop have 64 bits, too."""
    image, memory = prepare(COMPUTING(a=a, b=b), TABLES)
    run = partial(engine.run, image, memory, TABLES, seed=1, until_ps=10**7, trace=True)
    found = []
    for change in (0, NEVER):
        with plain_until(change):
            found.append(run())
    assert "" == difference(*found, trace=True)


@pytest.mark.parametrize("machine", ["ideal-8", "pentium3-8way"])
def test_a_command_prints_the_same_document(machine):
    """To the last byte, on machines without and with limited caches."""
    asked = ["ticket", "--cpus", "2", "--operations", "5", "--machine", machine, "--json"]
    printed = []
    for change in (0, 333, NEVER):
        with plain_until(change):
            printed.append(CliRunner().invoke(app, asked).stdout)
    assert 1 == len(set(printed))
    assert 2 == json.loads(printed[0])["cpus"]


def test_a_long_run_is_refused_where_nothing_can_be_compiled(monkeypatch):
    """With an estimate, or what is known of it; a short one runs."""
    from locksim.library.locks.ticket import TicketLock
    from locksim.library.workloads.critical_section import CriticalSection

    monkeypatch.setattr(jit, "enabled", lambda: False)
    short = partial(simulate, CriticalSection(lock=TicketLock), machine="ideal-2", replications=1)
    assert short(operations=5).complete
    assert "would take about 120 minutes or more" in str(ways._too_long(1_000, 144_000))
    monkeypatch.setattr(ways, "MOST", 100)
    monkeypatch.setattr(ways, "SLICE", 50)
    with pytest.raises(SimulationError, match="would take over a minute, some hundred times"):
        short(operations=500)
