"""Programs of a second reader, who asked by the options of ``locklab check``.

``unseen/options/verdicts.csv`` has a line for each question: what the reader thought and why, what
the command says, and the reason where they differ. ``docs/explain/checker.md`` sums it up.
"""

import csv
import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locksim.cli.check import app

FOLDER = Path(__file__).with_name("unseen") / "options"
with (FOLDER / "verdicts.csv").open(newline="") as table:
    QUESTIONS = list(csv.DictReader(table))


def questions():
    """All of them; the normal run asks every twentieth."""
    for k, row in enumerate(QUESTIONS):
        marks = [pytest.mark.slow] * (k % 20 != 0)
        yield pytest.param(row, id=f"{row['name']} {row['options']}", marks=marks)


@pytest.mark.parametrize("row", [*questions()])
def test_verdict(row, monkeypatch):
    """The command's verdict, and the kind of what is found."""
    monkeypatch.chdir(FOLDER)
    program = f"{row['name']}.py:{row['class']}"
    options = ["--max-time", "60s", "--json", *shlex.split(row["options"])]
    result = CliRunner().invoke(app, [program, *options])
    answer = json.loads(result.stdout)
    assert row["verdict"] == f"{answer['verdict']} {answer['found']}".strip()
    code = {"violated": 1, "unfinished": 3}.get(answer["verdict"], 0)
    assert code == result.exit_code


def test_where_thought_and_verdict_differ_there_is_a_reason():
    """No difference goes without a word."""
    differ = [
        row
        for row in QUESTIONS
        if row["thought"] not in (row["verdict"], row["verdict"].split()[0])
        or (row["thought"], row["verdict"]) == ("proven", "proven within limits")
    ]
    assert [row["name"] for row in differ if not row["because"]] == []
