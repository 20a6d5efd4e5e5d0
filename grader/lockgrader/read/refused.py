"""Why a submission, or a part of it, is refused."""

from __future__ import annotations

from dataclasses import dataclass

from lockgrader.result import Verdict
from lockgrader.sandbox.watch import Ended

_GUARDS = {"timeout_cpu": "processor time", "timeout_wall": "time on the clock"}


@dataclass(frozen=True)
class Refused(Exception):
    """A submission, or a part of it, is refused.

    Arguments:
        verdict: why, one of the closed set. message: for the student.
    """

    verdict: Verdict
    message: str

    def __str__(self) -> str:
        return self.message


def stopped(what: str, ended: Ended) -> Refused:
    """Why a job counts as nothing that a limit has ended. No limit in seconds decides a mark.

    Arguments:
        what: was stopped. ended: not "exited".
    """
    if ended in _GUARDS:
        why = f"the limit on {_GUARDS[ended]} was reached. Does a loop never end?"
        return Refused("grader_error", f"{what}: not decided, and no points are lost: {why}")
    if ended == "asleep":
        why = "each thread sleeps, is stopped, or waits for another one"
        return Refused("fail", f"{what}: nothing goes on: {why}")
    assert ended != "exited"
    return Refused(ended, f"{what} was stopped: {ended.replace('_', ' ')}")
