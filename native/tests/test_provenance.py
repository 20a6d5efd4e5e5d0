"""Provenance is read from /proc and /sys as they are; a missing file is no error."""

from __future__ import annotations

from pathlib import Path

from locknative import provenance


def write(file: Path, text: str) -> None:
    """Write a file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_virtual_machine(tmp_path: Path) -> None:
    """Model and hypervisor come from cpuinfo."""
    write(tmp_path / "proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu hypervisor sse\n")
    assert "Fast CPU" == provenance.cpu_model(tmp_path)
    assert provenance.virtualised(tmp_path)


def test_real_machine(tmp_path: Path) -> None:
    """Governors are listed in the order of the CPUs; SMT is a yes or no."""
    write(tmp_path / "proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu sse\n")
    write(tmp_path / "sys/devices/system/cpu/smt/active", "1\n")
    for cpu, governor in ((0, "powersave"), (1, "performance")):
        file = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"
        write(file, governor + "\n")
    assert not provenance.virtualised(tmp_path)
    assert provenance.smt(tmp_path) is True
    assert ("performance", "powersave") == provenance.governors([1, 0], tmp_path)


def test_steal(tmp_path: Path) -> None:
    """Steal is summed over the pinned CPUs, and over the machine when nobody is pinned."""
    write(
        tmp_path / "proc/stat",
        "cpu  9 9 9 9 9 9 9 60 0 0\ncpu0 1 1 1 1 1 1 1 10 0 0\ncpu1 1 1 1 1 1 1 1 20 0 0\n"
        "cpu10 1 1 1 1 1 1 1 30 0 0\nintr 1 2 3 4 5 6 7 8 9\n",
    )
    assert 40 == provenance.steal_ticks([0, 10], tmp_path)
    assert 60 == provenance.steal_ticks([], tmp_path)


def test_bare_container(tmp_path: Path) -> None:
    """With neither /proc nor /sys a record is still made."""
    record = provenance.Recorder([0], "GNU 12", "-O2", root=tmp_path).finish()
    assert (False, None, ()) == (record.virtualised, record.smt, record.governors)
    assert (0, 0, ()) == (record.steal_before, record.steal_after, record.doubts)
    assert "" != record.cpu_model


def test_steal_moves_between_start_and_end(tmp_path: Path) -> None:
    """The first figure is taken when the recorder is made, the second at the end."""
    write(tmp_path / "proc/stat", "cpu0 1 1 1 1 1 1 1 10 0 0\n")
    recorder = provenance.Recorder([0], "", "", root=tmp_path)
    write(tmp_path / "proc/stat", "cpu0 1 1 1 1 1 1 1 13 0 0\n")
    record = recorder.finish()
    assert (10, 13) == (record.steal_before, record.steal_after)


def test_runnable(tmp_path: Path) -> None:
    """Who asks runs, and is not counted; without the file nobody knows."""
    assert provenance.runnable(tmp_path) is None
    write(tmp_path / "proc/loadavg", "0.10 0.20 0.30 3/200 4711\n")
    assert 2 == provenance.runnable(tmp_path)


def test_noise_travels_with_the_record(tmp_path: Path) -> None:
    """A warning of the checks is a doubt of the result; what is merely unknown is none."""
    write(tmp_path / "proc/cpuinfo", "flags\t\t: fpu hypervisor\n")
    write(tmp_path / "sys/devices/system/cpu/smt/active", "1\n")
    record = provenance.Recorder([0], "", "", root=tmp_path).finish()
    assert (
        "virtual machine: yes (unnamed hypervisor)",
        "SMT: on: two or more CPUs share a core",
    ) == record.doubts
