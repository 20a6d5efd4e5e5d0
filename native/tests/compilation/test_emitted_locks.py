"""Locks from the language on real cores: the library's, a student's own, wrong ones, refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from locknative.benchmark.validation import ExclusionError, validate
from locknative.cli.bench import app
from locknative.compilation import emitted, toolchain
from locknative.errors import NativeError
from locksim.emit import emit
from locksim.library.registry import entries, resolve

WITHOUT_A_PAIR = {"rcu", "rcu_qsbr", "semaphore", "srcu"}
SLEEP = {"futex", "futex_rwlock", "mutex", "percpu_rwsem", "rwsem"}
"""Locks whose waiters sleep: C has no scheduler that would wake them."""
LOCKS = [e.name for e in entries() if e.kind == "lock" and e.name not in WITHOUT_A_PAIR | SLEEP]

HEAD = "from locksim.lang import *\n\n\nclass MyLock(Lock):\n    taken = word()\n"
ACQUIRE = """
    def acquire(self):
        while (yield self.taken.swap(1, ACQUIRE)):
            yield pause()
"""
RELEASE = """
    def release(self):
        yield self.taken.store(0, RELEASE)
"""
LOOKS_FIRST = """
    def acquire(self):
        while (yield self.taken.load(ACQUIRE)):
            yield pause()
        yield self.taken.store(1, RELAXED)
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs are kept in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/locklab/native"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> dict[str, emitted.CompiledLock]:
    """Every lock of the library that the harness can run, in one program."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        names = [f"emitted:{name}" for name in LOCKS]
        return emitted.compile_locks(names, threads=4, loops=["validate"])


def shapes() -> Iterator[Any]:
    """Every lock by two threads, a simple one and a queue lock by four; the rest is slow."""
    for name in LOCKS:
        for threads in (2, 3, 4):
            short = threads == 2 or (threads == 4 and name in ("ttas", "mcs"))
            yield pytest.param(name, threads, marks=() if short else (pytest.mark.slow,))


@pytest.mark.covering("name", every=4)
@pytest.mark.parametrize(("name", "threads"), [*shapes()])
def test_library_excludes(
    library: dict[str, emitted.CompiledLock], name: str, threads: int
) -> None:
    """Printed and compiled, no lock of the library violates mutual exclusion."""
    found = validate(library[f"emitted:{name}"], threads, acquisitions=12_000)
    assert (True, threads) == (found.correct, len(found.counts))


def test_sides(library: dict[str, emitted.CompiledLock]) -> None:
    """Locks with a read side are known to have one."""
    expected = {"rwlock", "rwlock_writer", "qrwlock", "brlock", "seqlock", "phase_fair"}
    expected |= {"seqlock_exclusive", "seqrwlock"}
    assert expected == {n.removeprefix("emitted:") for n, lock in library.items() if lock.has_read}


def own(tmp_path: Path, *parts: str) -> str:
    """The name of a student's lock."""
    file = tmp_path / "my_lock.py"
    file.write_text(HEAD + "".join(parts))
    return f"{file}:MyLock"


def test_own_lock_is_measured_beside_the_library(tmp_path: Path) -> None:
    """``locklab native bench my_lock.py:MyLock tas``: both in one experiment."""
    name = own(tmp_path, ACQUIRE, RELEASE)
    small = ["--threads", "1", "--duration", "2ms", "--trials", "2", "--json"]
    done = CliRunner().invoke(app, [name, "tas", *small])
    assert 0 == done.exit_code, done.output
    cells = json.loads(done.stdout)["cells"]
    assert [name, "tas"] == [cell["kernel"] for cell in cells]
    assert all(cell["ns_per_operation"] > 0 for cell in cells)


def test_own_lock_is_kept(tmp_path: Path, own_cache: Path) -> None:
    """The same text is compiled once; a changed one anew."""
    name = own(tmp_path, ACQUIRE, RELEASE)
    first = emitted.compile_locks([name], loops=["validate"])[name].program
    assert first == emitted.compile_locks([name], loops=["validate"])[name].program
    own(tmp_path, ACQUIRE, RELEASE.replace("RELEASE)", "SEQ_CST)"))
    assert first != emitted.compile_locks([name], loops=["validate"])[name].program
    assert 2 == len(list(own_cache.iterdir()))


def test_wrong_lock_is_found(tmp_path: Path) -> None:
    """A lock that checks first and takes later is refused before anything is measured."""
    name = own(tmp_path, LOOKS_FIRST, RELEASE)
    lock = emitted.compile_locks([name], threads=4, loops=["validate"])[name]
    with pytest.raises(ExclusionError, match=r"my_lock\.py:MyLock' violates mutual exclusion"):
        for _ in range(20):
            validate(lock, threads=4)


def test_failed_assertion_is_told(tmp_path: Path) -> None:
    """An assert of the language stops the program, which says where."""
    wrong = RELEASE.replace("yield", "assert (yield self.taken.load(RELAXED)) == 2\n        yield")
    name = own(tmp_path, ACQUIRE, wrong)
    lock = emitted.compile_locks([name], loops=["validate"])[name]
    with pytest.raises(NativeError, match="Assertion"):
        validate(lock)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("emitted:rcu", r"RCU has no acquire\(\)"),
        ("emitted:tickt", "did you mean 'ticket'"),
        ("no_such.py:MyLock", "cannot be read"),
    ],
)
def test_refusals(name: str, said: str) -> None:
    """What cannot be measured is refused in words, with exit code 2."""
    done = CliRunner().invoke(app, [name, "--threads", "1"])
    assert (2, "") == (done.exit_code, done.stdout)
    with pytest.raises(Exception, match=said):
        emitted.compile_locks([name])


def test_method_with_arguments(tmp_path: Path) -> None:
    """The harness cannot know the arguments of a lock."""
    text = ACQUIRE.replace("acquire(self)", "acquire(self, node)")
    with pytest.raises(NativeError, match=r"my_lock_acquire\(\) takes arguments"):
        emitted.compile_locks([own(tmp_path, text, RELEASE)])


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler the message says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    toolchain.compiler.cache_clear()
    emitted._surroundings.cache_clear()
    try:
        with pytest.raises(NativeError, match="there is no C compiler"):
            emitted.compile_locks([own(tmp_path, ACQUIRE, RELEASE)])
    finally:
        toolchain.compiler.cache_clear()


def test_file_is_never_run(tmp_path: Path) -> None:
    """A student's file is read, not imported."""
    file = tmp_path / "my_lock.py"
    flag = tmp_path / "was_run"
    file.write_text(f"open({str(flag)!r}, 'w')\n" + HEAD + ACQUIRE + RELEASE)
    with pytest.raises(Exception, match="help: "):
        emitted.compile_locks([f"{file}:MyLock"])
    assert not flag.exists()


def test_printed_adapter_names_its_functions() -> None:
    """An optimistic reader beside a blocking one, each with its own macro."""
    code = resolve("seqrwlock").compiled()
    text, has_read = emitted.adapter(code, emit(code), "k", "k.h")
    assert has_read
    assert "#define READ_ACQUIRE(lock, node) seq_rw_lock_read_acquire(lock)" in text
    assert "OPTIMISTIC_RELEASE(lock, node) LOCKLAB_UNTIL_NOT(seq_rw_lock_read_retry, lock)" in text
