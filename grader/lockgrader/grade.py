"""Grade one submission: read, compile inside, validate, check outside, keep."""

from __future__ import annotations

import hashlib
import math
import shlex
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from lockgrader.answers import read_answers
from lockgrader.checks import Finding, Submitted
from lockgrader.compile import Refused, compile_text
from lockgrader.elsewhere import elsewhere
from lockgrader.evaluate import evaluate
from lockgrader.lab import Answer, Check, Code, Lab, Prediction, Proven, Simulated, Written
from lockgrader.result import ELSEWHERE, CheckResult, Result
from lockgrader.sandbox import Profile
from lockgrader.submission import Submission, read
from lockgrader.variants import variant
from locksim.compiler.ir import ClassCode

__all__ = ["Progress", "grade"]

Progress = Callable[[Result], None]


def grade(
    lab: Lab,
    path: Path,
    *,
    student: str,
    key: bytes,
    profile: Profile = "namespaces",
    attempt: int = 1,
    public_only: bool = False,
    until_s: float = math.inf,
    progress: Progress | None = None,
) -> Result:
    """Grade a submission.

    Arguments:
        lab: what it is graded with. path: the submission. student: who handed it in.
        key: the course's. profile: of the sandbox. attempt: from 1, for hints that escalate.
        public_only: leave out what is hidden, as students do at home.
        until_s: when to stop, on the monotonic clock: checks that are not done by then are
            grader_errors, for a platform that would otherwise throw all of them away.
        progress: called with the result so far after each check.

    Raises:
        SandboxError: there is no sandbox, and nothing was run.
        LabError: the lab makes no sense.
    """
    began = time.monotonic()
    values = variant(lab, student, key)
    checks = [c for c in lab.checks(values) if c.public or not public_only]
    names = wanted(lab)
    submission = Submission({}, "0" * 64)
    refused: dict[str, Refused] = {}
    submitted = Submitted()
    try:
        submission = read(path, names)
        submitted = _submitted(lab, checks, submission, refused, profile)
    except Refused as error:
        refused = {"locks": error, "answers": error}
    done: list[CheckResult] = []

    def result(complete: bool) -> Result:
        return Result(
            lab=lab.name,
            student=student,
            submission_sha256=submission.sha256,
            lab_sha256=lab.sha256,
            files={n: hashlib.sha256(d).hexdigest() for n, d in submission.files.items()},
            versions={"locklab": version("locklab")},
            seeds={c.name: c.seed for c in checks if isinstance(c, Simulated)},
            variant=values,
            checks=tuple(done),
            complete=complete,
            replay=shlex.join(["locklab", "grade", lab.folder, str(path), "--student", student]),
            measured={"seconds": time.monotonic() - began},
        )

    for check in checks:
        missing = next((n for n in check.needs if not _passed(done, n)), None)
        stopped = refused.get(_part(check))
        if stopped is not None:
            finding = Finding(stopped.verdict, message=stopped.message)
        elif missing is not None:
            finding = Finding("skipped", message=f"'{missing}' comes first")
        else:
            finding = evaluate(check, submitted, lab.seconds, until_s)
        late = time.monotonic() > until_s
        others = () if late else elsewhere(lab, check, finding, submitted, values)
        done.append(_result(check, finding, attempt, others))
        if progress is not None:
            progress(result(complete=False))
    return result(complete=True)


def printable(text: str) -> str:
    """A text without what a terminal would obey: part of it is the student's."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def wanted(lab: Lab) -> tuple[str, ...]:
    """The files that a submission may have."""
    names = [n for n in (lab.locks,) if n]
    if lab.answers:
        stem = Path(lab.answers).stem
        names += [f"{stem}.json", f"{stem}.py", f"{stem}.ipynb"]
    return tuple(dict.fromkeys(names))


def _submitted(
    lab: Lab,
    checks: list[Check],
    submission: Submission,
    refused: dict[str, Refused],
    profile: Profile,
) -> Submitted:
    """Both parts of a submission; a part that is refused leaves the other's points alone."""
    codes: dict[str, ClassCode] = {}
    answers: dict[str, list[float]] = {}
    texts: dict[str, str] = {}
    if lab.locks:
        try:
            data = _part_of(submission, (lab.locks,))[1]
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                raise Refused("ungradable", f"{lab.locks} is no UTF-8 text") from error
            codes = compile_text(text, lab.locks, profile)
        except Refused as error:
            refused["locks"] = error
    if lab.answers:
        asked = tuple(c.answer for c in checks if isinstance(c, Answer | Prediction))
        words = tuple(c.answer for c in checks if isinstance(c, Written))
        stem = Path(lab.answers).stem
        try:
            name, data = _part_of(submission, tuple(f"{stem}.{x}" for x in ("json", "py", "ipynb")))
            answers, texts = read_answers(name, data, asked, words, profile)
        except Refused as error:
            refused["answers"] = error
    return Submitted(codes, answers, texts)


def _part_of(submission: Submission, names: tuple[str, ...]) -> tuple[str, bytes]:
    for name in names:
        if name in submission.files:
            return name, submission.files[name]
    raise Refused("no_output", f"{names[0]} is not in the submission")


def _part(check: Check) -> str:
    return "locks" if isinstance(check, Proven | Simulated | Code) else "answers"


def _passed(done: list[CheckResult], name: str) -> bool:
    return any(c.name == name and c.verdict == "pass" for c in done)


def _result(
    check: Check, finding: Finding, attempt: int, others: tuple[str, ...] = ()
) -> CheckResult:
    points = round(check.points * finding.share, 4) if finding.share < 1 else check.points
    failed = finding.verdict not in ("pass", "skipped", "grader_error")
    hint = check.hints[min(attempt, len(check.hints)) - 1] if failed and check.hints else ""
    return CheckResult(
        name=check.name,
        title=check.title,
        public=check.public,
        revealed=check.revealed,
        verdict=finding.verdict,
        points=points,
        max_points=check.points,
        message=printable(f"{finding.message}; {ELSEWHERE}" if others else finding.message),
        rows=finding.rows,
        hint=hint,
        misconception=check.misconceptions.get(finding.tag, ""),
        counterexample=finding.counterexample,
        curve=finding.curve,
        answer=printable(finding.answer),
        elsewhere=others,
    )
