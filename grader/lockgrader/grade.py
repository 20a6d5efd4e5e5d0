"""Grade one submission: read it, compile it inside, validate it, check it outside."""

from __future__ import annotations

import hashlib
import math
import os
import re
import shlex
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lockgrader.check import PARTS, Check
from lockgrader.digests import versions
from lockgrader.finding import Finding
from lockgrader.judging.evaluate import EXIT_USAGE, evaluate
from lockgrader.judging.needs import with_needs
from lockgrader.judging.untouched import untouched
from lockgrader.judging.variant_match import matching_variants
from lockgrader.judging.violated import without_violated
from lockgrader.lab import Lab
from lockgrader.lab.variants import secrets, variant
from lockgrader.read.answers import Answers, read_answers
from lockgrader.read.artefact import MalformedError
from lockgrader.read.record import RECORD, read_record
from lockgrader.read.refused import Refused
from lockgrader.read.submission import Submission, take
from lockgrader.result import FITS_OTHER, CheckResult, Result
from lockgrader.sandbox import Profile
from lockgrader.signs import belief_of
from lockgrader.submitted import Submitted, proofs
from lockui.portable import LINUX

if TYPE_CHECKING:
    from lockgrader.read.scenarios import Scenario
    from locksim.compiler.ir import ClassCode

_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
)
"""The blocks of the scripts that run from right to left: Hebrew, Arabic and their like."""

Progress = Callable[[Result], None]
Gate = Callable[[Check, Submitted], str]
Judged = Callable[[Check, Finding], None]


def grade(
    lab: Lab,
    given: Submission | Path,
    *,
    student: str,
    key: bytes,
    profile: Profile = "namespaces",
    attempt: int = 1,
    public_only: bool = False,
    until_s: float = math.inf,
    values: Mapping[str, str | int] | None = None,
    only: Collection[str] = (),
    gate: Gate | None = None,
    progress: Progress | None = None,
    known: Mapping[str, Finding] | None = None,
    judged: Judged | None = None,
) -> Result:
    """Grade a submission.

    Arguments:
        lab: the lab. given: the submission, or the path from which to read it.
        student: who handed it in.
        key: the course's. profile: of the sandbox. attempt: from 1, for hints that escalate.
        public_only: leave out what is hidden, as students do at home.
        until_s: when to stop, on the monotonic clock. Checks that are not finished by then are
            grader_errors, for a platform that would otherwise discard all results.
        values: the student's variant, where the key is not available; by default it is drawn.
        only: names of checks to run; what they need runs too. By default all.
        gate: returns why a check must not run yet, or "". A check with a reason is skipped. It may
            lock predictions (``submitted.locked``).
        progress: called with the partial result after each check but the last; the result after
            the last one is returned.
        known: check → its finding for an earlier submission that still holds; such a check does
            not run. judged: called with each finding of a check that has run.

    Raises:
        SandboxError: there is no sandbox, and nothing was run.
        LabError: the lab is invalid.
    """
    began = time.monotonic()
    its_own = variant(lab, student, key) if values is None else values
    drawn = {name: value for name, value in its_own.items() if name not in lab.secret}
    whole = drawn | secrets(lab, its_own, key)
    checks = [c for c in lab.checks(whole) if c.public or not public_only]
    submission = given if isinstance(given, Submission) else take(given, lab.wanted())
    wanted = with_needs(only, checks)
    asked = [c for c in checks if not only or c.name in wanted]
    # A C file is compiled only for its own checks; the other parts are read for all checks.
    known = known or {}
    readers = [c for c in checks if c.part != "c" or (c in asked and c.name not in known)]
    # The same holds for classes at home, where nobody compares them with other students' classes.
    classes = not (public_only and only) or any(c.part == "locks" or c.engines for c in asked)
    submitted, refused = _read(lab, readers, submission, profile, compiles=classes)
    if "answers" not in refused:
        for check in asked:
            check.prepare()
    result = Result(
        lab=lab.name,
        student=student,
        submission_sha256=submission.sha256,
        lab_sha256=lab.sha256,
        lab_parts=lab.parts(),
        files={n: hashlib.sha256(d).hexdigest() for n, d in submission.files.items()},
        versions=versions(lab),
        seeds={c.name: c.random_seed for c in checks if c.random_seed is not None},
        variant=drawn,
        by_hand={} if public_only else by_hand(checks),
        checks=(),
        complete=not asked,
        replay=replay(lab, submission.path, student),
        fingerprints=_fingerprints(submitted),
    )
    left = untouched(lab, checks, submitted.codes, submission.files)
    passed: set[str] = set()
    findings: list[tuple[Check, Finding]] = []
    for number, check in enumerate(asked, start=1):
        finding = _stopped(check, submitted, refused, passed, gate)
        if finding is None and check.name in known:
            finding = _still(known[check.name], submitted)
        elif finding is None:
            finding = evaluate(check, submitted, lab.seconds, until_s, profile)
            if judged is not None:
                judged(check, finding)
        late = time.monotonic() > until_s
        others = () if late else matching_variants(lab, check, finding, submitted, drawn)
        if check.opens(finding):
            passed.add(check.name)
        submitted = submitted.after(check, finding)
        findings.append((check, finding))
        result = result.with_check(
            _result(lab, check, finding, attempt, others, begun=check.name not in left),
            seconds=time.monotonic() - began,
            complete=number == len(asked),
        )
        if progress is not None and not result.complete:
            progress(result)
    return result.model_copy(update={"checks": _final(lab, result.checks, findings, attempt)})


def _still(finding: Finding, submitted: Submitted) -> Finding:
    """A finding for an earlier submission, for this one: its lines may have moved."""
    if not finding.reached:
        return finding
    from lockgrader.measuring.ran import relined

    return replace(finding, reached=relined(finding.reached, submitted.codes))


def by_hand(checks: Iterable[Check]) -> dict[str, float]:
    """Check → the points that a person can give for it, where there are any."""
    return {c.name: c.most_by_hand for c in checks if c.most_by_hand}


def _read(
    lab: Lab, checks: list[Check], submission: Submission, profile: Profile, *, compiles: bool
) -> tuple[Submitted, dict[str, Refused]]:
    """Return what was handed in, and why parts of it are refused."""
    refused: dict[str, Refused] = {}
    try:
        if submission.refused is not None:
            raise submission.refused
        return accept(lab, checks, submission, refused, profile, compiles=compiles), refused
    except Refused as error:
        stopped = error
    except Exception as error:
        if getattr(error, "exit_code", None) == EXIT_USAGE:  # no sandbox, or an invalid lab
            raise
        trace = traceback.format_exc()[-2000:]
        stopped = Refused("grader_error", f"it could not be read: {trace}")
    return Submitted(), dict.fromkeys(PARTS, stopped)


def _fingerprints(submitted: Submitted) -> dict[str, tuple[str, ...]]:
    if not submitted.codes:
        return {}
    from lockgrader.compile.fingerprint import fingerprints

    return fingerprints(submitted.codes)


def _stopped(
    check: Check,
    submitted: Submitted,
    refused: dict[str, Refused],
    passed: set[str],
    gate: Gate | None,
) -> Finding | None:
    """Return the finding of a check that must not run, or None if it may."""
    part = refused.get(check.part)
    if part is not None:
        return Finding(part.verdict, message=part.message)
    missing = next((n for n in check.needs if n not in passed), None)
    if missing is not None:
        return Finding("skipped", message=f"waits for the check '{missing}'")
    why = "" if gate is None else gate(check, submitted)
    return Finding("skipped", message=why) if why else None


def replay(lab: Lab, path: Path, student: str) -> str:
    """The command that grades this submission again."""
    name = os.fsencode(path).decode(errors="backslashreplace")  # a result is JSON in UTF-8
    return shlex.join(["locklab", "grade", lab.folder, name, "--student", student])


def printable(text: str) -> str:
    """A text without control characters of a terminal: part of it comes from the student."""
    odd = "\N{REPLACEMENT CHARACTER}"
    return "".join(c if c.isprintable() or c in "\n\t" else odd for c in text)


def _in_order(text: str) -> str:
    """A message whose names from right to left do not reverse what stands behind them."""
    return _RIGHT_TO_LEFT.sub("\\g<0>\N{LEFT-TO-RIGHT MARK}", text)


def accept(
    lab: Lab,
    checks: list[Check],
    submission: Submission,
    refused: dict[str, Refused],
    profile: Profile,
    *,
    compiles: bool = True,
) -> Submitted:
    """All parts of a submission. A refused part does not touch the points of the others.

    Arguments:
        lab: the lab. checks: the student's. submission: the files.
        refused: part (of PARTS) → reason, filled in here. profile: of the sandbox.
        compiles: whether the classes are needed.
    """
    codes: dict[str, ClassCode] = {}
    broken: dict[str, str] = {}
    answers = Answers({}, {}, {})
    scenarios: tuple[Scenario, ...] = ()
    if lab.locks and compiles:
        from lockgrader.compile.text import compile_text

        with _noted("locks", refused):
            data = _file_of(submission, (lab.locks,))[1]
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                raise Refused("ungradable", f"{lab.locks} is not valid UTF-8") from error
            codes, broken = compile_text(text, lab.locks, profile, lab.library)
    if lab.answers:
        asked = tuple(n for c in checks for n in c.asks)
        words = tuple(n for c in checks for n in c.asks_words)
        stem = Path(lab.answers).stem
        with _noted("answers", refused):
            name, data = _file_of(submission, tuple(f"{stem}.{x}" for x in ("json", "py", "ipynb")))
            answers = read_answers(name, data, asked, words, profile)
    if lab.tests:
        from lockgrader.read.scenarios import read as read_scenarios

        try:
            with _noted("tests", refused):
                scenarios = read_scenarios(_file_of(submission, (lab.tests,))[1])
        except MalformedError as error:
            refused["tests"] = Refused("malformed_output", f"{lab.tests}: {error}")
    compiled = None
    tools = {t for c in checks for t in c.tools}
    if lab.c and tools and (LINUX or profile != "unconfined"):
        from lockgrader.c import compile_c, interface  # most labs have no C part

        with _noted("c", refused):
            _, data = _file_of(submission, (lab.c,))
            compiled = compile_c(data, lab.c, interface(lab.interface), tools, profile)
    bad: dict[str, str] = {}
    if codes:
        from lockgrader.compile.refused import refused_by

        bad = refused_by(lab, codes)
    return Submitted(
        codes={name: code for name, code in codes.items() if name not in bad},
        broken=broken,
        refused=bad,
        proven=proofs(checks),
        answers=answers.numbers,
        texts=answers.texts,
        wrong=answers.wrong,
        files={n: submission.files[n] for n in lab.data if n in submission.files},
        locked=read_record(submission.files.get(RECORD), lab.name),
        scenarios=scenarios,
        c=compiled,
    )


@contextmanager
def _noted(part: str, refused: dict[str, Refused]) -> Iterator[None]:
    """Note why a part is refused, and go on."""
    try:
        yield
    except Refused as error:
        refused[part] = error


def _file_of(submission: Submission, names: tuple[str, ...]) -> tuple[str, bytes]:
    for name in names:
        if name in submission.files:
            return name, submission.files[name]
    raise Refused("no_output", f"{names[0]} is not in the submission")


def _final(
    lab: Lab,
    results: tuple[CheckResult, ...],
    judged: list[tuple[Check, Finding]],
    attempt: int,
) -> tuple[CheckResult, ...]:
    """The results when all checks have been judged: what one shows can cost another its points."""
    return tuple(
        result if final is finding else _result(lab, check, final, attempt)
        for result, (check, finding), final in zip(
            results, judged, without_violated(judged), strict=True
        )
    )


def _placeless(counterexample: dict[str, Any] | None) -> dict[str, Any] | None:
    """A counterexample whose steps in the library name its files without this machine's folders."""
    if counterexample is None:
        return None
    steps = [{**step, "file": Path(step["file"]).name} for step in counterexample["steps"]]
    return {**counterexample, "steps": steps}


def _result(
    lab: Lab,
    check: Check,
    finding: Finding,
    attempt: int,
    others: tuple[str, ...] = (),
    *,
    begun: bool = True,
) -> CheckResult:
    points = round(check.points * finding.share, 4) if finding.share < 1 else check.points
    belief = belief_of(check.misconceptions, finding, lab.wanted()) if begun else ""
    known = next((m for m in lab.misconceptions.values() if m.belief == belief), None)
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
        message=_in_order(
            printable(f"{finding.message}; {FITS_OTHER}" if others else finding.message)
        ),
        rows=finding.rows,
        hint=hint,
        misconception=belief,
        truth=known.truth if known else "",
        see=known.see if known else "",
        counterexample=_placeless(finding.counterexample),
        curve=finding.curve,
        answer=printable(finding.answer),
        changed=finding.changed,
        score=finding.score,
        elsewhere=others,
    )
