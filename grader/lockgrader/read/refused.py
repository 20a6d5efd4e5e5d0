"""Why a submission, or a part of it, gets no further."""

from __future__ import annotations

from dataclasses import dataclass

from lockgrader.result import Verdict

__all__ = ["Refused"]


@dataclass(frozen=True)
class Refused(Exception):
    """A submission that gets no further.

    Arguments:
        verdict: why, one of the closed set. message: for the student.
    """

    verdict: Verdict
    message: str

    def __str__(self) -> str:
        return self.message
