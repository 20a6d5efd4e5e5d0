"""``locklab-native``: one trial a process, its JSON, its exit statuses, and its ends."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import locknative
from locknative import NativeError, StuckError
from locknative.benchmark.measurement import Tally
from locknative.compilation import executable
from locknative.survey import process
from locknative.survey.cells import WHOLE, Cell

NATIVE = Path(__file__).parents[2]
CPUS = sorted(os.sched_getaffinity(0))
PATIENCE_S = 600.0
"""A guard against a hang: a busy machine may let a pinned thread wait for a minute."""


def native(*arguments: str, command: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command, which must end by itself."""
    return subprocess.run(
        [command or executable.path(), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def latency(lock: str, duration_ms: int, warmup_ms: int = 20, **mix: int) -> list[Tally]:
    """Run a lock's latency loop on one thread that is not pinned; return its tally."""
    cell = Cell(lock, (), "latency", **mix)  # type: ignore[arg-type]
    found = process.run_trial(
        executable.path(), cell, threads=1, duration_ms=duration_ms, warmup_ms=warmup_ms
    )
    return [Tally.model_validate(tally) for tally in found["tallies"]]


def test_list() -> None:
    """The kernels are those that the executable names."""
    rows = [json.loads(line) for line in native("list").stdout.splitlines()]
    assert [(k.name, k.kind, list(k.loops), k.has_read) for k in executable.kernels()] == [
        (row["name"], row["kind"], row["loops"], row["read"]) for row in rows
    ]


TIMED = [
    (kernel.name, loop)
    for kernel in executable.kernels()
    if kernel.kind == "lock" and kernel.name != "none"
    for loop in kernel.loops
    if loop in ("throughput", "latency")
]


@pytest.mark.parametrize(("lock", "loop"), TIMED)
def test_every_lock(lock: str, loop: str) -> None:
    """Each lock's trial is valid JSON, and its tallies fit the model and add up."""
    cpus = CPUS[:2]
    cell = Cell(lock, tuple(cpus), loop, write_share=WHOLE // 2)
    found = process.run_trial(
        executable.path(), cell, duration_ms=5, warmup_ms=1, patience_s=PATIENCE_S
    )
    assert (lock, loop, cpus) == (found["kernel"], found["loop"], found["cpus"])
    for tally in map(Tally.model_validate, found["tallies"]):
        assert tally.count > 0
        assert (loop == "latency") == (tally.write is not None)
        if tally.write is not None and tally.read is not None:
            assert (tally.count, tally.writes) == (
                tally.write.count + tally.read.count,
                tally.write.count,
            )
            assert tally.contended == tally.write.contended + tally.read.contended
            sampled = tally.write.wait.samples + tally.read.wait.samples
            assert -(-tally.count // found["clock"]["sample_every"]) == sampled


@pytest.mark.parametrize("lock", [lock for lock, loop in TIMED if loop == "latency"])
def test_alone_is_not_contended(lock: str) -> None:
    """A thread that is alone never waits, on either side."""
    for share in (0, WHOLE):
        assert [0] == [tally.contended for tally in latency(lock, 2, write_share=share)]


def test_each_thread_pins_itself() -> None:
    """Each thread is on its own CPU; their creator keeps all of them, which threads inherit."""
    cpus = CPUS[:2]
    options = ["--threads", str(len(cpus)), "--cpus", ",".join(map(str, cpus))]
    command = [executable.path(), "run", "tas", *options, "--duration-ms", "3600000"]
    pinned: set[int] = set()
    creator: set[int] = set()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        while running.poll() is None and pinned != set(cpus):
            time.sleep(0.001)
            threads = [int(task.name) for task in Path(f"/proc/{running.pid}/task").iterdir()]
            masks = {thread: os.sched_getaffinity(thread) for thread in threads}
            creator = masks.pop(running.pid)
            pinned = {min(mask) for mask in masks.values() if len(mask) == 1}
        running.kill()
    assert (set(cpus), set(CPUS)) == (pinned, creator)


@pytest.mark.parametrize(("quiet_ps", "waits"), [(1, True), (2**60, False)])
def test_quiet_moment(quiet_ps: int, waits: bool) -> None:
    """A run that asks for a speed that no CPU has waits for 0.2 s, and then begins all the same."""
    began = time.monotonic()
    options = ["--duration-ms", "1", "--loop", "throughput", "--quiet-ps", str(quiet_ps)]
    done = native("run", "ticket", *options)
    took = time.monotonic() - began
    assert (0, "") == (done.returncode, done.stderr)
    assert json.loads(done.stdout)["tallies"][0]["count"] > 0
    assert took > 0.2 or not waits


def test_two_threads_contend() -> None:
    """Two threads that hold a lock nearly all the time do wait; each waiter has entered too."""
    cell = Cell("ticket", (), "latency", hold=20_000, think=1, write_share=WHOLE)
    found = process.run_trial(
        executable.path(), cell, threads=2, duration_ms=200, patience_s=PATIENCE_S
    )
    tallies = [Tally.model_validate(tally) for tally in found["tallies"]]
    assert sum(tally.contended for tally in tallies) > 0
    assert all(tally.contended <= tally.count for tally in tallies)


def test_write_share() -> None:
    """No section, every one, or about a quarter writes; of a lock with one side, all do."""

    def writes(lock: str, share: int) -> float:
        # On a busy machine a trial may hardly have run.
        count = written = 0
        while count < 50_000:
            (tally,) = latency(lock, 20, write_share=share)
            count += tally.count
            written += tally.writes
        return written / count

    assert 0 == writes("rwlock", 0)
    assert 1 == writes("rwlock", WHOLE)
    assert 1 == writes("tas", 0)
    # At least 50,000 draws: five standard deviations are below 0.01.
    assert 0.24 < writes("rwlock", WHOLE // 4) < 0.26


@pytest.mark.slow  # compares the pace of two moments, which a busy machine can change
def test_hold_and_think_take_their_time() -> None:
    """A thread cannot do more sections than their private work leaves room for."""
    turns, clock = 100_000, executable.measure_clock()
    (tally,) = latency("tas", 20, hold=turns, think=turns)
    assert tally.count * 2 * turns * clock.turn_ns <= 1.1 * tally.wall_ns


def test_warm_up_does_not_count() -> None:
    """A hold of some 50 ms: with or without a long warm-up there are few sections to count."""
    (tally,) = latency("tas", 1, warmup_ms=200, hold=150_000_000)
    assert tally.write is not None
    assert (1, 1) == (tally.count, tally.write.hold.samples)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["run", "none", "--loop", "validate", "--iterations", "1000", "--threads", "1"], 0, ""),
        ([], 2, "usage"),
        (["run", "tikcet", "--duration-ms", "1"], 2, "no kernel tikcet"),
        (["run", "tas"], 2, "either --iterations"),
        (["run", "tas", "--loop", "fast"], 2, "not fast"),
        (["run", "tas", "--read", "--duration-ms", "1"], 2, "no read side in tas"),
        (["run", "tas", "--duration-ms", "-1"], 2, "--duration-ms must be a whole number"),
        (["run", "tas", "--duration-ms", "1", "--threads", "2", "--cpus", "0"], 2, "one CPU for"),
        (["run", "tas", "--duration-ms", "1", "--cpus", "99999"], 4, "pinned to CPU 99999"),
    ],
)
def test_exit_statuses(arguments: list[str], status: int, message: str) -> None:
    """Each kind of failure has its status, one line on stderr, and nothing on stdout."""
    done = native(*arguments)
    assert status == done.returncode
    assert message in done.stderr
    assert (status != 0) == (done.stdout == "")
    assert int(status != 0) == done.stderr.count("\n")


def test_wrong_lock_has_its_status() -> None:
    """A tester that finds a lock incorrect does not exit with 0."""
    iterations = 2_000_000 if len(CPUS) > 1 else 800_000_000
    patient = "--patience-ms 600000"  # a guard against a hang, on a busy machine too
    done = native(
        *f"run none --loop validate --threads 2 --iterations {iterations} {patient}".split()
    )
    assert 1 == done.returncode
    assert json.loads(done.stdout)["updates"] < 2 * iterations


@pytest.fixture(scope="module")
def stuck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a ``locklab-native`` whose only kernels are locks that no thread can enter."""
    folder = tmp_path_factory.mktemp("stuck")
    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler 'cc' found: install gcc"
    kernels = {"never": 0, "soon": 10}
    loops = {
        "throughput": [],
        "latency": ["-DLOCKLAB_COUNT_WAITS"],
        "validate": ["-DLOCKLAB_POLITE"],
    }
    flags = ["-std=gnu11", "-O2", "-pthread"]
    flags += [f"-I{path}" for path in (folder, NATIVE, NATIVE / "include")]
    table = [f"LOOP({loop}, {name})\n" for name in kernels for loop in loops]
    (folder / "loops.def").write_text("".join(table))
    entries = [
        f"KERNEL({name}, LOCKLAB_LOCK, "
        + ", ".join(f"[LOCKLAB_{loop.upper()}] = &locklab_{loop}_{name}" for loop in loops)
        + ")\n"
        for name in kernels
    ]
    (folder / "kernels.def").write_text("".join(entries))
    names = ("COMPILER", "FLAGS", "URCU_VERSION")
    (folder / "build_info.h").write_text(
        "".join(f'#define LOCKLAB_{n} "a \\"b\\""\n' for n in names)
    )
    objects = []
    for name, after in kernels.items():
        for loop, extra in loops.items():
            define = [
                f"-DKERNEL={name}",
                f"-DSTUCK_AFTER={after}",
                f'-DLOCKLAB_LOOP="harness/{loop}.h"',
            ]
            objects.append(folder / f"{name}_{loop}.o")
            source = NATIVE / "tests/stuck.c"
            command = [compiler, *flags, *define, *extra, "-c", source, "-o", objects[-1]]
            subprocess.run(command, check=True)
    harness = [NATIVE / f"harness/{part}.c" for part in ("main", "run", "table", "clock")]
    subprocess.run(
        [compiler, *flags, *harness, *objects, "-o", folder / "locklab-native"], check=True
    )
    return folder / "locklab-native"


@pytest.mark.covering("loop", "kernel", "warmup")
@pytest.mark.parametrize("warmup", ["0", "5"])
@pytest.mark.parametrize("kernel", ["never", "soon"])
@pytest.mark.parametrize("loop", ["throughput", "latency", "validate"])
def test_stuck(stuck: Path, kernel: str, loop: str, warmup: str) -> None:
    """Every loop of a lock that no thread can enter ends, with its own status and message."""
    length = ["--iterations", "100000"] if loop == "validate" else ["--duration-ms", "50"]
    options = ["--loop", loop, "--threads", "2", "--patience-ms", "100", "--warmup-ms", warmup]
    done = native("run", kernel, *options, *length, command=stuck)
    assert (3, "") == (done.returncode, done.stdout)
    assert f"stuck kernel is {kernel}" in done.stderr


def test_stuck_reaches_python(stuck: Path) -> None:
    """The same as an exception that names lock, threads and patience."""
    cell = Cell("never", (), "latency")
    with pytest.raises(StuckError, match=r"'never' is stuck: 2 threads .* within 0.1 s") as caught:
        process.run_trial(stuck, cell, threads=2, duration_ms=1, warmup_ms=0, patience_s=0.1)
    assert 1 == caught.value.exit_code


def test_text_is_quoted(stuck: Path) -> None:
    """Quotes in a compiler's flags do not break the JSON."""
    done = native("run", "soon", "--duration-ms", "100", "--patience-ms", "50", command=stuck)
    assert 3 == done.returncode
    done = native("run", "soon", "--loop", "validate", "--iterations", "10", command=stuck)
    assert 'a "b"' == json.loads(done.stdout)["build"]["flags"]


def test_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the command the message says how to build it."""
    monkeypatch.setattr(locknative.__spec__, "submodule_search_locations", [str(tmp_path)])
    with pytest.raises(NativeError, match=r"(?s)locklab-native is not built; .*make setup"):
        executable.measure_clock()


FORBID = """
    import ctypes, os, platform, struct, sys
    # A seccomp filter: sched_setaffinity is answered with EPERM, everything else is allowed.
    number = {"x86_64": 203, "aarch64": 122}[platform.machine()]
    errno, allow = 0x00050001, 0x7FFF0000
    rows = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, errno), (0x06, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
    program = struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0) == 0
"""


def test_pinning_is_forbidden(run_python: Callable[[str], str]) -> None:
    """In a container that forbids pinning: a message that says so, and free placement works."""
    shown = run_python(
        FORBID
        + """
    import locknative
    from locknative.host import noise
    print(noise.pinning().status)
    few = locknative.Stopping(trials=1)
    try:
        locknative.bench("tas", 1, duration_ms=1, stopping=few)
    except locknative.NativeError as error:
        said = str(error)
        print(error.exit_code, "could not be pinned" in said, "--placement free" in said)
    found = locknative.bench("tas", 1, duration_ms=1, placement="free", stopping=few)
    print(len(found.trials), any(w.startswith("pinning: forbidden") for w in found.warnings))
    """
    )
    assert ["warning", "2 True True", "1 True"] == shown.splitlines()


def test_one_cpu(run_python: Callable[[str], str]) -> None:
    """A process that has one CPU measures one thread, and is refused two with the reason."""
    shown = run_python(
        """
        import os
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        import locknative
        few = locknative.Stopping(trials=1)
        print(len(locknative.bench("tas", 1, duration_ms=1, stopping=few).trials))
        try:
            locknative.bench("tas", [1, 2], duration_ms=1, stopping=few)
        except locknative.NativeError as error:
            print("2 threads need 2 CPUs, and " in str(error))
        """
    )
    assert ["1", "True"] == shown.splitlines()
