"""What Linux reports, from files like those below /proc and /sys; a missing one is not an error."""

from __future__ import annotations

from pathlib import Path

from locknative.survey import host


def write(file: Path, text: str) -> None:
    """Write a file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_virtual_machine(tmp_path: Path) -> None:
    """Model and hypervisor come from cpuinfo."""
    write(tmp_path / "proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu hypervisor sse\n")
    assert "Fast CPU" == host.cpu_model(tmp_path)
    assert host.virtualised(tmp_path)


def test_real_machine(tmp_path: Path) -> None:
    """Governors are listed in the order of the CPUs; SMT is a yes or no."""
    write(tmp_path / "proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu sse\n")
    write(tmp_path / "sys/devices/system/cpu/smt/active", "1\n")
    for cpu, governor in ((0, "powersave"), (1, "performance")):
        file = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"
        write(file, governor + "\n")
    assert not host.virtualised(tmp_path)
    assert host.smt(tmp_path) is True
    assert ("performance", "powersave") == host.governors([1, 0], tmp_path)


def test_steal(tmp_path: Path) -> None:
    """Steal is summed over the CPUs named, and over the machine when none is."""
    write(
        tmp_path / "proc/stat",
        "cpu  9 9 9 9 9 9 9 60 0 0\ncpu0 1 1 1 1 1 1 1 10 0 0\ncpu1 1 1 1 1 1 1 1 20 0 0\n"
        "cpu10 1 1 1 1 1 1 1 30 0 0\nintr 1 2 3 4 5 6 7 8 9\n",
    )
    assert 40 == host.steal_ticks([0, 10], tmp_path)
    assert 60 == host.steal_ticks([], tmp_path)


def test_runnable(tmp_path: Path) -> None:
    """The thread that asks is not counted; without the file the number is not known."""
    assert host.runnable(tmp_path) is None
    write(tmp_path / "proc/loadavg", "0.10 0.20 0.30 3/200 4711\n")
    assert 2 == host.runnable(tmp_path)
