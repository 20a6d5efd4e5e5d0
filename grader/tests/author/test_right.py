"""Right submissions: each keeps every point, and a check that takes some is named."""

import json
from pathlib import Path

import pytest
from tiny_lab import KEY, MUTANTS, TAS, make_whole

from lockgrader.author import right
from lockgrader.author.item import Item
from lockgrader.author.lint import lint
from lockgrader.author.mutants import solution
from lockgrader.author.right import differing, drawn_students, rights, submission
from lockgrader.lab import Lab, LabError, load

RIGHT = """
[[right]]
name = "compare-swap"
change = [["self.locked.swap(1, ACQUIRE)", "self.locked.compare_swap(0, 1, ACQUIRE)"]]

[[right]]
name = "another-name"
rename = { locked = "held" }

[[right]]
name = "comments-only"
everywhere = [["class TAS(Lock):", "class TAS(Lock):  # my lock"]]

[[right]]
name = "narrow-interval"
answers = { guess = [10, 10] }
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The small lab's folder, with right submissions."""
    folder = make_whole(tmp_path / "lab99-tiny")
    (folder / "mutants.toml").write_text(MUTANTS + RIGHT)
    return folder


def items(folder: Path) -> dict[str, Item]:
    """What lint says of right submissions, by name."""
    made = lint(folder, students=1, draw=1, profile="unconfined")
    return {item.name: item for item in made.items if item.what == "right"}


def checks_that_differ(lab: Lab, name: str, folder: Path) -> tuple[str, ...]:
    """The checks that run again for a right submission."""
    (one,) = (one for one in rights(lab) if one.name == name)
    files = submission(lab, "ada", KEY, one)
    return differing(lab, "ada", KEY, files, folder, "unconfined")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("compare-swap", ("right", "cheap", "again-and-again")),
        ("another-name", ("right", "cheap", "again-and-again")),
        ("comments-only", ()),
        ("narrow-interval", ("guessed",)),
        ("line ends of Windows", ()),
        ("a byte order mark", ()),
        ("another layout", ()),
    ],
)
def test_only_checks_that_read_something_else_run(
    lab: Path, tmp_path: Path, name: str, wanted: tuple[str, ...]
) -> None:
    """Comments, line ends and layout make no other bytecode and no other answers."""
    assert wanted == checks_that_differ(load(lab), name, tmp_path / "made")


def test_a_class_that_uses_another_one_differs_with_it(lab: Path, tmp_path: Path) -> None:
    """A change below a lock is a change of the lock."""
    node = "class Node(Struct):\n    n = word()\n\n\nclass TAS(Lock):\n    at = pointer(Node)\n"
    text = TAS.replace("class TAS(Lock):\n", node).replace("Lock,", "Lock, Struct, pointer,")
    (lab / "solution" / "tas.py").write_text(text)
    wide = '[[right]]\nname = "wide"\nchange = [["n = word()", "n = word()\\n    m = word()"]]\n'
    (lab / "mutants.toml").write_text(wide)
    wanted = ("right", "cheap", "again-and-again")
    assert wanted == checks_that_differ(load(lab), "wide", tmp_path / "made")


def test_right_submissions_keep_every_point(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an item; the spellings are among them."""
    monkeypatch.setattr(right, "SPELLINGS", {"tabs": right.SPELLINGS["tabs"]})
    found = items(lab)
    assert {"compare-swap", "another-name", "comments-only", "narrow-interval", "tabs"} == {*found}
    assert "every point kept, 3 checks run" == found["compare-swap"].says
    assert set() == {name for name, item in found.items() if not item.ok}


def test_a_check_that_depends_on_the_drawn_machine_is_found(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name, the student and their machine; and who keeps the points is named, too."""
    monkeypatch.setattr(right, "SPELLINGS", {})
    (lab / "mutants.toml").write_text("".join(RIGHT.partition('[[right]]\nname = "another')[:1]))
    path = lab / "lab.toml"
    text = path.read_text().replace("ideal-64", "westmere-ex-8x10")
    text = text.replace('"transfers"\nneeds = ["right"]', '"time_ns"\nneeds = ["right"]')
    path.write_text(text.replace("high = 30.0", "high = 1180.0"))
    says = items(lab)["compare-swap"].says
    first, second, third = (f"draw 1, student {number} (machine " for number in (1, 2, 3))
    assert (
        "loses 3 points\n"
        f"cheap: fail, 3 of 3 points lost by {first}westmere-ex-8x10), "
        f"{second}westmere-ex-8x10); kept by {third}ideal-8): "
        "time_ns on 2 CPUs (ns): too big, by 18.2"
    ) == says


def test_a_submission_that_is_refused_is_named(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason: an honest student would get no point for it."""
    monkeypatch.setattr(right, "SPELLINGS", {})
    new = '[[right]]\nname = "new"\nchange = [["yield pause()", "pause()"]]\n'
    (lab / "mutants.toml").write_text(new)
    item = items(lab)["new"]
    assert not item.ok
    assert "draw 1, student 1: TAS: tas.py:9" in item.says


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('change = [["swap(2", "swap(1"]]', "not in the solution: 'swap(2'"),
        ("", "it does not change the solution"),
        ('changes = [["a", "b"]]', "unknown key changes"),
        ('definitions = "class Other: pass"', "none of these definitions is in the file"),
        ('file = "other.py"\nchange = []', "'other.py' is missing"),
    ],
)
def test_a_change_that_does_not_fit(lab: Path, text: str, says: str) -> None:
    """One message with the lab and the name."""
    (lab / "mutants.toml").write_text(f'{MUTANTS}\n[[right]]\nname = "x"\n{text}\n')
    with pytest.raises(LabError, match="lab99-tiny, right submission 'x'") as caught:
        rights(load(lab))
    assert says in str(caught.value)


def test_students_are_drawn_anew() -> None:
    """Another number of the draw gives other students, the same one the same."""
    assert drawn_students(4) == drawn_students(4)
    assert set() == {*drawn_students(4)} & {*drawn_students(5)}
    assert 3 == len({*drawn_students(4)})


def test_answers_are_those_of_the_own_lock(lab: Path) -> None:
    """A student measures their own program, so what is right differs from the solution's."""
    path = lab / "lab.toml"
    own = 'lock = "TAS", own = true, measure = "transfers", machine = "ideal-8", cpus = 2'
    old, new = 'answer = "n"\nexpected = 10.0', f'answer = "n"\nexpected = {{ {own} }}'
    path.write_text(path.read_text().replace(old, new))
    (lab / "solution" / "answers.json").write_text('{"guess": [9, 11]}')
    change = '[["while (yield", "while (yield self.locked.load()) or (yield"]]'
    (lab / "mutants.toml").write_text(f'[[right]]\nname = "looks"\nchange = {change}\n')
    made = load(lab)
    mine, ours = submission(made, "ada", KEY, rights(made)[0]), solution(made, "ada", KEY)
    measured = [json.loads(files["answers.json"])["n"] for files in (ours, mine)]
    assert pytest.approx([1.676, 2.251], rel=1e-3) == measured
