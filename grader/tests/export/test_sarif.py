"""A result as problems at places in a student's files."""

from results_made import check, counterexample, result

from lockgrader.export.sarif import problems
from lockui.sarif import Place, Problem


def test_what_is_right_or_waits_is_no_problem() -> None:
    """Nothing of a student's is to be changed for these."""
    assert [] == problems(result("ada", check("a"), check("b", "skipped")), ["tas.py"])


def test_mistake_stands_at_its_place() -> None:
    """In the file's own name; a message without a place has none."""
    broken = check("a", "student_error", message="<tas.py>:3:5: no\nhelp: yes")
    found = problems(result("ada", broken, check("n", "partial", 1.0, message="late")), ["tas.py"])
    assert [
        Problem("a", "Title of a: no\nhelp: yes", place=Place("tas.py", 3, 5)),
        Problem("n", "Title of n: late", "warning"),
    ] == found


def test_counterexample_leads_there_step_by_step() -> None:
    """The last step is the place; a file that is not the student's gets none."""
    wrong = check("a", "fail", counterexample=counterexample("lock"))
    (found,) = problems(result("ada", wrong), ["tas.py"])
    assert ("a", "Title of a: both are inside") == (found.rule, found.message)
    steps = [Place("tas.py", 3, says="load lock: 0", thread=thread) for thread in (0, 1)]
    assert (steps[-1], tuple(steps)) == (found.place, found.steps)
    (elsewhere,) = problems(result("ada", wrong), [])
    assert {""} == {step.file for step in elsewhere.steps}


def test_internal_error_is_a_note() -> None:
    """It is not the student's, and its text names our files."""
    ours = check("a", "grader_error", message="Traceback\nOSError: full")
    (found,) = problems(result("ada", ours), ["tas.py"])
    says = "Title of a: not decided, and no points are lost: internal error of the grader: OSError"
    assert Problem("a", f"{says}: full", "note") == found
