"""What a function of the student's own earns, and what is said of one that fails."""

from typing import Any

import pytest
from pydantic import ValidationError

from lockgrader.finding import Finding
from lockgrader.kinds.function import Function
from lockgrader.submitted import Submitted

TABLES: dict[str, Any] = {
    "tables": {"rows": {"table": "franke-2001/overhead", "where": {"rooms": 10, "messages": 100}}},
    "wanted": {"table": "franke-2001/overhead", "where": {"rooms": 10, "messages": 100}},
}
TRACE: dict[str, Any] = {"lock": "ticket", "machine": "ideal-8", "cpus": 1, "acquisitions": 12}


def check(**more: Any) -> Function:
    """A check of ``f`` in ``own.py``."""
    base = {"name": "own", "title": "Own", "kind": "function", "file": "own.py", "function": "f"}
    return Function.model_validate({**base, "points": 4, **(more or TABLES)})


def judged(text: str, made: Function | None = None) -> Finding:
    """The finding of a file, run here: it is ours."""
    submitted = Submitted(files={"own.py": text.encode()})
    return (made or check()).judge(submitted, "unconfined")


def test_right_rows_pass_in_any_order() -> None:
    """Rows are found by their keys; a key that is not wanted does not matter."""
    text = "def f(rows):\n    return [dict(r, extra=1) for r in reversed(rows)]"
    assert ("pass", 1.0) == (judged(text).verdict, judged(text).share)


def test_half_of_the_rows_earns_half() -> None:
    """Missing rows are named."""
    finding = judged("def f(rows):\n    return rows[:2]")
    assert ("partial", 0.5) == (finding.verdict, finding.share)
    assert "2 of 4 numbers are right" in finding.message
    assert "not returned: rooms 10, messages 100, cpus 4" in finding.message


@pytest.mark.parametrize(
    ("text", "verdict", "says"),
    [
        ("def f(rows):\n    return []", "no_output", "f() returns nothing yet"),
        ("def f(rows):\n\n    return 1 / 0", "student_error", "own.py, line 3: ZeroDivisionError"),
        ("def f(rows:", "student_error", "own.py, line 1: SyntaxError"),
        ("def g(): pass", "student_error", "there is no function f()"),
        ("def f(rows):\n    return 7", "malformed_output", "must return a list of rows"),
        ("def f(rows):\n    return [{'value': 'x'}]", "malformed_output", "must give a number"),
        (
            "def f(rows):\n    return [{'value': 1}]",
            "malformed_output",
            "must give the key 'rooms'",
        ),
        ("def f(rows):\n    return float('nan')", "malformed_output", "not a finite number"),
        ("import os\nos._exit(0)", "no_output", "ended before f() returned"),
        ("import lockgrader", "student_error", "ModuleNotFoundError"),
        ("def f(rows):\n    print('{}')\n    return rows", "pass", ""),
    ],
)
def test_what_is_said(text: str, verdict: str, says: str) -> None:
    """One sentence, with the line where there is one; what is printed does not count."""
    finding = judged(text)
    assert verdict == finding.verdict, finding.message
    assert says in finding.message


def test_missing_file() -> None:
    """Nothing is handed in."""
    assert "no_output" == check().judge(Submitted()).verdict


def test_tag_is_the_first_wrong_column() -> None:
    """A lab names beliefs by the column."""
    made = check(trace=TRACE, columns=["total", "con"])
    finding = judged("def f(events, cpus, begin_ns, end_ns):\n    return {'con': 0}", made)
    assert ("partial", "total") == (finding.verdict, finding.tag)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"trace": TRACE, **TABLES},
            "in exactly one way what is right: give trace, trials, numbers or wanted",
        ),
        (
            {"tables": TABLES["tables"]},
            "in exactly one way what is right: give trace, trials, numbers or wanted",
        ),
        (
            {"trace": TRACE, "plain": {"a": 1}},
            "with a trace or with trials the function gets no other arguments: remove 'plain'",
        ),
    ],
)
def test_what_is_right_is_said_once(more: dict[str, Any], says: str) -> None:
    """A trace, numbers or rows; and a trace comes alone."""
    with pytest.raises(ValidationError, match=says):
        check(**more)


def test_numbers_by_name() -> None:
    """Values are given as they are; a formula is computed."""
    right = {"twice": {"formula": "2 * a", "where": {"a": 21}}, "same": 4}
    made = check(plain={"a": 21, "word": "x"}, numbers=right)
    finding = judged("def f(a, word):\n    return {'twice': 2 * a, 'same': 4}", made)
    assert "pass" == finding.verdict


def test_a_table_of_a_machine_that_nobody_has_measured() -> None:
    """All values are multiplied, and rows of measure and value count as numbers by name."""
    text = "def f(rows):\n    return [dict(measure='sum', value=sum(r['value'] for r in rows))]"
    cells = {"table": "franke-2001/overhead", "where": {"rooms": 10, "messages": 100}}
    whole = sum(r["value"] for r in check().arguments()[0]["rows"])
    asked = {"tables": {"rows": {**cells, "times": 0.5}}, "numbers": {"sum": whole / 2}}
    assert "pass" == judged(text, check(**asked)).verdict
    finding = judged(text, check(**{**asked, "numbers": {"sum": whole}}))
    assert ("fail", "sum: too small, by a factor below 3") == (
        finding.verdict,
        finding.message.rpartition("; ")[2],
    )


TWICE = {"numbers": {"twice": {"formula": "2 * a", "where": {"a": 21}}}, "plain": {"a": 21}}
OTHER = {"numbers": {"twice": 10}, "plain": {"a": 5}}
RIGHT = "def f(a):\n    return {'twice': 2 * a}"
CONSTANT = "def f(a):\n    return {'twice': 42}"
TABLE = "def f(a):\n    return {'twice': {21: 42, 5: 10}.get(a, 0)}"


@pytest.mark.parametrize(
    ("text", "verdict", "says"),
    [
        (RIGHT, "pass", ""),
        (
            CONSTANT,
            "fail",
            "with the arguments of call 2 ('lab given' writes NAME-2): 0 of 1 numbers",
        ),
        (TABLE, "fail", "right for the arguments that you can see; with other arguments: "),
    ],
)
def test_the_worst_call_counts(text: str, verdict: str, says: str) -> None:
    """Who knows the numbers of some calls by heart earns nothing."""
    hidden = {"numbers": {"twice": 14}, "plain": {"a": 7}}
    finding = judged(text, check(**TWICE, also=[OTHER], hidden_calls=[hidden]))
    assert verdict == finding.verdict
    assert finding.message.startswith(says)
    assert (text == TABLE) == (finding.tag == "by-heart")


def test_students_see_the_public_calls_only() -> None:
    """In their order."""
    made = check(
        **TWICE, also=[OTHER], hidden_calls=[{"numbers": {"twice": 14}, "plain": {"a": 7}}]
    )
    assert [{"a": 21}, {"a": 5}] == made.arguments()


def test_rows_of_another_machine() -> None:
    """Several tables stand one behind the other; values are multiplied and increased."""
    kernel = [
        {"table": "franke-2001/chatroom", "where": {"kernel": k}} for k in ("vanilla", "selinux")
    ]
    slower = {"formula": "n / 100", "where": {"n": 80}}
    made = check(
        tables={"rows": [kernel[0], {**kernel[1], "times": slower}]},
        wanted={"table": "franke-2001/overhead", "times": slower, "plus": 20},
        tolerance=0.0005,
    )
    text = """def f(rows):
    of = {(r["kernel"], r["rooms"], r["messages"], r["cpus"]): r["value"] for r in rows}
    keys = ("rooms", "messages", "cpus")
    return [
        dict(zip(keys, k[1:]), value=100 * (v - of[("selinux", *k[1:])]) / v)
        for k, v in of.items() if k[0] == "vanilla"
    ]"""
    assert "pass" == judged(text, made).verdict
    assert "fail" == judged(text.replace("(v -", "0.5 * (v -"), made).verdict
