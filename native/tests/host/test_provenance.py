"""A record of a run holds the machine and what may have disturbed it."""

from __future__ import annotations

from pathlib import Path

from locknative.host import provenance


def write(file: Path, text: str) -> None:
    """Write a file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_bare_container(tmp_path: Path) -> None:
    """With neither /proc nor /sys a record is still made."""
    record = provenance.Recorder([0], "GNU 12", "-O2", root=tmp_path).finish()
    assert (False, None, ()) == (record.virtualised, record.smt, record.governors)
    assert (0, 0, ()) == (record.steal_before, record.steal_after, record.warnings)
    assert "" != record.cpu_model


def test_steal_moves_between_start_and_end(tmp_path: Path) -> None:
    """The first count is taken when the recorder is made, the second at the end."""
    write(tmp_path / "proc/stat", "cpu0 1 1 1 1 1 1 1 10 0 0\n")
    recorder = provenance.Recorder([0], "", "", root=tmp_path)
    write(tmp_path / "proc/stat", "cpu0 1 1 1 1 1 1 1 13 0 0\n")
    record = recorder.finish()
    assert (10, 13) == (record.steal_before, record.steal_after)
    assert ("the hypervisor took 3 clock ticks during the run",) == record.warnings


def test_noise_travels_with_the_record(tmp_path: Path) -> None:
    """A warning of the checks is a warning of the result; an unknown state is not."""
    write(tmp_path / "proc/cpuinfo", "flags\t\t: fpu hypervisor\n")
    write(tmp_path / "sys/devices/system/cpu/smt/active", "1\n")
    record = provenance.Recorder([0], "", "", root=tmp_path).finish()
    assert (
        "virtual machine: yes (unnamed hypervisor)",
        "SMT: on: two or more CPUs share a core",
    ) == record.warnings
