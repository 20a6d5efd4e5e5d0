"""Names of locks and caches, and users' own files."""

import pkgutil
from pathlib import Path

import pytest

from locksim.compiler import CompileError
from locksim.lang import Workload
from locksim.library import workloads
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.registry import UnknownNameError, entries, essay, resolve, workload

OWN = '''"""My essay."""
from locksim.lang import *
from locksim.library.locks.ticket import TicketLock
class Half(Lock):
    """Half a lock."""
    word = word()
    def acquire(self):
        yield self.word.store(1)
class Whole(Half):
    inner = part(TicketLock)
'''


def test_every_module_with_a_class_is_an_entry() -> None:
    """Names are those of the modules; each has a class, a line about it, and bytecode."""
    found = {entry.name: entry for entry in entries()}
    assert TicketLock is found["ticket"].struct
    assert {"tas", "ttas", "ticket", "mcs", "rwlock", "rcu", "avc_rcu"} <= set(found)
    assert {"lock", "cache", "scheduler"} == {entry.kind for entry in found.values()}
    assert [] == [name for name, entry in found.items() if not entry.summary]
    assert [] == [name for name, entry in found.items() if not entry.compiled().methods]


def test_name_is_resolved() -> None:
    """A library name gives the live class, its essay the module's text."""
    entry = resolve("mcs")
    assert MCSLock is entry.struct
    assert essay(entry).startswith("MCS lock:")


def test_own_file_is_parsed(tmp_path: Path) -> None:
    """A class of a file, or the last one where none is named."""
    path = tmp_path / "my_lock.py"
    path.write_text(OWN)
    half = resolve(f"{path}:Half")
    assert ("Half", "Half a lock.", "My essay.") == (
        half.struct.__name__,
        half.summary,
        essay(half),
    )
    assert ["acquire"] == list(half.compiled().methods)
    assert "Whole" == resolve(str(path)).struct.__name__


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tiket", "unknown lock, cache or scheduler 'tiket'; did you mean 'ticket'?"),
        ("my_lock.py:Hlaf", "my_lock.py has no class 'Hlaf'; did you mean 'Half'?"),
        (
            "none.py:X",
            "none.py cannot be read: No such file or directory; give the path of a file",
        ),
        ("empty.py", "empty.py defines no class; write 'class MyLock(Lock):'"),
    ],
)
def test_unknown_names_are_refused(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong and what there is instead; exit code 2."""
    monkeypatch.chdir(tmp_path)
    Path("my_lock.py").write_text(OWN)
    Path("empty.py").write_text("N = 3\n")
    with pytest.raises(UnknownNameError) as caught:
        resolve(name)
    assert says == str(caught.value)
    assert 2 == caught.value.exit_code


def test_mistakes_in_own_files_are_told(tmp_path: Path) -> None:
    """The compiler's error comes through."""
    path = tmp_path / "bad.py"
    path.write_text(OWN.replace("yield self.word.store(1)", "self.word.store(1)"))
    with pytest.raises(CompileError) as caught:
        resolve(str(path))
    assert "missing-yield" == caught.value.code


def test_every_workload_module_offers_one() -> None:
    """The first that it names: what a lab may ask for by the module's name."""
    for module in pkgutil.iter_modules(workloads.__path__):
        assert issubclass(workload(module.name), Workload)
