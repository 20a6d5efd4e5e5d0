"""Provenance is read from /proc and /sys as they are; a missing file is no error."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative import provenance


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty file system instead of /proc and /sys."""
    monkeypatch.setattr(provenance, "PROC", tmp_path / "proc")
    monkeypatch.setattr(provenance, "SYS", tmp_path / "sys")
    return tmp_path


def write(file: Path, text: str) -> None:
    """Write a file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_virtual_machine(machine: Path) -> None:
    """Model and hypervisor come from cpuinfo."""
    write(machine / "proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu hypervisor sse\n")
    assert "Fast CPU" == provenance.cpu_model()
    assert provenance.virtualised()


def test_real_machine(machine: Path) -> None:
    """Governors are listed in the order of the CPUs; SMT is a yes or no."""
    write(machine / "proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu sse\n")
    write(machine / "sys/devices/system/cpu/smt/active", "1\n")
    for cpu, governor in ((0, "powersave"), (1, "performance")):
        file = machine / f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"
        write(file, governor + "\n")
    assert not provenance.virtualised()
    assert provenance.smt() is True
    assert ("performance", "powersave") == provenance.governors([1, 0])


def test_steal(machine: Path) -> None:
    """Steal is summed over the pinned CPUs, and over the machine when nobody is pinned."""
    write(
        machine / "proc/stat",
        "cpu  9 9 9 9 9 9 9 60 0 0\ncpu0 1 1 1 1 1 1 1 10 0 0\ncpu1 1 1 1 1 1 1 1 20 0 0\n"
        "cpu10 1 1 1 1 1 1 1 30 0 0\nintr 1 2 3 4 5 6 7 8 9\n",
    )
    assert 40 == provenance.steal_ticks([0, 10])
    assert 60 == provenance.steal_ticks([])


def test_bare_container(machine: Path) -> None:
    """With neither /proc nor /sys a record is still made."""
    record = provenance.Recorder([0], "GNU 12", "-O2").finish()
    assert (False, None, ()) == (record.virtualised, record.smt, record.governors)
    assert (0, 0, ()) == (record.steal_before, record.steal_after, record.doubts)
    assert "" != record.cpu_model


def test_steal_moves_between_start_and_end(machine: Path) -> None:
    """The first figure is taken when the recorder is made, the second at the end."""
    write(machine / "proc/stat", "cpu0 1 1 1 1 1 1 1 10 0 0\n")
    recorder = provenance.Recorder([0], "", "")
    write(machine / "proc/stat", "cpu0 1 1 1 1 1 1 1 13 0 0\n")
    record = recorder.finish()
    assert (10, 13) == (record.steal_before, record.steal_after)
