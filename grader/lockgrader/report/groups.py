"""Find what students of a batch have in common: equal failures and equal submissions.

Two counterexamples of a check are equal if the same threads do the same operations on the same
words with the same values in the same order. Names of words come from the student. So a group made
the same mistake in the same design, or wrote together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lockgrader.read.submission import UNREADABLE
from lockgrader.report.similar import similar
from lockgrader.result import FITS_OTHER, CheckResult, Result

_STEP = ("thread", "action", "operation", "word", "was", "becomes")


@dataclass
class Group:
    """Students with something in common.

    Arguments:
        what: the common part. check: an example. students: their names.
    """

    what: str
    check: CheckResult
    students: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Suspicion:
    """A reason to ask; it proves nothing.

    Arguments:
        students: concerned. what: the finding. others: students with the matching variant.
    """

    students: tuple[str, ...]
    what: str
    others: tuple[str, ...] = ()


def by_counterexample(results: Sequence[Result]) -> list[Group]:
    """Failures with identical counterexamples, the most frequent first."""
    return _grouped(results, _counterexample, lambda c: f"{c.title}: {_found(c)}")


def by_misconception(results: Sequence[Result]) -> list[Group]:
    """Failures that name the same misconception, the most frequent first."""
    return _grouped(results, lambda c: c.misconception or None, lambda c: c.misconception)


def suspicions(results: Sequence[Result]) -> list[Suspicion]:
    """Equal and similar submissions, answers right for another variant, late predictions."""
    same = [*_identical(results)]
    equal = {frozenset(s.students) for s in same}
    alike = [
        Suspicion(a.students, f"{a.what}: alike ({100 * a.share:.0f} % of what is rare)")
        for a in similar(results)
        if not any(equal_ones >= set(a.students) for equal_ones in equal)
    ]
    return [*same, *alike, *_right_for_others(results), *_predicted_again(results)]


def _grouped(
    results: Sequence[Result],
    key: Callable[[CheckResult], Hashable],
    what: Callable[[CheckResult], str],
) -> list[Group]:
    groups: dict[Hashable, Group] = {}
    for result in results:
        for check in result.checks:
            found = key(check)
            if found is not None:
                group = groups.setdefault(found, Group(what(check), check))
                if result.student not in group.students:
                    group.students.append(result.student)
    return sorted(groups.values(), key=lambda g: -len(g.students))


def _counterexample(check: CheckResult) -> Hashable:
    example = check.counterexample
    if example is None:
        return None
    steps: list[dict[str, Any]] = example.get("steps", [])
    return check.name, example.get("found"), tuple(tuple(s.get(k) for k in _STEP) for s in steps)


def _found(check: CheckResult) -> str:
    return check.message.partition("\n")[0]


def _identical(results: Sequence[Result]) -> Iterator[Suspicion]:
    """Students with equal files, and students with one equal file."""
    seen = set()
    for what, key in (("the same files", _whole), ("the same {}", _each)):
        same: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for result in results:
            for one in key(result):
                same[one].append(result.student)
        for (_, name, _), students in same.items():
            if len(students) > 1 and tuple(students) not in seen:
                seen.add(tuple(students))
                yield Suspicion(tuple(students), f"handed in {what.format(name)}, byte for byte")


def _whole(result: Result) -> Iterator[tuple[str, str, str]]:
    if result.submission_sha256 != UNREADABLE:
        yield result.lab, "", result.submission_sha256


def _each(result: Result) -> Iterator[tuple[str, str, str]]:
    for name, sha256 in result.files.items():
        yield result.lab, name, sha256


def _right_for_others(results: Sequence[Result]) -> Iterator[Suspicion]:
    for result in results:
        for check in result.checks:
            fitting = {v for variant in check.elsewhere for v in _with(results, result, variant)}
            if check.elsewhere:
                what = f"{check.title}: {FITS_OTHER} ({'; or '.join(check.elsewhere)})"
                yield Suspicion((result.student,), what, tuple(sorted(fitting)))


def _predicted_again(results: Sequence[Result]) -> Iterator[Suspicion]:
    for result in results:
        for check in result.checks:
            if check.changed:
                what = f"{check.title}: changed after the first measurement ({check.changed})"
                yield Suspicion((result.student,), f"{what}; it costs no points")


def _with(results: Iterable[Result], one: Result, variant: str) -> Iterator[str]:
    """The other students with this variant."""
    wanted = set(variant.split(", "))
    for result in results:
        own = {f"{name} = {value}" for name, value in result.variant.items()}
        if result.lab == one.lab and result.student != one.student and wanted <= own:
            yield result.student
