"""Who compiles: nobody, another process or this one; what is ready; and what a user is told."""

import fcntl
import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from locksim import jit, ready
from locksim.ready import Choice, Part

MODULE = """
from locksim.ready import Part

PART = Part("made-up", "a made-up part", __name__, ("ready.py",), 3)
PARTS = (PART,)


def warm(name):
    assert "made-up" == name
"""


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Part:
    """A part that takes no time to compile, and an empty cache of its own."""
    (tmp_path / "made_up_part.py").write_text(MODULE)
    cache = tmp_path / "cache"
    for name, value in (("NUMBA_CACHE_DIR", str(cache)), ("PYTHONPATH", str(tmp_path))):
        monkeypatch.setenv(name, value)
    for name in ("CI", "NUMBA_DISABLE_JIT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ready, "_begun", set())
    return Part("made-up", "a made-up part", "made_up_part", ("ready.py",), 3)


@pytest.fixture
def warmed(part: Part, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What this process compiles."""
    done: list[str] = []
    module = ModuleType(part.module)
    module.warm = done.append  # type: ignore[attr-defined]
    find = importlib.import_module
    monkeypatch.setattr(
        importlib, "import_module", lambda name: module if name == part.module else find(name)
    )
    return done


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of the processes that are started, before a terminal."""
    commands: list[list[str]] = []

    def start(command: list[str], **_: object) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(wait=lambda: 0)

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(ready, "_on_terminal", lambda: True)
    return commands


def test_the_package_s_folder_comes_first() -> None:
    """Then one of ours below the home; a folder that was chosen is the only one."""
    assert [Path("/x/y")] == jit.cache_folders({"NUMBA_CACHE_DIR": "/x/y"})
    beside, users = jit.cache_folders({"XDG_CACHE_HOME": "/c"})
    assert (Path(ready.__file__).parent / "__pycache__", Path("/c/locklab/compiled")) == (
        beside,
        users,
    )


def test_ready_means_from_the_sources_of_today(part: Part, warmed: list[str]) -> None:
    """Compiled once; again when a source has changed."""
    assert not ready.is_ready(part)
    ready.make(part)
    ready.make(part)
    assert (["made-up"], True) == (warmed, ready.is_ready(part))
    other = Part(part.name, part.noun, part.module, ("jit.py",), 3)
    assert not ready.is_ready(other)
    ready.make(other)
    assert ["made-up", "made-up"] == warmed


def test_a_folder_that_cannot_be_written_is_named(
    part: Part, warmed: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The part is compiled all the same, for this process."""
    monkeypatch.setattr(jit, "_writable", lambda path: False)
    ready.make(part)
    assert (["made-up"], False) == (warmed, ready.is_ready(part))
    assert "cannot be kept: set NUMBA_CACHE_DIR" in caplog.text


def test_a_choice_counts_what_ran(part: Part, warmed: list[str]) -> None:
    """Many units where nothing is ready, few where it is, none once it is loaded."""
    choice = Choice(part, few=10, many=100)
    assert 100 == choice.left()
    choice.spend(4)
    assert 96 == choice.left()
    ready.make(part)
    assert 6 == choice.left()
    choice.spend(50)
    assert 0 == choice.left()


def test_nothing_is_compiled_where_that_is_switched_off(
    part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain code is all there is."""
    monkeypatch.setattr(jit, "enabled", lambda: False)
    choice = Choice(part, few=10, many=100)
    choice.spend(1000)
    assert choice.unlimited == choice.left()


def test_another_process_compiles_once(
    part: Part, started: list[list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    """At most one for a part, with one line."""
    for _ in range(3):
        assert 100 == Choice(part, few=10, many=100).left()
    assert [[sys.executable, "-m", "locksim.ready", "made-up", "made_up_part"]] == started
    assert ["compiling a made-up part once, about 3 s, in the background"] == [
        record.getMessage() for record in caplog.records
    ]


@pytest.mark.parametrize("reason", ["CI", "no terminal", "read-only", "one compiles"])
def test_nothing_starts_in_the_background(
    part: Part, started: list[list[str]], monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    """Where nobody watches, where nothing can be kept, and beside another one."""
    if reason == "CI":
        monkeypatch.setenv("CI", "true")
    if reason == "no terminal":
        monkeypatch.setattr(ready, "_on_terminal", lambda: False)
    if reason == "read-only":
        monkeypatch.setattr(jit, "_writable", lambda path: False)
    cache = jit.cache_folders(os.environ)[0]
    cache.mkdir()
    with (cache / "locklab-compiling.lock").open("ab") as file:
        if reason == "one compiles":
            fcntl.flock(file, fcntl.LOCK_EX)
        ready.begin(part)
    assert [] == started


def test_the_process_in_the_background_compiles_and_ends(
    part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real one: it leaves the file that says what is ready, and no zombie."""
    threads: list[Callable[[], int]] = []

    def thread(target: Callable[[], int], daemon: bool) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: threads.append(target))

    monkeypatch.setattr(ready, "_on_terminal", lambda: True)
    monkeypatch.setattr(threading, "Thread", thread)
    ready.begin(part)
    (wait,) = threads
    assert (0, True) == (wait(), ready.is_ready(part))


def test_one_that_waits_says_so(
    part: Part, warmed: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that finds another one compiling waits for it, and uses what it made."""
    monkeypatch.setattr(ready, "_busy", lambda kept: True)
    ready.make(part)
    assert ["waiting for a made-up part, which another process compiles, about 3 s"] == [
        record.getMessage() for record in caplog.records
    ]


READ_ONLY = """
mount --make-rprivate / && mount -o remount,bind,ro / || exit 99
touch "$NUMBA_CACHE_DIR/file" 2>/dev/null && exit 99
exec "$@"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "says"),
    [("check mcs --threads 2", "proven (526 states"), ("run ticket --cpus 4", "TOTAL ")],
)
def test_nothing_can_be_written(command: str, says: str, tmp_path: Path) -> None:
    """In a mount namespace in which all is read-only, with nothing compiled: the same results."""
    locklab = [str(Path(sys.executable).with_name("locklab")), *command.split()]
    alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "sh"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    try:
        done = subprocess.run(
            [*alone, *locklab], env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("no unshare on this machine")
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("namespaces of mounts are not allowed here")
    assert 0 == done.returncode, done.stderr
    assert says in done.stdout
    assert [] == [*tmp_path.iterdir()]
