"""Every struct of the library has a kind, and every kind answers what it is asked."""

import pytest

import locksim.checker
from locksim.checker import Sampling, sample_lock
from locksim.compiler import compile_source
from locksim.kinds import LoadError, LoadSettings, kind_of, kinds, plain_load
from locksim.kinds.checking import bases_with, checked_bases
from locksim.lang import NS, CountedRef, Lock, RWLock, Struct, Workload
from locksim.lang import struct as language
from locksim.library.locks.lockref import Lockref
from locksim.library.locks.rcu import RcuHead
from locksim.library.locks.ticket import TicketLock
from locksim.library.registry import entries, resolve
from locksim.library.schedulers.interface import Scheduler
from locksim.study.simulation import simulate

every_kind = pytest.mark.parametrize("kind", kinds(), ids=lambda kind: type(kind).__name__)
every_entry = pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)


def test_every_base_class_of_the_language_has_a_kind():
    """A base class without a kind could be written, and neither run nor checked."""
    assert set(language.KINDS) - {Struct} <= {kind.base for kind in kinds()}


@every_entry
def test_everything_in_the_library_can_be_run(entry):
    """Its kind gives it a plain load, and loads that the engines are compared under."""
    load = plain_load(entry.name, LoadSettings(tasks=3))
    assert isinstance(load.workload, Workload)
    assert load.livelock_limit_ps(2) > load.livelock_limit_ps(1)
    tests = load.kind.test_loads(entry.struct, 1000)
    assert len(tests) == len({type(load) for load in tests}) > 0


@pytest.mark.slow
@every_entry
def test_clients_of_any_number_of_threads_accuse_nothing_right(entry):
    """All in the library is right but one; so what fails is a client that is too small for them."""
    kind = kind_of(entry.struct)
    for threads in (1, 3, 5):
        if kind.clients(entry.struct, threads, 1) and entry.name != "no_check":
            assert "" == sample_lock(entry.struct, Sampling(100, depth=3), threads=threads).found
            assert "" == sample_lock(entry.struct, Sampling(200), threads=threads, rounds=2).found


def test_the_nearest_base_decides():
    """A counted reference is a lock too, and is not taken for a plain one."""
    assert [CountedRef, Lock] == [kind_of(struct).base for struct in (Lockref, TicketLock)]
    assert kind_of(TicketLock) is kind_of(TicketLock())


def test_a_class_without_base_is_known_by_its_methods():
    """Also where it exists only as parsed text."""
    text = """
from locksim.lang import *

class Open(Struct):
    def has_perm(self, ssid, tsid, tclass, requested):
        yield pause()
        return 0
"""
    parsed = compile_source(text, "open.py")["Open"].struct
    assert kind_of(resolve("avc_rcu").struct) is kind_of(parsed)
    assert kind_of(RcuHead) is None


def test_a_load_that_fits_no_kind_is_refused(tmp_path):
    """The message names what there is."""
    file = tmp_path / "odd.py"
    file.write_text("from locksim.lang import *\nclass Odd(Struct):\n    count = word()\n")
    with pytest.raises(LoadError, match=r"it is not a .*Lock.* has no has_perm\(\) or d_path"):
        plain_load(str(file))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hold_ps": -1 * NS}, r"--hold must be between 0ns and 1s \(got -1ns\)"),
        ({"read_percent": 101}, r"--reads must be between 0% and 100% \(got 101%\)"),
        ({"words": 65}, r"--words must be between 0 and 64 \(got 65\)"),
        ({"tasks": 0}, r"--tasks must be between 1 and 65,536 \(got 0\)"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    """Under the name of the option that sets them."""
    with pytest.raises(LoadError, match=message):
        LoadSettings(**settings)


@pytest.mark.parametrize(
    "name", ["ticket", "rcu_qsbr", "avc_rcu", "dcache_seqretry", "cipso", "percpu_queues"]
)
def test_think_is_a_mean_in_every_kind(name):
    """On one CPU an operation gets longer by as much as the think time does."""
    times = [
        simulate(
            plain_load(name, LoadSettings(think_ps=think_ps)).workload,
            machine="ideal-1",
            operations=400,
            replications=2,
        )
        .operation_ps()
        .mean
        for think_ps in (20_000 * NS, 40_000 * NS)
    ]
    assert 20_000 * NS == pytest.approx(times[1] - times[0], rel=0.1)


@every_kind
def test_clients_have_names_of_their_own(kind):
    """A verdict names the client that found the fault."""
    for entry in entries():
        if kind_of(entry.struct) is kind:
            names = [client.name for client in kind.clients(entry.struct, 3, 2)]
            assert len(names) == len(set(names))


def test_messages_name_the_bases_that_can_be_checked():
    """By their base, or by a method where they have no base of their own."""
    assert {Lock, RWLock} <= {*checked_bases("endless_clients")} < {*checked_bases("clients")}
    assert Scheduler in checked_bases("clients")
    assert {"struct with has_perm()", "Scheduler"} <= {
        *bases_with("clients").replace(" or", ",").split(", ")
    }
    assert "Lock, RWLock" in bases_with("endless_clients").replace(" or", ",")


def test_the_checker_offers_what_asks_the_kinds():
    """The public path; another name that is not there is refused as usual."""
    assert locksim.checker.check_lock is locksim.check_lock
    with pytest.raises(AttributeError, match="no attribute 'check_lck'"):
        _ = locksim.checker.check_lck
