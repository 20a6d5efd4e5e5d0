"""Counted loops, flags, ``super()``, nodes and words as arguments: both engines, tick for tick."""

import inspect

import idioms
import pytest
from engine.engine_pair import compare, run_pair

from locksim import machine
from locksim.compiler import compile_class, compile_source
from locksim.core.result import RunResult
from locksim.engine.counters import LOCK_COUNTERS
from locksim.lang import Workload

PARSED = compile_source(inspect.getsource(idioms), idioms.__file__)
LOCKS = {"Bakery": {"n": 3}, "Filter": {"n": 3}, "CountingByTwo": {}, "Flagged": {}}


def workload(name: str, *, live: bool) -> tuple[Workload, dict[str, int]]:
    """A workload with a class of the module, live or parsed, and what its words hold at the end."""

    def cls(name: str):
        return getattr(idioms, name) if live else PARSED[name].struct

    if name == "Bank":
        return cls("Bank")(rounds=3), {"rich.money": 9, "poor.money": 18}
    expected = {"data": 9} | ({"lock.taken": 18} if name == "CountingByTwo" else {})
    return cls("Crowd")(rounds=3, lock=cls(name)(**LOCKS[name])), expected


@pytest.mark.parametrize("live", [True, False], ids=["live", "parsed"])
@pytest.mark.parametrize("name", [*LOCKS, "Bank"])
def test_engines_agree_and_no_update_is_lost(name: str, live: bool) -> None:
    """The traces are equal row for row, and three threads counted to nine under the lock."""
    described, expected = workload(name, live=live)
    pair = run_pair(
        described, machine.load("pentium3-8way").tables(3, "compact"), seed=3, until_ps=50_000_000
    )
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    assert pair.expected.finished
    if name != "Bank":  # super() counts no acquisition twice
        assert [9] == pair.expected.locks[:, LOCK_COUNTERS.index("total")].tolist()
    at = {name: address for address, name in pair.memory.names}
    assert expected == {name: pair.expected.memory[at[name]] for name in expected}


@pytest.mark.parametrize("name", PARSED)
def test_parsed_text_gives_the_bytecode_of_the_live_class(name: str) -> None:
    """The methods that ``super()`` gives are among them, in the same order."""
    live = compile_class(getattr(idioms, name)).methods
    assert [*live.items()] == [*PARSED[name].methods.items()]
