"""Watching: runs on every save, listens to keys, leaves the terminal as it was."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
import weakref
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from results_made import curve
from tiny_lab import ANSWERS, TAS, WRONG, make_whole

from lockgrader.author import bundle
from lockgrader.finding import Finding
from lockgrader.judging.evaluate import ANSWER
from lockgrader.workspace import folder as ws
from lockgrader.workspace.folder import Workspace
from lockgrader.workspace.watch import _finding, watch

PATIENCE_S = 300.0
"""A guard against a hang; what is awaited comes within seconds on a quiet machine."""


class Watching:
    """The command with a terminal, or with pipes."""

    def __init__(self, folder: Path, terminal: bool) -> None:
        command = [sys.executable, "-m", "locklab", "lab", "check", "--watch", "--sandbox", "none"]
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"}
        if terminal:
            self.fd, theirs = pty.openpty()
            self.keys = self.fd
            streams = (theirs, theirs, theirs)
        else:
            self.fd, out = os.pipe()
            inside, self.keys = os.pipe()
            streams = (inside, out, out)
        self.process = subprocess.Popen(
            command,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=_own_terminal if terminal else None,
        )
        self.theirs = theirs if terminal else -1
        if not terminal:
            os.close(inside)
            os.close(out)
        self.text = ""

    def until(self, words: str) -> str:
        """Read until some words come; what came since the last time."""
        until_s = time.monotonic() + PATIENCE_S
        seen = ""
        while words not in seen:
            ready, _, _ = select.select([self.fd], [], [], 1.0)
            assert time.monotonic() < until_s, seen
            if ready:
                data = os.read(self.fd, 1 << 16)
                assert data, seen
                seen += data.decode(errors="replace")
        return seen.replace("\r\n", "\n")

    def press(self, key: str) -> None:
        """Press a key."""
        os.write(self.keys, key.encode())

    def close(self) -> None:
        """End it, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for fd in {self.fd, self.keys, self.theirs} - {-1}:
            with contextlib.suppress(OSError):
                os.close(fd)


def _own_terminal() -> None:
    """Make the terminal on standard input the new session's, as a shell has it."""
    import fcntl

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def mine(tmp_path: Path) -> Workspace:
    """A folder for the small lab, with a mistake in it."""
    files = bundle.read(make_whole(tmp_path / "lab99-tiny")).files
    made = ws.start(
        files,
        tmp_path / "my work",
        student="ada",
        draw=lambda _: {"machine": "ideal-8"},
        now=datetime(2026, 11, 21, tzinfo=UTC),
    )
    (made.folder / "tas.py").write_text(WRONG)
    return made


@pytest.fixture
def watching(mine: Workspace) -> Iterator[Callable[[bool], Watching]]:
    """Starts the command, and ends it after the test."""
    with contextlib.ExitStack() as stack:

        def begin(terminal: bool) -> Watching:
            made = Watching(mine.folder, terminal)
            stack.callback(made.close)
            return made

        yield begin


@pytest.mark.slow
def test_save_hint_and_quit(mine: Workspace, watching: Callable[[bool], Watching]) -> None:
    """Runs at once and at each save; h gives a hint; q leaves; the terminal is as before."""
    watch = watching(True)
    before = termios.tcgetattr(watch.theirs)
    assert "tas.py:8" in watch.until("q: quit")
    assert not termios.tcgetattr(watch.theirs)[3] & termios.ICANON
    watch.press("h")
    assert "hint 1 of 2: first" in watch.until("next try")
    (mine.folder / "answers.json").write_text(ANSWERS)
    answered = watch.until("q: quit")
    assert "6 of 10" not in answered
    assert "number: no_output -> pass, 1 of 1 points" in answered
    (mine.folder / "tas.py").write_text(TAS)
    solved = watch.until("q: quit")
    assert "ran 2 of 4 checks: right, cheap" in solved
    assert "right: fail -> pass, 4 of 4 points" in solved
    assert "10 of 10 points in the public checks; solved" in solved
    watch.press("a")
    watch.until("q: quit")
    watch.press("q")
    assert 0 == watch.process.wait(PATIENCE_S)
    assert before == termios.tcgetattr(watch.theirs)
    assert (3, 1) == (mine.state.attempts, mine.state.hints["right"].seen)


def test_a_finding_comes_back_from_the_worker() -> None:
    """With its curve and with the operations that a proof has reached."""
    made = Finding("pass", 1.0, curve=curve(), reached=frozenset({("TAS.acquire", 0, 8)}))
    assert made == _finding(ANSWER.dump_python(made, mode="json"))


class _Signalled:
    """A screen on which a signal arrives where an exception would be lost."""

    def __init__(self, number: int) -> None:
        self._number = number

    def began(self) -> None:
        watched = _Signalled(self._number)
        gone = weakref.ref(watched, lambda _: signal.raise_signal(self._number))
        del watched
        assert gone() is None

    def closed(self) -> None:
        """The watch ends."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        pytest.fail(f"the watch went on: {name}")


@pytest.mark.parametrize(
    ("number", "ending"), [(signal.SIGTERM, SystemExit), (signal.SIGINT, KeyboardInterrupt)]
)
def test_asked_to_end_at_any_moment(
    mine: Workspace, number: int, ending: type[BaseException]
) -> None:
    """Also where Python drops what is raised, as in the callback of a weak reference."""
    before = signal.getsignal(number)
    with pytest.raises(ending):
        watch(mine, _Signalled(number), profile="unconfined")
    assert before == signal.getsignal(number)


@pytest.mark.slow
def test_without_a_terminal(mine: Workspace, watching: Callable[[bool], Watching]) -> None:
    """Keys may come through a pipe; nothing is drawn over; when the pipe ends, it goes on."""
    watch = watching(False)
    first = watch.until("save a file to run again")
    assert "\x1b" not in first
    watch.press("h")
    watch.until("hint 1 of 2")
    os.close(watch.keys)
    (mine.folder / "tas.py").write_text(TAS)
    again = watch.until("save a file to run again")
    assert "4 of 10 points in the public checks" in again
    assert 1 == again.count("running the checks")
    watch.process.send_signal(signal.SIGINT)
    assert 130 == watch.process.wait(PATIENCE_S)


def test_save_during_a_run_starts_it_anew(
    mine: Workspace, watching: Callable[[bool], Watching]
) -> None:
    """A run on files that have changed is stopped and leaves nothing behind.

    SIGTERM ends the command as a key does: the terminal is as before.
    """
    (mine.folder / "answers.json").unlink()
    (mine.folder / "answers.py").write_text("import time\ntime.sleep(1000)\n")
    watch = watching(True)
    before = termios.tcgetattr(watch.theirs)
    watch.until("running the checks")
    # In this order: no run in between can end.
    (mine.folder / "tas.py").write_text(TAS)
    (mine.folder / "answers.py").write_text(f"answers = {ANSWERS}\n")
    assert "solved" in watch.until("q: quit")
    assert 1 == mine.state.attempts
    watch.process.send_signal(signal.SIGTERM)
    assert 128 + signal.SIGTERM == watch.process.wait(PATIENCE_S)
    assert before == termios.tcgetattr(watch.theirs)
