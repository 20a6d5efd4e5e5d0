"""Both engines agree on random programs on random machines, errors and deadlocks included.

The programs are source text, written to a file and imported: the reference engine drives the real
generators, the compiler reads the same text.
"""

import importlib.util
import itertools
import sys
from pathlib import Path

import pytest
from engine.engine_pair import Pair, compare, difference, idle_rows, outcome, run_pair, said
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_machines import machines
from random_workloads import workloads

from locksim.core.result import DeadlockError, RunResult
from locksim.engine.fast import engine as fast
from locksim.lang import Workload

HEAP_LINES = 12
"""So few that programs which allocate run out of memory now and then."""
NUMBERS = itertools.count()

seeds = st.integers(0, 2**63 - 1)
durations = st.sampled_from([100, 500, 1500])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the random modules are written."""
    return tmp_path_factory.mktemp("programs")


def imported(text: str, folder: Path) -> type[Workload]:
    """Write a text to a file of its own, import it, and give its class ``World``."""
    name = f"random_program_{next(NUMBERS)}"
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    world: type[Workload] = module.World
    return world


def kind_of(pair: Pair) -> str:
    """What a pair shows: an error, a wait that never ends, a jump, or neither."""
    if not isinstance(pair.plain, RunResult):
        return type(pair.plain).__name__
    if not isinstance(pair.jumped, RunResult):
        return "waits forever"
    return "jumps" if idle_rows(pair) > 0 else "same rows"


def test_random_programs(folder):
    """Traces, counters, meters, memory, the text of errors and the verdict on deadlocks agree.

    There are programs of every kind among them.
    """
    seen = set()

    @settings(
        max_examples=2 * settings.default.max_examples, suppress_health_check=list(HealthCheck)
    )
    @given(text=workloads(), tables=machines(), seed=seeds, until_ps=durations)
    def look(text, tables, seed, until_ps):
        world = imported(text, folder)
        pair = run_pair(world(), tables, seed=seed, until_ps=until_ps, heap_lines=HEAP_LINES)
        compare(pair)
        seen.add(kind_of(pair))

    look()
    assert {"SimulationError", "waits forever", "jumps", "same rows"} <= seen


@settings(suppress_health_check=list(HealthCheck))
@given(text=workloads(timers=True), tables=machines(), seed=seeds, until_ps=durations)
def test_random_programs_whose_tasks_lose_their_cpus(folder, text, tables, seed, until_ps):
    """Wherever the timer interrupts a task: in a computation, a wait, a spin or a section."""
    world = imported(text, folder)
    compare(run_pair(world(), tables, seed=seed, until_ps=until_ps, heap_lines=HEAP_LINES))


@settings(suppress_health_check=list(HealthCheck))
@given(
    text=workloads(),
    tables=machines(),
    seed=seeds,
    cuts=st.lists(st.integers(0, 800), max_size=4).map(sorted),
)
def test_a_session_in_pieces_is_one_run(folder, text, tables, seed, cuts):
    """Wherever a run is cut, its pieces give what the whole gives."""
    pair = run_pair(
        imported(text, folder)(), tables, seed=seed, until_ps=800, heap_lines=HEAP_LINES
    )
    session = fast.Session(pair.image, pair.memory, tables, seed=seed)

    def pieces() -> RunResult:
        for time_ps in [*cuts, 800]:
            session.advance(time_ps)
        return session.result()

    parts = outcome(pieces)
    if isinstance(parts, RunResult) and isinstance(pair.expected, RunResult):
        found = difference(pair.expected, parts, trace=False)
        assert "" == found, found
    elif isinstance(pair.jumped, DeadlockError):
        # A cut lets spinners run on for a round, so that the moment of the verdict moves.
        assert isinstance(parts, DeadlockError), said(parts)
    else:
        assert said(pair.expected) == said(parts)
