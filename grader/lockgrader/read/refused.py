"""Why a submission, or a part of it, is refused."""

from __future__ import annotations

from dataclasses import dataclass

from lockgrader.result import Verdict

__all__ = ["Refused"]


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
