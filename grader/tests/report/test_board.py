"""The leader board: places, equal scores, and no name unless names are asked for."""

from results_made import EVIL, check, result

from lockgrader.export import FORMATS
from lockgrader.report.board import Line, boards, sign
from lockgrader.report.feedback import feedback
from lockgrader.report.summary import summary
from lockgrader.result import Result

SCORES = {"ada": 1.5, "bob": 2.0, "eve": 1.5, "joe": None}


def class_of(scores: dict[str, float | None]) -> list[Result]:
    """A result for each score; None is a student whose check was not judged."""
    return [
        result(name, check("rank", score=score, title=f"Rank {EVIL}"), submission_sha256=sha * 64)
        for (name, score), sha in zip(scores.items(), "1234", strict=True)
    ]


def test_places() -> None:
    """The best first, equal ones share a place, who has no score is not on it."""
    (board,) = boards(class_of(SCORES), named=True)
    assert (Line(1, "bob", 2.0), Line(2, "ada", 1.5), Line(2, "eve", 1.5)) == board.lines


def test_without_names() -> None:
    """Each student knows their own line alone."""
    results = class_of(SCORES)
    (board,) = boards(results)
    assert ["222222", "111111", "333333"] == [line.who for line in board.lines]
    assert "your submission is 111111" in feedback(results[0])
    assert "leader board" not in feedback(results[3])
    page = section(summary(results))
    assert "222222" in page
    assert [] == [name for name in SCORES if name in page]
    assert sign(results[1]) == "222222"


def test_with_names_where_asked_for() -> None:
    """A format of its own; the titles of a lab are escaped."""
    (page,) = FORMATS["named"].files(class_of(SCORES)).values()
    assert [True] * 3 == [name in section(page) for name in ("ada", "bob", "eve")]
    assert "<img" not in page


def test_a_lab_without_scores_has_no_board() -> None:
    """Nothing is said of one."""
    assert "Leader board" not in summary([result("ada", check("right"))])


def section(page: str) -> str:
    """The part of the summary that is the board."""
    return page.partition("Leader board")[2].partition("<h2")[0]
