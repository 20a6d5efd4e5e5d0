"""A student's feedback: one page without network access, for light and dark screens.

The page is made from the result alone. Its policy allows no request and only one script, the player
of counterexamples, by the hash of its text. All text of students is escaped; even if a script got
in, it would not run.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from markupsafe import Markup

from lockgrader.files import replace, reported
from lockgrader.report.board import scored, sign
from lockgrader.report.chart import chart
from lockgrader.report.student import hidden_points, in_words, not_decided, seen_in, withheld
from lockgrader.result import CheckResult, Result, Row
from locksim.checker.play.told import of_told
from locksim.checker.replay.render import divided
from locksim.study.traces import bundle
from locksim.study.traces.page import embedded
from lockui.html_page import environment
from lockui.tables import fixed

FEEDBACK = "feedback.html"
_MOUNT = """
for (const data of document.querySelectorAll("script.counterexample")) {
  const place = document.createElement("div");
  data.after(place);
  mount(place, JSON.parse(data.textContent));
}
"""


def feedback(result: Result) -> str:
    """The page's text."""
    checks = [_parts(c, number) for number, c in enumerate(seen_in(result))]
    open_ones = [c for c in checks if not c["secret"] and c["check"].verdict != "skipped"]
    shows = any(c["steps"] for c in checks)
    script = bundle.script() + _MOUNT if shows else ""
    assert "</script" not in script
    return (
        environment("lockgrader.report")
        .get_template("feedback.html.j2")
        .render(
            title=f"{result.lab}: feedback for {result.student}",
            result=result,
            checks=checks,
            wrong=[c for c in open_ones if c["check"].verdict != "pass"],
            right=[c for c in open_ones if c["check"].verdict == "pass"],
            hidden=hidden_points(result),
            withheld=withheld(result),
            ours=[c for c in checks if c["check"].verdict == "grader_error"],
            board=sign(result) if scored(result) else "",
            policy=_policy(script),
            script=Markup(script),
            player_style=Markup(bundle.style()) if shows else "",
        )
    )


def keep_feedback(folder: Path, result: Result) -> None:
    """Write a result's page beside it, unless the same page is there.

    Raises:
        ResultError: it cannot be written.
    """
    path = folder / FEEDBACK
    with reported(path, "written"):
        replace(path, feedback(result))


def right(row: Row) -> str:
    """The band of a row, in words."""
    if row.low is not None and row.high is not None:
        return f"{fixed(row.low, None)} to {fixed(row.high, None)}"
    if row.high is not None:
        return f"at most {fixed(row.high, None)}"
    return f"at least {fixed(row.low, None)}" if row.low is not None else ""


def _policy(script: str) -> str:
    """A policy without any request and with at most one script, the one with this text."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"'sha256-{digest}'" if script else "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _parts(check: CheckResult, number: int) -> dict[str, Any]:
    """A check as the template needs it."""
    found = not_decided(check) if check.verdict == "grader_error" else check.message
    message, way = divided(found)
    if check.counterexample is None:
        message, _, way = found.partition("\n")
    title = check.title if check.counterexample is not None else ""
    return {
        "check": check,
        "id": f"check-{number}",
        "secret": not (check.public or check.revealed),
        "words": in_words(check),
        "message": message,
        "more": way,
        "rows": [(r, fixed(r.got, None), right(r)) for r in check.rows],
        "chart": None if check.curve is None else chart(check.curve, f"check-{number}"),
        "steps": ""
        if check.counterexample is None
        else Markup(embedded(of_told(check.counterexample, title))),
    }
