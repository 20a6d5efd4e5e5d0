"""A lab's own submissions: its solution for a student, its starter, and its mutants.

They test the lab: the solution earns everything for every student, the starter earns nothing, and
each mutant gets the verdict in ``mutants.toml``. They are ours, so they may be judged without a
sandbox (:func:`findings`) or graded as a student's.

The numbers of a solution differ from student to student, so they are computed as the grader does:
an answer is the expected value, a prediction is an interval of width 0 around it.
``solution/answers.json`` holds the rest: answers in words, and numbers that are equal for all.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lockgrader.c import Compiled, compile_c, interface
from lockgrader.check import Check
from lockgrader.compile.refused import refused_by
from lockgrader.finding import Finding
from lockgrader.judging.violated import without_violated
from lockgrader.lab import Lab, LabError, changed
from lockgrader.lab.variants import whole
from lockgrader.read.refused import Refused
from lockgrader.read.scenarios import read
from lockgrader.submitted import Submitted, proofs
from locksim.compiler import compile_source
from locksim.compiler.ir import ClassCode

MUTANTS = "mutants.toml"
Files = dict[str, str]
"""A submission: name → text."""


@dataclass(frozen=True)
class Mutant:
    """A submission that is wrong on purpose.

    Arguments:
        name: what is wrong. files: name → text, which replace those of the solution.
        check: the name of the check that finds it. verdict: of that check.
        misconception: the belief that the check must name, "" for none.
        answers: answer → a wrong value.
    """

    name: str
    files: Files
    check: str
    verdict: str
    misconception: str
    answers: dict[str, Any] = field(default_factory=dict)


def solution(lab: Lab, student: str, key: bytes, other: Files | None = None) -> Files:
    """The solution, with the answers of this student's variant.

    Arguments:
        lab: whose. student, key: for the variant. other: files in place of the solution's own;
            what a student measures on an own class is measured on theirs.

    Raises:
        LabError: the lab has no solution, or is invalid.
    """
    files = files_of(lab, "solution") | (other or {})
    if lab.answers:
        answers = json.loads(files.get(lab.answers, "{}"))
        for check, right in right_answers(lab, student, key, files):
            answers |= {n: value for n, value in right.items() if n not in answers}
            for name in (*check.predictions, *check.own_predictions):
                ends = answers[name]
                answers[name] = ends if isinstance(ends, list) else [ends, ends]
        files[lab.answers] = json.dumps(answers, indent=1)
    return files


def right_answers(
    lab: Lab, student: str, key: bytes, files: Files | None = None
) -> Iterator[tuple[Check, Mapping[str, float | list[float]]]]:
    """Each check, and the right answers by name for this student.

    Arguments:
        lab: the lab. student, key: for the variant.
        files: on whose classes is measured what students measure on their own; the solution's.
    """
    checks = lab.checks(whole(lab, student, key))
    measured = any(check.asks and check.measured_classes for check in checks)
    ours = Submitted(codes=_codes(lab, files or files_of(lab, "solution")) if measured else {})
    for check in checks:
        yield check, check.right(ours)


def starter(lab: Lab) -> Files:
    """The files with which students begin."""
    return files_of(lab, "starter")


def mutants(lab: Lab) -> list[Mutant]:
    """The mutants of ``mutants.toml``.

    Each is the solution with a change. ``change`` is a list of pairs: a text, of which the first
    occurrence is replaced, and its replacement; ``everywhere`` replaces all occurrences, and comes
    first. Or ``text`` replaces the whole file. ``file`` names the file, by default the one in the
    language. ``answers`` replaces single answers.

    Raises:
        LabError: there is no mutants.toml, or a change does not fit the solution.
    """
    path = Path(lab.folder) / MUTANTS
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LabError(f"{path} cannot be read: {error}") from error
    strange = document.keys() - {"mutant", "right", "equivalent"}
    if strange:
        known = "[[mutant]], [[right]] or [[equivalent]]"
        raise LabError(f"{path}: unknown key {', '.join(sorted(strange))}; write {known}")
    right = files_of(lab, "solution")
    return [_mutant(lab, raw, right) for raw in document.get("mutant", [])]


def mutated(lab: Lab, right: Files, mutant: Mutant) -> Files:
    """A solution's files with a mutant's changes."""
    return answered(lab, right | mutant.files, mutant.answers)


def answered(lab: Lab, files: Files, answers: dict[str, Any]) -> Files:
    """A submission's files with other answers."""
    if not answers:
        return files
    return files | {lab.answers: json.dumps(json.loads(files[lab.answers]) | answers)}


def findings(
    lab: Lab, files: Files, student: str, key: bytes, only: str = ""
) -> list[tuple[Check, Finding]]:
    """Each check's finding in files of the lab. Only a C part needs a sandbox; Python runs here.

    Arguments:
        lab: whose checks. files: a submission. student, key: for the variant.
        only: the name of one check to run, whatever it needs; "" for all, where a check is skipped
            if a check that it needs has not passed.

    Raises:
        CompileError: the file in the language does not compile.
        SandboxError: there is a C part, and no sandbox.
    """
    checks = lab.checks(whole(lab, student, key))
    texts = json.loads(files.get(lab.answers, "{}"))
    words = {n for c in checks for n in c.asks_words}
    codes = _codes(lab, files)
    bad = refused_by(lab, codes)
    submitted = Submitted(
        codes={name: code for name, code in codes.items() if name not in bad},
        refused=bad,
        proven={} if only else proofs(checks),
        answers={k: v if isinstance(v, list) else [v] for k, v in texts.items() if k not in words},
        texts={k: v for k, v in texts.items() if k in words},
        files={name: files[name].encode() for name in lab.data if name in files},
        scenarios=read(files[lab.tests].encode()) if lab.tests in files else (),
    )
    compiled = _compiled(lab, files, [c for c in checks if only in ("", c.name)])
    refused = compiled if isinstance(compiled, Refused) else None
    if isinstance(compiled, Compiled):
        submitted = replace(submitted, c=compiled)
    passed: set[str] = set()
    judged: list[tuple[Check, Finding]] = []
    for check in checks:
        if only in ("", check.name):
            skipped = not only and not {*check.needs} <= passed
            finding = Finding("skipped") if skipped else _judged(check, submitted, refused)
            passed |= {check.name} if check.opens(finding) else set()
            submitted = submitted.after(check, finding)
            judged.append((check, finding))
    final = without_violated(judged)
    return [(check, finding) for (check, _), finding in zip(judged, final, strict=True)]


def files_of(lab: Lab, name: str) -> Files:
    """The texts of one of a lab's folders, by name.

    Arguments:
        lab: the lab. name: "solution" or "starter".

    Raises:
        LabError: there is no such folder.
    """
    folder = Path(lab.folder) / name
    if not folder.is_dir():
        raise LabError(f"{lab.name} has no {name}/")
    return {p.name: p.read_text(encoding="utf-8") for p in sorted(folder.iterdir()) if p.is_file()}


def write(files: Files, folder: Path) -> Path:
    """Write a submission's files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _codes(lab: Lab, files: Files) -> dict[str, ClassCode]:
    return compile_source(files[lab.locks], f"<{lab.locks}>") if lab.locks in files else {}


def _judged(check: Check, submitted: Submitted, refused: Refused | None) -> Finding:
    if check.part == "c" and submitted.c is None:
        if refused is None:
            return Finding("no_output")
        return Finding(refused.verdict, message=refused.message)
    return check.judge(submitted, "namespaces" if check.part == "c" else "unconfined")


def _compiled(lab: Lab, files: Files, checks: list[Check]) -> Compiled | Refused | None:
    """The C part, or why it is refused; None if no check needs it or it is missing."""
    tools = {t for c in checks for t in c.tools}
    if not tools or lab.c not in files:
        return None
    data, about = files[lab.c].encode(), interface(lab.interface)
    try:
        return compile_c(data, lab.c, about, tools, "namespaces")
    except Refused as error:
        return error


def _mutant(lab: Lab, raw: dict[str, Any], right: Files) -> Mutant:
    try:
        name, file, answers = raw["name"], raw.get("file", lab.locks), raw.get("answers", {})
        files = {}
        if not answers or raw.keys() & {"change", "everywhere", "text"}:
            text, where = raw.get("text") or right[file], f"{lab.name}, mutant '{name}'"
            files[file] = changed(text, raw.get("change", []), where, raw.get("everywhere", []))
        belief = raw["misconception"]
        if belief and lab.misconceptions:
            belief = lab.misconceptions[belief].belief
        return Mutant(name, files, raw["check"], raw["verdict"], belief, answers)
    except KeyError as error:
        raise LabError(
            f"{lab.name}, mutant '{raw.get('name', '?')}': {error} is missing"
        ) from error
