"""Run the checks again whenever the student saves, and react to keys.

Mechanism. One loop, no threads. It waits a moment for the worker, then reads keys and the graded
files again. Polling a few small files works on every system, on a network drive and with editors
that rename. Files must stay unchanged for a moment before a run starts, so that a partial save is
not graded. The worker is a process made for one run. It grades the files as they were read here,
not as they are when it starts, and sends results as JSON. A save during the run ends it and its
children.

Findings that a save cannot have changed stay (:mod:`lockgrader.workspace.touched`): the worker gets
them, runs the other checks, and reports each new finding, also those of a run that is ended.

The loop also looks for Ctrl-C and SIGTERM. A signal handler that raises could be lost where Python
ignores exceptions, such as in a weak reference's callback, and the watch would go on.

From a terminal, keys come one at a time. From a pipe they come as they arrive; when the pipe ends,
the loop goes on until it is interrupted.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import signal
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Protocol

from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.judging.evaluate import ANSWER, die_with_parent
from lockgrader.read.submission import Submission, take
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from lockgrader.workspace.attempt import attempt, public_checks
from lockgrader.workspace.folder import Workspace
from lockgrader.workspace.touched import untouched
from lockui.portable import Keys, keys, start_method

__all__ = ["Screen", "watch"]

LOOK_S = 0.2
SETTLED_S = 0.15
"""How long files must stay unchanged before they are graded."""
QUIT, HINT, ALL, AGAIN = "q", "h", "a", "r"


class Screen(Protocol):
    """The display of a watch."""

    def began(self) -> None:
        """A run has begun."""

    def so_far(self, result: Result) -> None:
        """One more check of the run is done."""

    def done(self, result: Result, before: Result | None, ran: Collection[str]) -> None:
        """The run is over.

        Arguments:
            result: of all checks. before: of the run before, or None.
            ran: the names of the checks that this one ran.
        """

    def failed(self, message: str) -> None:
        """The run failed."""

    def hint(self) -> None:
        """The student asked for a hint."""

    def details(self, result: Result) -> None:
        """The student asked for all details of the last run."""

    def closed(self) -> None:
        """The run in progress will not be finished."""


def watch(workspace: Workspace, screen: Screen, *, profile: Profile = "namespaces") -> None:
    """Watch a workspace until ``q`` is pressed.

    Arguments:
        workspace: the student's. screen: shows what happens. profile: as for ``attempt``.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        SystemExit: SIGTERM.
    """
    with (
        _asked_to_end() as asked,
        keys() as pressed,
        contextlib.closing(_Watch(workspace, screen, profile, pressed)) as loop,
    ):
        while loop.iterate():
            if signal.SIGINT in asked:
                raise KeyboardInterrupt
            if asked:
                raise SystemExit(128 + asked[0])


@dataclass(frozen=True)
class _Run:
    process: BaseProcess
    answers: Connection


class _Watch:
    """The loop's state: the last run and the current one."""

    def __init__(
        self, workspace: Workspace, screen: Screen, profile: Profile, pressed: Keys
    ) -> None:
        self._workspace, self._screen, self._profile = workspace, screen, profile
        self._names, self._pressed = workspace.lab.wanted(), pressed
        self._looked: Submission | None = None
        self._since_s = 0.0
        self._ran: Submission | None = None
        self._run: _Run | None = None
        self._last: Result | None = None
        self._found: dict[str, Finding] = {}  # of checks, for the files that ran last
        self._fresh: set[str] = set()  # checks of which this run has made a finding

    def iterate(self) -> bool:
        """Poll once and handle all events; False when the watch should end."""
        if self._run is None:
            time.sleep(LOOK_S)
        elif self._run.answers.poll(LOOK_S):
            self._take(self._run)
        if not self._press():
            return False
        now, now_s = take(self._workspace.folder, self._names), time.monotonic()
        if now != self._looked:
            self._looked, self._since_s = now, now_s
        elif now != self._ran and now_s - self._since_s >= SETTLED_S:
            self._begin(now)
        return True

    def close(self) -> None:
        """End a run in progress."""
        if self._run is not None:
            self._screen.closed()
            self._end(self._run)

    def _begin(self, files: Submission) -> None:
        if self._run is not None:
            self._screen.closed()
            self._end(self._run)
        if self._ran is not None:
            lab, checks = self._workspace.lab, public_checks(self._workspace)
            self._found = untouched(lab, checks, self._found, self._ran, files)
        self._fresh = set()
        context: Any = multiprocessing.get_context(start_method("fork"))
        ours, theirs = context.Pipe(duplex=False)
        arguments = (theirs, self._workspace, files, self._profile, self._found)
        process = context.Process(target=_work, args=arguments)
        process.start()
        theirs.close()
        self._ran, self._run = files, _Run(process, ours)
        self._screen.began()

    def _take(self, run: _Run) -> None:
        """Handle one message of the worker; its last message, or its end, ends the run."""
        try:
            answer = json.loads(run.answers.recv_bytes())
        except (EOFError, OSError):
            answer = {"failed": "the checks ended without an answer; press r to run them again"}
        if "judged" in answer:
            name, finding = answer["judged"]
            self._found[name] = _finding(finding)
            self._fresh.add(name)
            return
        if "so_far" in answer:
            self._screen.so_far(_result(answer["so_far"]))
            return
        self._end(run)
        if "failed" in answer:
            self._screen.failed(answer["failed"])
        else:
            before, self._last = self._last, _result(answer["done"])
            self._screen.done(self._last, before, self._fresh)

    def _end(self, run: _Run) -> None:
        run.answers.close()
        run.process.kill()
        run.process.join()
        self._run = None

    def _press(self) -> bool:
        """Handle the pressed keys; False for the key that quits, and where the terminal is gone."""
        try:
            pressed = self._pressed()
        except EOFError:
            return False
        for key in pressed.lower():
            if key == QUIT:
                return False
            if key == HINT:
                self._screen.hint()
            elif key == ALL and self._last is not None:
                self._screen.details(self._last)
            elif key == AGAIN:
                self._ran, self._last, self._found = None, None, {}
        return True


@contextlib.contextmanager
def _asked_to_end() -> Iterator[list[int]]:
    """A list of the numbers of SIGINT and SIGTERM as they arrive."""
    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)

    handlers = {s: signal.signal(s, ask) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _finding(document: object) -> Finding:
    return ANSWER.validate_json(json.dumps(document))


def _result(document: object) -> Result:
    return Result.model_validate_json(json.dumps(document))


def _work(
    answers: Connection,
    workspace: Workspace,
    files: Submission,
    profile: Profile,
    known: Mapping[str, Finding],
) -> None:
    """Run the checks without a known finding, in a process of its own."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def send(kind: str, what: object) -> None:
        answers.send_bytes(json.dumps({kind: what}).encode())

    def judged(check: Check, finding: Finding) -> None:
        if finding.verdict != "grader_error":  # what is not decided is tried again
            send("judged", [check.name, ANSWER.dump_python(finding, mode="json")])

    try:
        result = attempt(
            workspace,
            files,
            profile=profile,
            progress=lambda so_far: send("so_far", so_far.decided()),
            known=known,
            judged=judged,
        )
    except Exception as error:
        if not isinstance(getattr(error, "exit_code", None), int):
            raise
        send("failed", str(error))
        return
    send("done", result.decided())
