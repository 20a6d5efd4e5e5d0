"""The C locks on another processor: built for aarch64 and run under an emulator.

An emulator on x86-64 runs aarch64 code with the order of x86-64's memory, so this shows that the
locks and the harness build and work there, not that their fences suffice. The explorer shows that.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NATIVE = Path(__file__).resolve().parents[1]
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
LACKING = [name for name in (COMPILER, EMULATOR) if shutil.which(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The harness, without liburcu, and the emulator before it."""
    build = tmp_path_factory.mktemp("aarch64")
    bin_folder = Path(sys.executable).parent
    configure = [bin_folder / "cmake", "-S", NATIVE, "-B", build, "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={bin_folder / 'ninja'}", "-DCMAKE_BUILD_TYPE=Release"]
    configure += ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
    configure += [f"-DCMAKE_C_COMPILER={COMPILER}", f"-DPython_EXECUTABLE={sys.executable}"]
    configure += ["-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON"]
    for command in (configure, [bin_folder / "ninja", "-C", build, "locklab-native"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert 0 == done.returncode, done.stdout + done.stderr
    return [EMULATOR, str(build / "locklab-native")]


def ran(program: list[str], *arguments: str) -> list[dict[str, Any]]:
    """The documents that a command prints."""
    done = subprocess.run([*program, *arguments], capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_lock_excludes(program: list[str]) -> None:
    """Two threads count up under each lock, and no count is lost."""
    locks = [k["name"] for k in ran(program, "list") if k["kind"] == "lock" and k["name"] != "none"]
    assert {"tas", "ticket", "mcs", "clh", "qspinlock", "seqlock"} <= set(locks)
    options = ("--loop", "validate", "--threads", "2", "--iterations", "40320")
    for lock in locks:
        (trial,) = ran(program, "run", lock, *options)
        tallies = trial["tallies"]
        assert (lock, trial["updates"]) == (trial["kernel"], sum(t["writes"] for t in tallies))
        assert [(40320, 0, 0)] * 2 == [(t["count"], t["overlaps"], t["torn"]) for t in tallies]


def test_clock_is_the_processors(program: list[str]) -> None:
    """The generic timer's counter, which user space may read."""
    (clock,) = ran(program, "clock")
    assert "cntvct_el0" == clock["name"]
