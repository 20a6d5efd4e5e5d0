"""Digests: equal where runs are equal, different where anything that decides is different."""

from pathlib import Path

from locksim import machine as machines
from locksim.compiler.identity import program_digest
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.registry import from_text
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.sweep.identity import engine_digest, machine_digest, point_digest

FILE = """from locksim.lang import *

class Mine(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
"""


def of(text: str, tmp_path: Path) -> str:
    """The digest of the load on a lock that a text defines."""
    struct = from_text(text, f"{tmp_path}/mine.py").struct
    return program_digest(CriticalSection(lock=struct))


def test_comments_and_names_do_not_count(tmp_path: Path) -> None:
    """Only what a run can notice does: an order, a value, a field, a parameter."""
    same = FILE.replace("class", "# a comment\n\nclass")
    assert of(FILE, tmp_path) == of(same, tmp_path)
    changes = [
        ("swap(1, ACQUIRE)", "swap(1, SEQ_CST)"),
        ("swap(1", "swap(2"),
        ("word()", "word(1)"),
    ]
    changes += [
        ("held = word()", "held = word(padded=True)"),
        ("yield pause()", "yield compute(9)"),
    ]
    digests = {of(FILE.replace(*change), tmp_path) for change in changes}
    assert len(changes) == len(digests - {of(FILE, tmp_path)})


def test_programs_differ_by_their_parts_and_parameters() -> None:
    """Class or instance of a part makes no difference; a parameter does."""
    assert program_digest(CriticalSection(lock=TicketLock)) == program_digest(
        CriticalSection(lock=TicketLock())
    )
    loads = [CriticalSection(lock=MCSLock), CriticalSection(lock=TicketLock, hold_ps=7)]
    assert 3 == len({program_digest(load) for load in [*loads, CriticalSection(lock=TicketLock)]})


def test_machine_is_what_engines_read() -> None:
    """Costs and protocol count; who measured them does not."""
    machine = machines.load("desktop-4")
    half = machine.cost_ps()["transfer.node"]
    same = machine.with_costs(source="elsewhere", **{"transfer.node": half})
    assert machine_digest(machine) == machine_digest(same)
    assert machine_digest(machine) != machine_digest(machine.with_costs(pause=half))
    assert machine_digest(machine) != machine_digest(machine.with_protocol(line_busy_percent=50))


def test_point_is_its_values_in_any_order() -> None:
    """Every part of it counts, and nothing else."""
    point = {"lock": "tas", "cpus": 2}
    digest = point_digest(point, "p", "m", 5)
    assert digest == point_digest(dict(reversed(point.items())), "p", "m", 5)
    others = [point_digest({**point, "cpus": 3}, "p", "m", 5), point_digest(point, "q", "m", 5)]
    others += [point_digest(point, "p", "n", 5), point_digest(point, "p", "m", 6)]
    assert 4 == len({*others} - {digest})
    assert 16 == len(engine_digest())
