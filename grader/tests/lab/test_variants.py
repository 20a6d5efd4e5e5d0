"""What is drawn for a student, and what is drawn for the grader alone."""

from pathlib import Path

import pytest
from tiny_lab import ANSWERS, KEY, TAS, make_whole, needs_sandbox

from lockgrader.author.bundle import public_files
from lockgrader.author.mutants import write
from lockgrader.grade import grade
from lockgrader.lab import LabError, load
from lockgrader.lab.variants import secrets, variant, whole

FUNCTION = """
[[check]]
name = "twice"
title = "Twice"
kind = "function"
file = "own.py"
function = "f"
plain = { a = 21 }
numbers = { r = 42 }
points = 1
hints = ["two times"]
"""
SECRET = """
[secret.n]
low = 100
high = 999_999

[[call]]
check = "twice"
plain = { a = "$n" }
numbers = { r = { formula = "2 * n", where = { n = "$n" } } }
"""


def lab_with_a_secret(folder: Path) -> Path:
    """The tiny lab with a function that is also called with a secret number."""
    make_whole(folder)
    text = (folder / "lab.toml").read_text().replace("answers =", 'data = ["own.py"]\nanswers =')
    (folder / "lab.toml").write_text(text + FUNCTION)
    hidden = folder / "hidden" / "checks.toml"
    hidden.write_text(SECRET + hidden.read_text())
    return folder


def test_secrets_follow_from_the_key_and_the_variant(tmp_path: Path) -> None:
    """Equal variants have equal ones; without the key nobody can draw them."""
    lab = load(lab_with_a_secret(tmp_path / "lab"))
    own = variant(lab, "ada", KEY)
    assert {"machine"} == own.keys()
    assert secrets(lab, own, KEY) == secrets(lab, dict(own), KEY)
    assert secrets(lab, own, KEY) != secrets(lab, own, b"another key of 16 bytes")
    assert own | secrets(lab, own, KEY) == whole(lab, "ada", KEY)
    assert whole(lab, "ada", KEY) == {**own, **secrets(lab, whole(lab, "ada", KEY), b"")}


def test_students_get_no_secrets(tmp_path: Path) -> None:
    """Neither the values nor the calls are in a bundle."""
    files = public_files(lab_with_a_secret(tmp_path / "lab"))
    assert not [name for name, data in files.items() if b"secret" in data or b"[[call]]" in data]


def test_what_a_secret_must_not_be(tmp_path: Path) -> None:
    """It has a name of its own, and a call belongs to a public check."""
    folder = lab_with_a_secret(tmp_path / "lab")
    hidden = folder / "hidden" / "checks.toml"
    text = hidden.read_text()
    hidden.write_text(text.replace("secret.n", "secret.machine"))
    with pytest.raises(LabError, match=r"have the same name \(machine\)"):
        load(folder)
    hidden.write_text(text.replace('check = "twice"', 'check = "thrice"'))
    with pytest.raises(LabError, match="names no public check: thrice"):
        load(folder)


@needs_sandbox
@pytest.mark.parametrize(
    ("text", "home", "graded"),
    [
        ("def f(a):\n    return {'r': 2 * a}", "pass", "pass"),
        ("def f(a):\n    return {'r': 42}", "pass", "fail"),
    ],
)
def test_a_number_by_heart_is_right_at_home_only(
    tmp_path: Path, text: str, home: str, graded: str
) -> None:
    """The grader calls the function with numbers that the student has never seen."""
    folder = lab_with_a_secret(tmp_path / "lab")
    made = write({"tas.py": TAS, "answers.json": ANSWERS, "own.py": text}, tmp_path / "ada")
    whole_lab = load(folder)
    found = grade(whole_lab, made, student="ada", key=KEY, only=["twice"])
    (check,) = (c for c in found.checks if c.name == "twice")
    assert graded == check.verdict
    assert {"machine"} == found.variant.keys()
    (folder / "hidden" / "checks.toml").unlink()
    at_home = grade(load(folder), made, student="ada", key=KEY, only=["twice"], public_only=True)
    assert [home] == [c.verdict for c in at_home.checks if c.name == "twice"]
