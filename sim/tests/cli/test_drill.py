"""Tests of `locklab drill`: asked and answered, revealed, as JSON, and refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import locklab
from locksim.cli.drill import app

RUN = CliRunner()
TRANSFERS = ["transfers", "--seed", "3"]


def test_it_asks_and_explains() -> None:
    """A right answer ends with 0, a wrong one with 1; both are explained."""
    right = RUN.invoke(app, TRANSFERS, input="5\n")
    assert 0 == right.exit_code
    assert "right: 5" in right.stdout
    wrong = RUN.invoke(app, [*TRANSFERS, "--answer", "4"])
    assert 1 == wrong.exit_code
    assert "wrong; the answer is 5" in wrong.stdout
    assert "1. CPU 1 counts up: 1 transfer" in wrong.stdout


def test_it_explains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an answer, when it is asked to; and without a seed one is drawn."""
    assert "the answer is 5" in RUN.invoke(app, [*TRANSFERS, "--explain"]).stdout
    monkeypatch.setattr("locksim.cli.drill.secrets.randbelow", lambda most: most - 17)
    assert 999_983 == json.loads(RUN.invoke(app, ["transfers", "--json"]).stdout)["seed"]


def test_json_keeps_the_answer_until_it_is_asked_for() -> None:
    """A quiz that is drawn holds no answer."""
    posed = json.loads(RUN.invoke(app, [*TRANSFERS, "--json"]).stdout)
    assert {"kind", "seed", "question", "form"} == set(posed)
    told = json.loads(RUN.invoke(app, [*TRANSFERS, "--json", "--answer", "4"]).stdout)
    assert (False, "5") == (told["right"], told["answer"])


def test_a_quiz_is_drawn(tmp_path: Path) -> None:
    """The sheet holds questions only; the key holds the answer to each."""
    sheet = tmp_path / "quiz.md"
    assert 0 == RUN.invoke(app, [*TRANSFERS, "--out", str(sheet), "--count", "2"]).exit_code
    asked, key = sheet.read_text("utf-8"), (tmp_path / "quiz-key.md").read_text("utf-8")
    assert asked.count("How many line transfers") == 2 == key.count("\n**")
    assert "## 1 (--seed 3)\n\n**5**" in key
    assert "CPU 1 counts up: 1 transfer" not in asked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["drill", "tos"], "unknown drill 'tos'; "),
        (["drill", *TRANSFERS, "--answer", "five"], "'five' is not an answer; type a number"),
        (["drill", "tso", "--seed", "-1"], "--seed must be between 0 and"),
        (["drill", *TRANSFERS, "--out", "quiz.pdf"], "must be a file that ends in .md"),
        (["drill", *TRANSFERS, "--out", "quiz.md", "--count", "0"], "--count must be between 1"),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One error on stderr, exit code 2."""
    assert 2 == locklab.main(arguments)
    assert message in capsys.readouterr().err
