"""``junit.xml``: a test suite for each student and a test case for each check, for CI servers.

A check that has not passed is a ``failure`` with the verdict as its type, also with partial credit
(the points are among the properties). ``grader_error`` is an ``error``. A check that waits for
another is ``skipped``. Characters that XML does not allow are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from lockgrader.result import CheckResult, Result

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def files(results: Sequence[Result]) -> dict[str, str]:
    """The document."""
    results = [r for r in results if not r.absent]
    root = ElementTree.Element(
        "testsuites", {"name": "locklab"} | _counts(c for r in results for c in r.checks)
    )
    for result in results:
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            {
                "name": _text(result.student),
                **_counts(result.checks),
                "time": f"{result.measured.get('seconds', 0.0):.3f}",
            },
        )
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in (
            ("lab", result.lab),
            ("points", f"{result.points:g}"),
            ("max_points", f"{result.max_points:g}"),
            ("submission_sha256", result.submission_sha256),
        ):
            ElementTree.SubElement(properties, "property", name=name, value=_text(value))
        for check in result.checks:
            _case(suite, result, check)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return {"junit.xml": f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'}


def _case(suite: ElementTree.Element, result: Result, check: CheckResult) -> None:
    classname = f"{result.lab}.{result.student}"
    case = ElementTree.SubElement(
        suite, "testcase", classname=_text(classname), name=check.name, time="0"
    )
    kind = {"grader_error": "error", "skipped": "skipped", "pass": ""}.get(check.verdict, "failure")
    if kind:
        points = f"{check.points:g} of {check.max_points:g} points"
        outcome = ElementTree.SubElement(case, kind, message=f"{check.title}: {points}")
        outcome.set("type", check.verdict)
        outcome.text = _text(check.message)


def _counts(checks: Iterable[CheckResult]) -> dict[str, str]:
    verdicts = [c.verdict for c in checks]
    ours, waiting = verdicts.count("grader_error"), verdicts.count("skipped")
    failed = len(verdicts) - verdicts.count("pass") - ours - waiting
    counted = {"tests": len(verdicts), "failures": failed, "errors": ours, "skipped": waiting}
    return {name: str(number) for name, number in counted.items()}


def _text(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
