"""Run one check in a process of its own, with a limit that does not depend on the machine's load.

The data has been validated, and the engines have budgets in states, steps and simulated time, which
decide. The limit here is a guard: a check that reaches it is not decided, costs no points and is
graded again. If a submission hangs or crashes an engine, one check stays open, and the batch goes
on. The child answers with JSON (never a pickle), and its answer is treated as untrusted input.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import math
import mmap
import multiprocessing
import os
import signal
import sys
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

from pydantic import TypeAdapter, ValidationError

from lockgrader.check import Check
from lockgrader.finding import Finding, undecided
from lockgrader.sandbox import Profile
from lockgrader.sandbox.watch import die_with_parent
from lockgrader.submitted import Submitted
from lockui.portable import LINUX, limit

__all__ = ["NEEDS_LINUX", "die_with_parent", "evaluate", "warm"]

EXIT_USAGE = 2
WALL_FACTOR = 20
"""Wall time of a check over its processor time: the margin for a loaded machine."""
LATE = "the time for the whole grading ran out; grade this submission again"
NEEDS_LINUX = "checks of C need Linux; the grader runs them there"
HEADROOM_BYTES = 3 << 30
MAX_ANSWER = 16 << 20
ANSWER: TypeAdapter[Finding] = TypeAdapter(Finding)
"""A finding as JSON, in which processes send it."""


def evaluate(
    check: Check,
    submitted: Submitted,
    seconds: int,
    until_s: float = math.inf,
    profile: Profile = "namespaces",
) -> Finding:
    """The finding of a check, within a budget of processor time.

    A check that runs the student's C or Python does it in sandboxes that have limits of their own,
    so it needs no process here.

    Arguments:
        check: the check. submitted: validated data. seconds: of processor time.
        until_s: when the time of the whole grading ends, on the monotonic clock.
        profile: of the sandboxes of such a check.
    """
    left_s = until_s - time.monotonic()
    if left_s <= 0:
        return Finding("grader_error", message=LATE)
    if check.runs_code:
        if check.part == "c" and not LINUX and profile == "unconfined":  # at home
            return Finding("skipped", message=NEEDS_LINUX)
        return _in_sandboxes(check, submitted, profile)
    if check.engines:
        warm()
    if not LINUX:  # a student's own machine: the engines' budgets must do
        return check.judge(submitted)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(theirs, ours, check, submitted, seconds))
    child.start()
    theirs.close()
    data = b""
    try:
        answered = ours.poll(min(seconds * WALL_FACTOR, left_s))
        data = ours.recv_bytes(MAX_ANSWER) if answered else data
    except (EOFError, OSError):
        answered = True
    finally:
        ours.close()
        if not (data and _ends(child)):
            child.kill()
        child.join()
    if not answered and left_s < seconds * WALL_FACTOR:
        return Finding("grader_error", message=LATE)
    if not answered:
        return _undecided(f"{seconds * WALL_FACTOR} s of wall time")
    if not data:
        return _silent(child.exitcode, seconds)
    try:
        return ANSWER.validate_json(data)
    except ValidationError as error:
        return Finding(
            "grader_error", message=f"the check's process gave an invalid answer: {error}"[:2000]
        )


_JUDGES = (
    "lockgrader.measuring.curve",
    "lockgrader.measuring.proofs",
    "lockgrader.measuring.runs",
    "locksim.checker.play.walk",
    "locksim.checker.replay.render",
    "locksim.checker.spec",
    "locksim.kinds.checking",
    "locksim.study.use",
)
"""What kinds of checks import where they judge, since reading a lab's file must not."""


@functools.cache
def warm() -> None:
    """Load the checker and the engines once, so that each forked child inherits them.

    A check's processor time is for the submission: where code has to be compiled first, that takes
    a minute, and no student's check pays for it.
    """
    from locksim import jit, ready
    from locksim.checker import check_lock
    from locksim.checker.search import runner
    from locksim.engine.fast import ways
    from locksim.library.locks.tas import TASLock
    from locksim.library.workloads.critical_section import CriticalSection
    from locksim.study.simulation import simulate

    for name in _JUDGES:
        importlib.import_module(name)
    # A small run would stay plain Python, and then each child would load compiled code again.
    for part in (*runner.PARTS, ways.UNLIMITED) if jit.enabled() else ():
        ready.make(part)
        importlib.import_module(part.module)
    for memory in ("sc", "tso", "c11"):
        check_lock(TASLock, threads=2, memory=memory)
    simulate(CriticalSection(lock=TASLock), cpus=2, operations=2, warmup=1, replications=2)
    # All objects of this moment live as long as the process. A collection in a child would write to
    # their headers and so copy the pages that the child shares with its parent.
    gc.collect()
    gc.freeze()


def _in_sandboxes(check: Check, submitted: Submitted, profile: Profile) -> Finding:
    try:
        return check.judge(submitted, profile)
    except Exception as error:
        if getattr(error, "exit_code", None) == EXIT_USAGE:  # no sandbox, or a lab that is wrong
            raise
        return Finding("grader_error", message=traceback.format_exc()[-4000:])


def _child(
    answer: Connection, other: Connection, check: Check, submitted: Submitted, seconds: int
) -> None:
    other.close()
    die_with_parent()
    limit("RLIMIT_CPU", _used_s() + seconds, _used_s() + seconds + 5)
    limit("RLIMIT_CORE", 0)
    bound = _address_space() + HEADROOM_BYTES
    limit("RLIMIT_AS", bound)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    sys.setrecursionlimit(10_000)
    try:
        finding = check.judge(submitted)
    except MemoryError:
        finding = Finding("out_of_memory", message="the check ran out of memory")
    except RecursionError:
        finding = Finding("fail", message="the program is nested too deeply", tag="fault")
    except Exception:
        finding = Finding("grader_error", message=traceback.format_exc()[-4000:])
    answer.send_bytes(ANSWER.dump_json(finding))
    answer.close()
    os._exit(0)


def _undecided(guard: str) -> Finding:
    """Bounds in states, steps and simulated time decide; a guard that is reached first does not."""
    why = (
        f"it was stopped after {guard}\nhelp: an instructor can give it more 'seconds' in lab.toml"
    )
    return undecided("the check", why)


def _silent(code: int | None, seconds: int) -> Finding:
    """The finding for a child that ended without an answer."""
    if code == -signal.SIGXCPU:
        return _undecided(f"{seconds} s of processor time")
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return Finding("grader_error", message=f"the check's process ended without an answer: {how}")


def _ends(child: Any) -> bool:
    """Whether a child that has answered ends by itself within seconds."""
    with contextlib.suppress(OSError):
        child.join(5)
    return not child.is_alive()


def _used_s() -> int:
    return int(time.process_time()) + 1


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * mmap.PAGESIZE
