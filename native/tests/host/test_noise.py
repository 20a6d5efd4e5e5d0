"""What would disturb a measurement, on machines that exist only as files."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from locknative.host import noise

CPU = Path("sys/devices/system/cpu")


def machine(root: Path, files: dict[str, str]) -> Path:
    """Make a file system with these files and return its root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ({"proc/cpuinfo": "flags\t\t: fpu sse2 hypervisor\n"}, "warning"),
        ({"proc/cpuinfo": "flags\t\t: fpu sse2\n"}, "ok"),
        ({"proc/cpuinfo": "flags\t\t: fpu\n", "sys/hypervisor/type": "xen\n"}, "warning"),
        ({"proc/cpuinfo": "Features\t: fp asimd\n"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_virtual_machine(tmp_path: Path, files: dict[str, str], status: str) -> None:
    """A hypervisor is seen by the CPU's flag or by Xen's file; an ARM CPU does not say."""
    assert status == noise.virtual(machine(tmp_path, files)).status


@pytest.mark.parametrize(
    ("governors", "status", "found"),
    [
        (["performance", "performance"], "ok", "performance"),
        (["performance", "powersave"], "warning", "performance, powersave"),
        ([], "unknown", "no frequency control is visible"),
    ],
)
def test_governor(tmp_path: Path, governors: list[str], status: str, found: str) -> None:
    """One CPU that changes its clock is enough for a warning."""
    files = {f"{CPU}/cpu{i}/cpufreq/scaling_governor": f"{g}\n" for i, g in enumerate(governors)}
    check = noise.governor(machine(tmp_path, files))
    assert (status, found) == (check.status, check.found)


@pytest.mark.parametrize(("active", "status"), [("1", "warning"), ("0", "ok"), (None, "unknown")])
def test_smt(tmp_path: Path, active: str | None, status: str) -> None:
    """The kernel's own file decides."""
    files = {} if active is None else {f"{CPU}/smt/active": f"{active}\n"}
    assert status == noise.smt(machine(tmp_path, files)).status


@pytest.mark.parametrize(
    ("stat", "status", "found"),
    [
        ("cpu  100 0 100 9800 0 0 0 0 0 0\n", "ok", "0.00% of CPU time since boot"),
        ("cpu  100 0 100 9700 0 0 0 100 50 0\n", "warning", "1.00% of CPU time since boot"),
        ("intr 5\n", "unknown", "no /proc/stat here"),
    ],
)
def test_steal(tmp_path: Path, stat: str, status: str, found: str) -> None:
    """Guest time is not counted twice."""
    check = noise.steal(machine(tmp_path, {"proc/stat": stat}))
    assert (status, found) == (check.status, check.found)


def test_steal_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time stolen during the check is shown beside the share since boot, and is a warning alone."""
    root = machine(tmp_path, {"proc/stat": "cpu  100000 0 0 100000 0 0 0 0 0 0\n"})

    def work(seconds: float) -> None:
        (root / "proc/stat").write_text("cpu  100098 0 0 100000 0 0 0 2 0 0\n")

    monkeypatch.setattr(noise, "_work", work)
    check = noise.steal(root, 1.0)
    assert ("warning", "0.00% of CPU time since boot, 2.00% now") == (check.status, check.found)


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ({f"{CPU}/intel_pstate/no_turbo": "0\n"}, "warning"),
        ({f"{CPU}/intel_pstate/no_turbo": "1\n"}, "ok"),
        ({f"{CPU}/cpufreq/boost": "1\n"}, "warning"),
        ({f"{CPU}/cpufreq/boost": "0\n"}, "ok"),
        ({}, "unknown"),
    ],
)
def test_turbo(tmp_path: Path, files: dict[str, str], status: str) -> None:
    """Intel's file says no, the others' says yes; the advice names the file that is there."""
    check = noise.turbo(machine(tmp_path, files))
    assert status == check.status
    if status == "warning":
        assert f"/{next(iter(files))}" in (check.advice or "")


@pytest.mark.parametrize(
    ("loadavg", "status"),
    [("0.20 0.1 0.1 1/90 7\n", "ok"), ("3.10 2 1 4/90 7\n", "warning"), (None, "unknown")],
)
def test_load(tmp_path: Path, loadavg: str | None, status: str) -> None:
    """The last minute's mean decides; who asks does not count as other load."""
    files = {} if loadavg is None else {"proc/loadavg": loadavg}
    check = noise.load(machine(tmp_path, files))
    assert status == check.status
    if status == "warning":
        assert "3.1 on average over a minute, 3 other threads now" == check.found


@pytest.mark.parametrize(
    ("setting", "nodes", "status"),
    [("1", 2, "warning"), ("1", 1, "ok"), ("0", 2, "ok"), (None, 2, "ok")],
)
def test_numa_balancing(tmp_path: Path, setting: str | None, nodes: int, status: str) -> None:
    """It moves pages only where there is another node to move them to."""
    files = {} if setting is None else {"proc/sys/kernel/numa_balancing": f"{setting}\n"}
    files |= {f"sys/devices/system/node/node{node}/cpulist": "0\n" for node in range(nodes)}
    assert status == noise.numa_balancing(machine(tmp_path, files)).status


@pytest.mark.parametrize(
    ("source", "status"), [("tsc", "ok"), ("hpet", "warning"), (None, "unknown")]
)
def test_clock_source(tmp_path: Path, source: str | None, status: str) -> None:
    """A clock that needs a system call is a sign that the CPU's own is not trusted."""
    file = "sys/devices/system/clocksource/clocksource0/current_clocksource"
    files = {} if source is None else {file: f"{source}\n"}
    assert status == noise.clock_source(machine(tmp_path, files)).status


def test_pinning() -> None:
    """A refusal is a warning with the system's reason, and says how to measure without."""

    def refuse() -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    check = noise.pinning(refuse)
    assert ("warning", "forbidden (Operation not permitted)") == (check.status, check.found)
    assert "--placement free" in (check.advice or "")
    assert "ok" == noise.pinning(lambda: None).status


def test_what_is_told_and_is_no_noise(tmp_path: Path) -> None:
    """Isolated and offline CPUs and counters are shown to the user, and spoil no result."""
    root = machine(
        tmp_path,
        {
            f"{CPU}/isolated": "2-3\n",
            f"{CPU}/offline": "7\n",
            "proc/sys/kernel/perf_event_paranoid": "4\n",
        },
    )
    found = {check.name: (check.status, check.found) for check in noise.examine(root, 0.0)}
    assert ("ok", "2-3: use them by --placement") == found["isolated CPUs"]
    assert ("ok", "7") == found["offline CPUs"]
    assert ("unknown", "forbidden to users (paranoid 4)") == found["perf"]
    assert not {"isolated CPUs", "offline CPUs", "perf"} & {c.name for c in noise.marks(root)}


def test_every_warning_says_what_to_do() -> None:
    """On this machine, whatever it is."""
    assert [] == [
        c.name for c in noise.examine(steal_s=0.0) if c.status == "warning" and not c.advice
    ]
