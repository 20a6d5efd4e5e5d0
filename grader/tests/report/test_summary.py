"""The instructor's page: who failed alike, who could not be graded, what to look at."""

from __future__ import annotations

from elements import Elements
from results_made import EVIL, check, counterexample, result, rich_result

from lockgrader.report.groups import by_counterexample, by_misconception, suspicions
from lockgrader.report.summary import summary
from lockgrader.result import FITS_OTHER, Result


def failed(student: str, word: str, sha: str = "") -> Result:
    """A student whose lock was broken over a word."""
    told = counterexample(word)
    more = {"counterexample": told, "misconception": f"about {word}", "message": "broken"}
    return result(
        student, check("right", "fail", **more), submission_sha256=(sha or student[0]) * 64
    )


def test_identical_counterexamples_are_one_group() -> None:
    """The largest first; source lines do not matter, words do."""
    results = [failed("ada", "lock.a"), failed("bob", "lock.b"), failed("eve", "lock.b")]
    groups = by_counterexample(results)
    assert [["bob", "eve"], ["ada"]] == [g.students for g in groups]
    assert ["about lock.b", "about lock.a"] == [g.what for g in by_misconception(results)]


def test_identical_submissions_are_reported() -> None:
    """Byte for byte; what could not be read is not identical to anything."""
    same = [failed("ada", "x", "7"), failed("bob", "y", "7"), failed("eve", "z", "8")]
    unread = [result("x", check("a", "ungradable")), result("y", check("a", "ungradable"))]
    assert [("ada", "bob")] == [s.students for s in suspicions(same + unread)]


def test_a_shared_file_is_told_once() -> None:
    """Equal locks beside different answers are reported; equal submissions only as a whole."""
    results = [
        result(name, submission_sha256=sha * 64, files={"tas.py": lock * 64, "answers.json": sha})
        for name, sha, lock in (("ada", "1", "a"), ("bob", "2", "a"), ("eve", "3", "b"))
        + (("ida", "4", "c"), ("joe", "4", "c"))
    ]
    told = [(s.students, s.what) for s in suspicions(results)]
    assert [
        (("ida", "joe"), "handed in the same files, byte for byte"),
        (("ada", "bob"), "handed in the same tas.py, byte for byte"),
    ] == told


def test_answers_of_others_are_told_with_their_owners() -> None:
    """The variant, and who in the batch has it."""
    wrong = check("n", "fail", elsewhere=("machine = m2, cpus = 24", "machine = m3, cpus = 24"))
    own = {"machine": "m1", "cpus": 20}
    results = [
        result("ada", wrong, variant=own, submission_sha256="2" * 64),
        result("bob", variant={"machine": "m2", "cpus": 24}, submission_sha256="3" * 64),
        result("eve", variant={"machine": "m2", "cpus": 20}, submission_sha256="4" * 64),
    ]
    (one,) = suspicions(results)
    assert (("ada",), ("bob",)) == (one.students, one.others)
    assert f"Title of n: {FITS_OTHER} (machine = m2, cpus = 24; or machine = m3, cpus = 24)" == (
        one.what
    )


def test_page_is_harmless_and_whole() -> None:
    """No element from a student's text, no script, a link to each page of feedback."""
    page = summary([rich_result(EVIL), failed("bob & co", "lock.a"), failed("=1+1", "lock.a")])
    elements = Elements(page)
    assert ([], []) == (elements.all("script"), elements.all("img"))
    links = {a["href"] for a in elements.all("a")}
    assert "./bob%20%26%20co/feedback.html" in links
    assert {True} == {str(link).startswith("./") for link in links}


def test_page_says_who_was_not_graded() -> None:
    """Our fault, the format, and a batch that was interrupted."""
    results = [
        result("ada", check("a", "grader_error", message="Traceback\nOSError: disk full")),
        result("bob", check("a", "ungradable", message="answers.json is a link")),
        result("eve", complete=False),
    ]
    page = summary(results)
    for told in ("OSError: disk full", "answers.json is a link", "grading did not finish"):
        assert told in page


def test_distribution_counts_every_student() -> None:
    """All tenths, with both ends; an internal error fails no student."""
    page = summary(
        [
            result("ada", check("a")),
            result("bob", check("a", "fail")),
            result("eve", check("a", "partial", 2.0)),
            result("ida", check("a", "grader_error")),
        ]
    )
    assert "4 submissions; median 25 %, mean 38 %" in " ".join(page.split())
    assert "33 %" in page


def test_no_results_is_a_page_too() -> None:
    """An empty folder of submissions breaks nothing."""
    assert "0 submissions" in summary([])
