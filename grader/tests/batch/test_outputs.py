"""What a batch leaves behind: by the command, whole, and the same when it is started again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from results_made import EVIL
from tiny_lab import LAB, TAS, hand_in, needs_sandbox
from typed import typed

from lockgrader.export.gradebook import Attempt, Gradebook
from lockgrader.result import FITS_OTHER

VARIANT = """
[variant.mine]
choice = [10, 70]
"""
KEY = "a key of sixteen bytes or more"


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    """The arguments of a batch of three: right, hostile, and right for another variant."""
    lab = tmp_path / "the lab"
    lab.mkdir()
    text = LAB.replace("expected = 10.0", 'expected = "$mine"').replace("[[check]]", "%", 1)
    text = text.replace("%", f"{VARIANT}\n[[check]]", 1)
    (lab / "lab.toml").write_text(text + '\n[[check]]\nname = "why"\ntitle = "Why?"\n')
    with open(lab / "lab.toml", "a") as file:
        file.write('kind = "written"\nanswer = "why"\n')
    for name, mine in (("ada", 10), ("=bob & co", 70), ("eve", 0)):
        answers = json.dumps({"n": mine, "why": EVIL})
        hand_in(tmp_path / "in" / name, TAS, answers)
    (tmp_path / "course.key").write_text(KEY)
    arguments = [str(lab), str(tmp_path / "in"), "-o", str(tmp_path / "out of it")]
    return [*arguments, "--key", str(tmp_path / "course.key"), "--jobs", "1"]


@needs_sandbox
def test_batch_leaves_everything(asked: list[str], tmp_path: Path) -> None:
    """Pages, tables, the gradebook; again, and after a file is lost, they are the same."""
    out = tmp_path / "out of it"
    first = typed("grade", *asked, "--json")
    assert (0, 3) == (first.exit_code, len(json.loads(first.stdout)))
    names = ["canvas.csv", "grades.csv", "junit.xml", "moodle.csv", "summary.html"]
    assert {*names, "gradebook.sqlite"} <= {p.name for p in out.iterdir()}
    files = [*(out / n for n in names), *out.glob("*/feedback.html")]
    assert 3 + len(names) == len(files)
    before = {p: p.read_bytes() for p in files}
    (out / "ada/feedback.html").unlink()
    (out / "summary.html").unlink()
    assert 0 == typed("grade", *asked, "--json").exit_code
    assert before == {p: p.read_bytes() for p in files}
    book = Gradebook(f"sqlite:///{out}/gradebook.sqlite")
    with book.session() as session:
        assert [True] * 3 == [a.stands for a in session.query(Attempt)]
    book.close()
    assert "<img" not in (out / "summary.html").read_text()


@needs_sandbox
def test_answers_of_another_variant_are_reported(asked: list[str], tmp_path: Path) -> None:
    """The student reads that another variant fits, the instructor which one; points stay 0."""
    from lockgrader.lab import load
    from lockgrader.lab.variants import variant

    lab = load(Path(asked[0]))
    mine = variant(lab, "mallory", KEY.encode())["mine"]
    other = 80 - int(mine)
    path = hand_in(tmp_path / "alone" / "mallory", TAS, json.dumps({"n": other, "why": ""}))
    key = ["--key", str(tmp_path / "course.key")]
    done = typed("grade", str(lab.folder), str(path), *key, "--json")
    check = json.loads(done.stdout)["checks"][2]
    assert ("fail", [f"mine = {other}"]) == (check["verdict"], check["elsewhere"])
    assert check["message"].endswith(FITS_OTHER)
    explained = typed("grade", str(lab.folder), "--explain", "--student", "mallory", *key, "--json")
    told = json.loads(explained.stdout)
    assert ({"mine": mine}, {"number": mine}) == (told["variant"], told["right"])


def test_unusable_gradebook_is_refused_before_grading(asked: list[str], tmp_path: Path) -> None:
    """A typing mistake is reported before an hour of grading."""
    done = typed("grade", *asked, "--gradebook", "nosuch://host/x")
    assert 2 == done.exit_code
    assert not list((tmp_path / "out of it").glob("*/result.json"))
