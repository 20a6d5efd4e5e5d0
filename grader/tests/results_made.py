"""Results made up for tests of what is made of them; student's texts in them are hostile."""

from __future__ import annotations

from typing import Any

from lockgrader.result import CheckResult, Curve, Result, Row

EVIL = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>&\"'"


def step(thread: int, operation: str, word: str, was: str, becomes: str) -> dict[str, Any]:
    """A step of a counterexample, as the checker writes it."""
    return {
        "thread": thread,
        "action": "run",
        "choice": 0,
        "operation": operation,
        "word": word,
        "address": 0,
        "old": 0,
        "new": 1,
        "was": was,
        "becomes": becomes,
        "file": "tas.py",
        "line": 3,
        "method": "acquire",
        "source": EVIL,
        "marks": ["acquired lock"],
        "buffers": [[], []],
        "behind": 0,
    }


def counterexample(word: str = f"lock.{EVIL}") -> dict[str, Any]:
    """Two threads come in, over a word with any name."""
    steps = [step(0, "load", word, "0", "0"), step(1, "load", word, "0", "0")]
    return {
        "found": "exclusion",
        "message": "both are inside",
        "steps": steps,
        "threads": 2,
        "cycle": None,
        "victim": -1,
    }


def check(
    name: str, verdict: str = "pass", points: float | None = None, **more: Any
) -> CheckResult:
    """A check worth four points; a pass earns them all."""
    earned = (4.0 if verdict == "pass" else 0.0) if points is None else points
    given = {"title": f"Title of {name}", "verdict": verdict, "points": earned, "max_points": 4.0}
    return CheckResult(name=name, **(given | more))


def result(student: str = "ada", *checks: CheckResult, **more: Any) -> Result:
    """A complete result."""
    given: dict[str, Any] = {
        "lab": "lab02-spinlocks",
        "submission_sha256": "0" * 64,
        "lab_sha256": "1" * 64,
        "versions": {"locklab": "0.1.0"},
        "seeds": {"cheap": 1},
        "complete": True,
        "replay": "locklab grade /srv/labs/lab02 /srv/in/ada --student ada",
    }
    return Result(student=student, checks=checks, **(given | more))


def curve(**more: Any) -> Curve:
    """Three points, a band and a reference."""
    given: dict[str, Any] = {
        "what": "time per critical section",
        "unit": "ns",
        "name": "MCS",
        "x": (8, 16, 32),
        "y": (10.0, 20.0, 45.0),
        "low": (9.0, 9.0, 9.0),
        "high": (12.0, 24.0, 48.0),
        "reference": (11.0, 22.0, 46.0),
        "reference_name": "Ticket",
    }
    return Curve(**(given | more))


def rich_result(student: str = "ada") -> Result:
    """One check of every sort, with hostile texts wherever a student's can stand."""
    row = Row(
        what=f"transfers {EVIL}", got=4.5, low=1.0, high=3.0, says="too big, by 1.5", share=0.4
    )
    return result(
        student,
        check("right", "fail", message=f"no: {EVIL}\n{EVIL}", counterexample=counterexample(),
              misconception="two steps are one", hint="look again"),
        check("cheap", "partial", 1.5, rows=(row,), curve=curve(name=EVIL)),
        check("fair", curve=curve()),
        check("why", points=0.0, max_points=0.0, answer=f"because {EVIL}"),
        check("later", "skipped", message="'right' comes first"),
        check("ours", "grader_error", message="Traceback: /srv/secret/path"),
        check("secret-one", "fail", public=False, message="secret number 4711", max_points=7.0),
        check("told", "pass", public=False, revealed=True, message="told number 42"),
    )  # fmt: skip
