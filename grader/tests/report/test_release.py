"""Points that a course withholds: what students see before and after, by a given clock."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from results_made import check, result, rich_result
from typed import typed

from lockgrader.export import FORMATS
from lockgrader.mark import Late, Mark
from lockgrader.report.feedback import feedback
from lockgrader.report.summary import summary
from lockgrader.result import Result, keep

RELEASE = "2026-12-01T00:00:00+01:00"
MOMENT = datetime(2026, 11, 30, 23, tzinfo=UTC)


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second before the release."""
    monkeypatch.setattr("lockgrader.clock.now", lambda: MOMENT - timedelta(seconds=1))


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment of the release."""
    monkeypatch.setattr("lockgrader.clock.now", lambda: MOMENT)


def made() -> Result:
    """A result with checks of every sort, a mark and lateness."""
    late = Late(due="d", handed_in="h", days=1, excused=0, share=0.5)
    given = Mark(
        check="fair", points=3.25, reason="3.25 for care", by="ann", submission_sha256="0" * 64
    )
    known = rich_result().with_marks([given])
    return known.model_copy(update={"release": RELEASE, "late": late})


@pytest.mark.usefixtures("before")
def test_a_page_without_points() -> None:
    """Verdicts of public checks, and neither a number of points nor a hidden check."""
    page = feedback(made())
    assert "Points and hidden checks are shown from 2026-12-01 00:00:00+01:00 on." in page
    assert "not right yet" in page
    for secret in ("points</p>", 'number">points', "secret-one", "told number 42", "3.25", "total"):
        assert secret not in page.partition("<main>")[2], secret


@pytest.mark.usefixtures("after")
def test_a_page_from_then_on() -> None:
    """The page that there is without a release."""
    assert feedback(made()) == feedback(made().model_copy(update={"release": ""}))


@pytest.mark.usefixtures("before")
def test_tables_without_points() -> None:
    """An empty cell keeps what a platform has; the instructor's tables and page have all."""
    results = [made(), result("bob", check("a"), release=RELEASE)]
    for name, columns in (("canvas", (5,)), ("moodle", (2, 4))):
        (text,) = FORMATS[name].files(results).values()
        rows = [*csv.reader(text.splitlines())]
        assert {""} == {row[n] for row in rows[-2:] for n in columns if n < len(row)}, name
        assert "3.25" not in text
        assert "secret-one" not in text
    (text,) = FORMATS["moodle"].files([made()]).values()
    assert " on; " in text
    (text,) = FORMATS["csv"].files(results).values()
    assert "3.25" in text
    assert "secret-one" in summary(results)
    assert "Students see their points and hidden checks from 2026-12-01" in summary(results)
    for text in FORMATS["gradescope"].files(results).values():
        document = json.loads(text)
        shown = {document["visibility"], *(t["visibility"] for t in document["tests"])}
        assert {"after_published"} == shown - {"hidden"}
        assert "secret-one" not in document["output"]


@pytest.mark.usefixtures("before")
def test_the_clock_is_stated(tmp_path: Path) -> None:
    """With the release, so that a wrong clock is seen."""
    keep(tmp_path / "ada", made())
    done = typed("grade", "export", str(tmp_path), "--to", "html")
    says = (
        "lab02-spinlocks: students see points from 2026-12-01 00:00:00+01:00 on; this machine's "
        "clock says 2026-11-30 22:59+00:00."
    )
    assert (0, True) == (done.exit_code, says in done.stderr), done.stderr
