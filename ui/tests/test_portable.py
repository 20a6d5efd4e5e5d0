"""What Unix has, and what happens where it is missing."""

import sys
from types import SimpleNamespace

import pytest

from lockui import portable


@pytest.fixture
def windows(monkeypatch):
    """A module like Windows' own, with keys to be read and a record of locks."""
    pressed = list("hé")
    made = SimpleNamespace(
        kbhit=lambda: bool(pressed),
        getwch=lambda: pressed.pop(0),
        LK_LOCK=1,
        locked=[],
        locking=lambda *how: made.locked.append(how),
        __spec__=SimpleNamespace(),
    )
    monkeypatch.setitem(sys.modules, "msvcrt", made)
    monkeypatch.setattr(portable, "UNIX", False)
    monkeypatch.setattr(portable, "LINUX", False)
    monkeypatch.setattr("os.isatty", lambda _: True)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: 0))
    return made


def test_keys_of_a_console(windows):
    """They are taken as they are there; no key is an empty text."""
    with portable.keys() as pressed:
        assert ["hé", ""] == [pressed(), pressed()]


def test_lock_of_windows(windows, tmp_path):
    """One byte of the file is locked, and it waits for that."""
    with open(tmp_path / "lock", "w") as file:
        portable.exclusive(file)
        assert [(file.fileno(), 1, 1)] == windows.locked


def test_processes_start_from_nothing(windows):
    """Without a copy of the process there is no server of copies either."""
    assert {"spawn"} == {portable.start_method("fork"), portable.start_method("forkserver")}


def test_limits_and_keys_are_left_out(windows, monkeypatch):
    """Where there is no such thing at all, nothing happens."""
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    monkeypatch.setattr(portable, "find_spec", lambda _: None)
    portable.limit("RLIMIT_CPU", 1)
    with portable.keys() as pressed:
        assert "" == pressed()


def test_keys_of_a_pipe(monkeypatch, tmp_path):
    """They come until its end, and then no more."""
    (tmp_path / "keys").write_text("ha")
    with open(tmp_path / "keys") as file:
        monkeypatch.setattr(sys, "stdin", file)
        with portable.keys() as pressed:
            assert ["ha", "", ""] == [pressed(), pressed(), pressed()]
