"""Run the checks again whenever the student saves, and listen to keys meanwhile.

Mechanism. One loop, no threads. It waits a moment for a key or for the worker, then looks whether
the files that would be graded have another hash; by looking at a few small files it also notices
what is saved on a network drive, or by an editor that renames. Files have to stay as they are for a
moment before a run starts, so that half a save is not graded. The worker is a process forked for
one run, which sends results as JSON. A save in between ends it, and what it had forked dies with
it.

To be asked to end (Ctrl-C, SIGTERM) is one more thing to wait for. A handler that raised would be
lost where Python runs code of its own that nobody can catch from, such as a weak reference's
callback, and the watch would go on.

Keys come one by one where standard input is a terminal of ours, and as whatever arrives where it is
a pipe; when a pipe ends, the loop goes on until it is interrupted.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import selectors
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import NoReturn, Protocol

from lockgrader.checks.evaluate import die_with_parent
from lockgrader.read.refused import Refused
from lockgrader.read.submission import read
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from lockgrader.workspace.attempt import attempt
from lockgrader.workspace.folder import Workspace

__all__ = ["Screen", "watch"]

LOOK_S = 0.2
SETTLED_S = 0.15
"""How long files have to stay as they are before they are graded."""
QUIT, HINT, ALL, AGAIN = "q", "h", "a", "r"


class Screen(Protocol):
    """What shows a watch to people."""

    def began(self) -> None:
        """A run has begun."""

    def so_far(self, result: Result) -> None:
        """One more check of it is done."""

    def done(self, result: Result) -> None:
        """It is over."""

    def failed(self, message: str) -> None:
        """It could not be run."""

    def hint(self) -> None:
        """A hint was asked for."""

    def details(self, result: Result) -> None:
        """All details of the last run were asked for."""

    def closed(self) -> None:
        """The run in progress will not be finished."""


def watch(workspace: Workspace, screen: Screen, *, profile: Profile = "namespaces") -> None:
    """Watch a workspace until ``q`` is pressed.

    Arguments:
        workspace: the student's. screen: is answer what happens. profile: as for ``attempt``.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        SystemExit: it was asked to end, by SIGTERM.
    """
    with (
        _asked_to_end() as asked,
        _keys() as keys,
        contextlib.closing(_Watch(workspace, screen, profile, keys, asked)) as loop,
    ):
        while loop.turn():
            pass


@dataclass(frozen=True)
class _Run:
    process: BaseProcess
    answers: Connection


class _Watch:
    """The loop's state: what was run last, and what runs now."""

    def __init__(
        self, workspace: Workspace, screen: Screen, profile: Profile, keys: int | None, asked: int
    ) -> None:
        self._workspace, self._screen, self._profile = workspace, screen, profile
        self._names = workspace.lab.wanted()
        self._selector = selectors.DefaultSelector()
        self._looked, self._since_s = "", 0.0
        self._ran = ""
        self._run: _Run | None = None
        self._last: Result | None = None
        self._asked = asked
        self._selector.register(asked, selectors.EVENT_READ)
        if keys is not None:
            self._selector.register(keys, selectors.EVENT_READ)

    def turn(self) -> bool:
        """Look once, then serve what there is to serve; False when it is time to go."""
        now, now_s = self._saved(), time.monotonic()
        if now != self._looked:
            self._looked, self._since_s = now, now_s
        elif now != self._ran and now_s - self._since_s >= SETTLED_S:
            self._begin(now)
        for key, _ in self._selector.select(LOOK_S):
            if self._run is not None and key.fileobj is self._run.answers:
                self._take(self._run)
            elif key.fd == self._asked:
                _end_as_asked(self._asked)
            elif not self._press(key.fd):
                return False
        return True

    def close(self) -> None:
        """End a run in progress."""
        if self._run is not None:
            self._screen.closed()
            self._end(self._run)
        self._selector.close()

    def _saved(self) -> str:
        try:
            return read(self._workspace.folder, self._names).sha256
        except Refused as error:
            return error.message

    def _begin(self, files: str) -> None:
        if self._run is not None:
            self._screen.closed()
            self._end(self._run)
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        arguments = (theirs, self._workspace, self._profile)
        process = context.Process(target=_work, args=arguments)
        process.start()
        theirs.close()
        self._ran, self._run = files, _Run(process, ours)
        self._selector.register(ours, selectors.EVENT_READ)
        self._screen.began()

    def _take(self, run: _Run) -> None:
        """One message of the worker; its last one, or its end, ends the run."""
        try:
            answer = json.loads(run.answers.recv_bytes())
        except (EOFError, OSError):
            answer = {"failed": "the checks ended without an answer; press r to run them again"}
        if "so_far" in answer:
            self._screen.so_far(_result(answer["so_far"]))
            return
        self._end(run)
        if "failed" in answer:
            self._screen.failed(answer["failed"])
        else:
            self._last = _result(answer["done"])
            self._screen.done(self._last)

    def _end(self, run: _Run) -> None:
        self._selector.unregister(run.answers)
        run.answers.close()
        run.process.kill()
        run.process.join()
        self._run = None

    def _press(self, keys: int) -> bool:
        """Serve the keys that were pressed; False for the one that quits."""
        pressed = os.read(keys, 64).decode("utf-8", errors="replace")
        if not pressed:
            self._selector.unregister(keys)
            return not os.isatty(keys)
        for key in pressed.lower():
            if key == QUIT:
                return False
            if key == HINT:
                self._screen.hint()
            elif key == ALL and self._last is not None:
                self._screen.details(self._last)
            elif key == AGAIN:
                self._ran = ""
        return True


@contextlib.contextmanager
def _asked_to_end() -> Iterator[int]:
    """The descriptor on which the numbers of signals that ask to end arrive."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)

    def asked(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(BlockingIOError):  # a full pipe has said it already
            os.write(write_end, bytes([number]))

    handlers = {s: signal.signal(s, asked) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield read_end
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(read_end)
        os.close(write_end)


def _end_as_asked(asked: int) -> NoReturn:
    """End as the first signal that arrived wants it."""
    number = os.read(asked, 1)[0]
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


def _result(document: object) -> Result:
    return Result.model_validate_json(json.dumps(document))


def _work(answers: Connection, workspace: Workspace, profile: Profile) -> None:
    """One run, in a process of its own."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C ends
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def send(kind: str, what: object) -> None:
        answers.send_bytes(json.dumps({kind: what}).encode())

    try:
        result = attempt(
            workspace,
            profile=profile,
            progress=lambda so_far: send("so_far", so_far.decided()),
        )
    except Exception as error:
        if not isinstance(getattr(error, "exit_code", None), int):
            raise
        send("failed", str(error))
        return
    send("done", result.decided())


@contextlib.contextmanager
def _keys() -> Iterator[int | None]:
    """The descriptor on which keys arrive, None where there are none for us.

    A terminal gives each key at once, and shows it not, until the end of the block; also after it
    was stopped and went on.
    """
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or no file at all
        yield None
        return
    if not os.isatty(descriptor):
        yield descriptor if _can_wait_for(descriptor) else None
        return
    if os.tcgetpgrp(descriptor) != os.getpgrp():  # in the background: the keys are the shell's
        yield None
        return
    before = termios.tcgetattr(descriptor)

    def again(_number: int = 0, _frame: FrameType | None = None) -> None:
        tty.setcbreak(descriptor, termios.TCSANOW)

    continued = signal.signal(signal.SIGCONT, again)
    again()
    try:
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        signal.signal(signal.SIGCONT, continued)


def _can_wait_for(descriptor: int) -> bool:
    """Whether a descriptor can be waited for; a plain file, always ready, cannot."""
    with selectors.DefaultSelector() as selector:
        try:
            selector.register(descriptor, selectors.EVENT_READ)
        except (OSError, ValueError):
            return False
    return True
