"""From what is known to a profile that loads, and whose ping-pong is the measured one."""

import tomllib
from pathlib import Path

import pytest
from matrices import two_sockets, write

from locksim.machine import MachineError, load
from locksim.study.new_machine import Known, Matrix, draft, of_matrix, ping_pong_ns
from locksim.study.new_machine.defaults import Value
from locksim.study.new_machine.shape import Reading, regular


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Two sockets of two cores with two threads, from a matrix."""
    matrix = Matrix.read(write(tmp_path_factory.mktemp("matrix"), 8, two_sockets))
    shape = of_matrix(matrix)
    assert shape.readings is not None
    return Known(
        "two-sockets", shape, "test", readings=shape.readings, reading_source="a test's matrix"
    )


def test_the_simulated_ping_pong_is_the_measured_one(known: Known, tmp_path: Path) -> None:
    """At every distance, on the file as it is read back."""
    file = tmp_path / "two-sockets.toml"
    file.write_text(draft(known).text)
    machine = load(file)
    for name, reading in known.readings.items():
        assert reading.ns == pytest.approx(ping_pong_ns(machine, name), abs=0.1), name


def test_the_text_is_the_document_with_comments(known: Known) -> None:
    """Comments change nothing, and each assumed value has a range."""
    found = draft(known)
    table = tomllib.loads(found.text)
    assert "# A node is a group of cores" in found.text
    assert "assumed" == table["cost"]["tenure"]["role"]
    assert all(p.low is not None for p in found.machine.parameters() if p.role == "assumed")
    assert {"spread"} <= set(table["cost"]["tenure"]) & set(table["cost"]["tenure_class"]["core"])
    assert 100 < found.machine.protocol.shared_issue_percent
    assert {"fitted": 3} == {k: n for k, n in found.roles.items() if k == "fitted"}


def test_what_is_given_is_taken(known: Known) -> None:
    """A published transfer is not solved for; a known hold time changes the transfers."""
    given = {
        "tenure": Value(2.0, 2.0, 2.0, "a manual", "published"),
        "transfer.far": Value(99.0, 99.0, 99.0, "a manual", "published"),
    }
    machine = draft(Known(**{**vars(known), "costs": given})).machine
    found = machine.cost_ps()
    assert (2_000, 99_000) == (found["tenure"], found["transfer.far"])
    assert 0 < machine.spread_ps()["tenure"] <= 2_000
    assert found["transfer.node"] > draft(known).machine.cost_ps()["transfer.node"]


def test_a_calibrated_spread_is_kept(known: Known) -> None:
    """Where a calibration found hold times of one length, they stay so."""
    constant = {"tenure": Value(2.0, 2.0, 2.0, "a calibration", "fitted", spread=0.0)}
    machine = draft(Known(**{**vars(known), "costs": constant})).machine
    assert 0 == machine.spread_ps()["tenure"]


def test_threads_of_a_core_read_what_is_published() -> None:
    """Their line hold time is their own: 8.3 ns one way is not 16."""
    near = {"core": Reading(8.3, 8.3, 8.3, 1), "node": Reading(48.0, 48.0, 48.0, 1)}
    found = draft(Known("smt", regular(1, 4, 2), "test", readings=near, reading_source="a page"))
    assert 8.3 == pytest.approx(ping_pong_ns(found.machine, "core"), abs=0.1)


def test_without_readings_everything_is_assumed() -> None:
    """A shape alone makes a profile too."""
    found = draft(Known("shape-only", regular(2, 4, 2), "test"))
    assert {"assumed"} == set(found.roles)
    assert [] == found.solved


def test_one_reading_bounds_the_nearer_ones() -> None:
    """A far ping-pong that is short: the unknown near one is shorter still."""
    known = Known(
        "near",
        regular(2, 4, 1),
        "test",
        readings={"socket": Reading(40.0, 40.0, 40.0, 1)},
        reading_source="a page",
    )
    costs = draft(known).machine.cost_ps()
    assert costs["transfer.node"] < costs["transfer.socket"] < 40_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"costs": {"transfer.nod": Value(1, 1, 1, "x")}}, "no cost 'transfer.nod'.*transfer.node"),
        (
            {"readings": {"soket": Reading(1, 1, 1, 1)}},
            "unknown distance class 'soket'.*pingpong.socket",
        ),
    ],
)
def test_a_name_that_does_not_exist_is_refused(change: dict[str, object], message: str) -> None:
    """With the nearest that does."""
    with pytest.raises(MachineError, match=message):
        draft(Known(**{"name": "x", "shape": regular(2, 2, 1), "title": "x", **change}))  # type: ignore[arg-type]
