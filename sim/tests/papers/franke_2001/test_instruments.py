"""The kernel of franke-2001 with its instruments: what is replaced, and what that costs."""

import pytest

from locksim import machine as machines
from locksim.library.instruments.lockmeter import MeteredLock
from locksim.library.locks.ttas import TTASLock
from locksim.papers.franke_2001 import instruments
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.setting import Costs

MACHINE = machines.load(franke_2001.MACHINE)


def short(kernel: str = "selinux", cpus: int = 2, *, lockmeter: bool) -> franke_2001.Run:
    """One room of four users, a message each."""
    return franke_2001.run(
        MACHINE, kernel, 1, cpus, Costs(), messages=1, users=4, lockmeter=lockmeter
    )


def test_every_spinlock_is_metered() -> None:
    """No TTAS lock is left, each metered one knows the tables, and each kind has its own row."""
    described = franke_2001.workload("selinux", 1, Costs())
    todo = [instruments.metered(described, MACHINE.tables(2))]
    rows = set()
    while todo:
        struct = todo.pop()
        assert not isinstance(struct, TTASLock)
        todo += struct._parts.values()
        if isinstance(struct, MeteredLock):
            assert struct._params["tables"] > 0
            rows.add(struct._params["caller"])
    assert set(instruments.ROWS.values()) == rows


def test_lockmeter_slows_what_it_measures() -> None:
    """The same messages take longer, and its hold on one CPU has its own clock in it."""
    metered, plain = short(cpus=1, lockmeter=True), short(cpus=1, lockmeter=False)
    assert plain.messages == metered.messages
    assert plain.seconds < metered.seconds
    assert plain.locks["avc_lock"]["total"] == metered.locks["avc_lock"]["total"]
    assert 0.04 < metered.hold_us("avc_lock") - plain.hold_us("avc_lock") < 0.12


def test_vanilla_has_no_checks_to_meter() -> None:
    """Only the scheduler's lock is taken."""
    found = short("vanilla", lockmeter=True).locks
    assert 0 == found["avc_lock"]["total"] < found["runqueue_lock"]["total"]


def test_a_lock_without_a_row_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new spinlock of the kernel cannot be forgotten."""
    monkeypatch.delitem(instruments.ROWS, "Loopback.socks.lock")
    described = franke_2001.workload("selinux", 1, Costs())
    with pytest.raises(KeyError):
        instruments.metered(described, MACHINE.tables(2))
