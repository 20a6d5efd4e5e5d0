"""Mutants that lint makes from a solution: which, what they are, and what becomes of them."""

from pathlib import Path

from tiny_lab import KEY, TAS, make_whole

from lockgrader.author.lint import _grade, _made, _Task
from lockgrader.author.made import equivalents, made
from lockgrader.lab import load
from lockgrader.lab.variants import whole

SOLUTION = f"""{TAS}

class Base(Lock):
    next = word()
    serving = word()
    most = param(9)

    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        if mine > self.most:
            yield pause()
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + 1, RELEASE)


class Ticket(Base):
    pass
"""
CHECKS = """
[[check]]
name = "{lower}-right"
title = "{name}"
kind = "proven"
lock = "{name}"
points = 1
hints = ["x"]
"""
FUNCTION = """
[[check]]
name = "twice"
title = "Twice"
kind = "function"
file = "own.py"
function = "f"
plain = {{ a = 21 }}
numbers = {{ r = 42 }}
points = 1
hints = ["two times"]
{also}
"""
ALSO = "also = [{ plain = { a = 4 }, numbers = { r = 8 } }]"
LISTED = """
[[equivalent]]
name = "{name}"
reason = "as good"
"""


def lab_with_siblings(folder: Path, also: str = ALSO) -> Path:
    """The tiny lab with a ticket lock in two classes, and a function."""
    make_whole(folder)
    text = (folder / "lab.toml").read_text().replace("answers =", 'data = ["own.py"]\nanswers =')
    text += "".join(CHECKS.format(name=n, lower=n.lower()) for n in ("Base", "Ticket"))
    (folder / "lab.toml").write_text(text + FUNCTION.format(also=also))
    (folder / "solution" / "tas.py").write_text(
        SOLUTION.replace("pause, word", "param, pause, word")
    )
    (folder / "solution" / "own.py").write_text("def f(a):\n    return {'r': 2 * a}\n")
    (folder / "starter" / "own.py").write_text("def f(a):\n    return {}\n")
    return folder


def test_each_part_is_replaced(tmp_path: Path) -> None:
    """By siblings, by small words, by numbers, by constants; a flag is a small word already."""
    lab = load(lab_with_siblings(tmp_path / "lab"))
    found = {one.name: one for one in made(lab, lab.checks(whole(lab, "ada", KEY)))}
    assert [
        "TAS := Base", "TAS := Ticket",
        "Base := TAS", "Base := Ticket",
        "Base.next := & 7", "Base.serving := & 7", "Base.most := 9",
        "Ticket := TAS", "Ticket := Base",
        "f := twice",
    ] == [*found]  # fmt: skip
    small = found["Base.serving := & 7"].files["tas.py"]
    assert 2 == small.count("(yield self.serving.load(") == small.count(")) & 7")
    assert "mine > 9:" in found["Base.most := 9"].files["tas.py"]
    copied = found["TAS := Ticket"].files["tas.py"]
    assert 1 == copied.count("class TAS(Lock):")
    assert copied.index("class TAS") > copied.index("class Base")
    names: dict[str, object] = {}
    exec(found["f := twice"].files["own.py"], names)  # of this test's own text
    assert {"r": 42} == names["f"](5)  # type: ignore[operator]
    assert ("base-right",) == found["Base := TAS"].checks


def test_a_survivor_must_be_listed(tmp_path: Path) -> None:
    """And one that loses points must not be, nor one that is never made."""
    folder = lab_with_siblings(tmp_path / "lab")
    listed = ("Base.most := 9", "f := twice", "Ticket := MCS")
    with (folder / "mutants.toml").open("a") as file:
        file.writelines(LISTED.format(name=name) for name in listed)
    lab = load(folder)
    assert {*listed} == equivalents(lab).keys()
    tried = ("Base.most := 9", "TAS := Ticket", "f := twice")
    tasks = [
        _Task("made", "ada", one.checks, made=one)
        for one in made(lab, lab.checks(whole(lab, "ada", KEY)))
        if one.name in tried
    ]
    found = {i.name: i for i in _made(lab, [_grade(lab, task, "unconfined") for task in tasks])}
    assert (True, "as good") == (found["Base.most := 9"].ok, found["Base.most := 9"].says)
    assert found["TAS := Ticket"].says.startswith("it keeps every point of right, cheap")
    assert "it loses points in twice: remove its [[equivalent]]" == found["f := twice"].says
    assert "lint makes no such mutant" in found["Ticket := MCS"].says
    assert ["Base.most := 9"] == [item.name for item in found.values() if item.ok]
