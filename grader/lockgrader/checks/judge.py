"""Dispatch one check on one submission to the module that decides it."""

from __future__ import annotations

from dataclasses import replace

from lockgrader.c import judge_c
from lockgrader.checks.code import code
from lockgrader.checks.numeric import answer, missing, prediction
from lockgrader.checks.own_tests import own_tests
from lockgrader.checks.proven import proven
from lockgrader.checks.simulated import simulated
from lockgrader.checks.submitted import Submitted, without
from lockgrader.finding import Finding
from lockgrader.lab import (
    Answer,
    C,
    Check,
    Code,
    LabError,
    Measure,
    OtherCheck,
    OwnTests,
    Prediction,
    Proven,
    Simulated,
)
from lockgrader.lab.expected import FormulaError
from lockgrader.sandbox import Profile
from locksim.core.result import DeadlockError, SimulationError
from locksim.kinds.checking import bases_with, checked_bases
from locksim.lang.struct import Struct
from locksim.library.registry import UnknownNameError
from locksim.machine import MachineError

__all__ = ["judge", "own"]

FEWEST_WORDS = 3
"""Fewer are not an answer in words."""


def judge(check: Check, submitted: Submitted, profile: Profile = "namespaces") -> Finding:
    """What a check finds. A fault of the submitted program is a finding, not an error.

    Arguments:
        check: one of the lab's. submitted: validated data.
        profile: of the sandboxes in which a check runs C or Python; the other kinds need none.

    Raises:
        SandboxError: there is no sandbox for such a check.
        Exception: anything else is an internal error of the grader.
    """
    match check:
        case Answer() | Prediction() if not own(check):
            return _numeric(check, submitted)
        case Proven() | Simulated() | Code() | OwnTests() | Answer() | Prediction():
            try:
                return _of_program(check, submitted)
            except Exception as error:
                ran = isinstance(check, Simulated) and isinstance(error, SimulationError)
                wrong = ran and not isinstance(error, DeadlockError)  # a livelock may be slowness
                return replace(_fault(error), violation=wrong)
        case OtherCheck() if check.runs_code:
            return check.judge_in(submitted, profile)
        case OtherCheck():
            try:
                return check.judge(submitted)
            except Exception as error:
                return _fault(error)
        case C():
            if submitted.c is None:
                raise LabError(
                    f"the check '{check.name}' judges a C file, and the lab names none: c = …"
                )
            return judge_c(check, submitted.c, profile)
    if check.answer not in submitted.texts:
        return missing(check.answer, submitted)
    answered = submitted.texts[check.answer]
    if len(answered.split()) < FEWEST_WORDS:
        says = f"'{check.answer}' has fewer than {FEWEST_WORDS} words: write a sentence"
        return Finding("no_output", 0.0, says, tag="missing", answer=answered)
    return Finding("pass", 1.0, "kept for the instructor", answer=answered)


def _fault(error: Exception) -> Finding:
    """The finding of an error that a submission can cause; another one is raised again.

    LinkError, CheckError, SimulationError and so on are such errors. An unknown name comes from the
    lab, not from the user.
    """
    ours = isinstance(error, LabError | FormulaError | UnknownNameError | MachineError)
    if ours or getattr(error, "exit_code", None) != 2:
        raise error
    return Finding("fail", 0.0, str(error)[:4000], tag="fault")


def own(check: Check) -> bool:
    """Whether the right number is measured on the student's own lock."""
    if not isinstance(check, Answer | Prediction):
        return False
    return isinstance(check.expected, Measure) and check.expected.own


def _numeric(check: Answer | Prediction, submitted: Submitted) -> Finding:
    return answer(check, submitted) if isinstance(check, Answer) else prediction(check, submitted)


def _of_program(
    check: Proven | Simulated | Code | OwnTests | Answer | Prediction, submitted: Submitted
) -> Finding:
    if isinstance(check, Answer | Prediction):
        return _numeric(check, submitted)
    if isinstance(check, OwnTests):
        return own_tests(check, submitted)
    lock = _lock(check.lock, submitted)
    if isinstance(lock, Finding):
        return lock
    match check:
        case Proven():
            return proven(check, submitted, lock)
        case Simulated():
            return simulated(check, submitted, lock)
        case Code():
            return code(check, submitted, lock)


def _lock(name: str, submitted: Submitted) -> type[Struct] | Finding:
    if name not in submitted.codes:
        return without(name, submitted)
    cls = submitted.codes[name].struct
    if not issubclass(cls, checked_bases()):
        bases = bases_with("clients")
        message = f"{name} must be a {bases}: keep the base class of the starter file"
        return Finding("fail", 0.0, message, tag="kind")
    return cls
