"""Lint: a lab that keeps its promises passes, and each broken promise is found."""

import json
from pathlib import Path

import pytest
from tiny_lab import HIDDEN, MUTANTS, STARTER, TAS, make_whole
from typed import typed

import locklabs
from lockgrader.author.lint import Item, lint
from lockgrader.cli.lint_show import PROPERTIES
from lockgrader.lab import LabError
from lockgrader.sandbox import available

GRADED = ("solution", "starter", "wrong", "hint", "time", "handout", "bundle")
"""What the small lab keeps; its other promises are tested in ``test_promises.py``."""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The small lab's folder, which keeps what is graded."""
    return make_whole(tmp_path / "my labs" / "lab99-tiny")


def broken_promises(folder: Path, students: int = 1) -> list[Item]:
    """What lint finds."""
    linted = lint(folder, students=students, profile="unconfined")
    return [item for item in linted.items if not item.ok and item.what in GRADED]


def test_sound_lab_passes(lab: Path) -> None:
    """Nothing is found, and everything was looked at."""
    linted = lint(lab, students=6, processes=2, profile="unconfined")
    assert [] == [item for item in linted.items if not item.ok and item.what in GRADED]
    assert (6, 2) == (linted.students, linted.variants)
    assert {*GRADED} <= {item.what for item in linted.items} <= {*PROPERTIES}
    same = {item.name for item in linted.items if item.what == "value" and not item.ok}
    assert {"guessed", "number"} == same  # 10, for everybody
    solved = {item.name: item.says for item in linted.items if item.what == "solution"}
    assert "full marks, 2 variants" == solved["cheap"]
    assert "full marks, 1 variant" == solved["number"]
    assert "again-and-again" in solved


BROKEN = [
    ("solution/tas.py", ("store(0", "store(1"), "solution", "right", "fail"),
    ("mutants.toml", ('"fail"', '"partial"'), "wrong", "load-alone", "must be partial"),
    ("mutants.toml", ("two steps are one", ""), "wrong", "load-alone", "reported is"),
    ("mutants.toml", ('check = "right"', 'check = "x"'), "wrong", "load-alone", "no check"),
    ("starter/tas.py", (STARTER, "import os\n"), "starter", "right", "import only the language"),
    ("lab.toml", ('hints = ["ten"]', ""), "hint", "number", "no_hint"),
    ("starter/notes.txt", ("", "words"), "handout", "notes.txt", "not name"),
    ("handout.md", ("`guess`", "it"), "handout", "guess", "not name"),
    ("handout.md", ("Write", "again-and-again"), "bundle", "", "hidden check"),
]
"""File, change, and by which kind and name it is found, with which words."""


@pytest.mark.covering("broken", every=2)
@pytest.mark.parametrize("broken", [BROKEN[0:1], BROKEN[1:2], BROKEN[2:3], BROKEN[3:]])
def test_broken_promises_are_found(
    lab: Path, broken: list[tuple[str, tuple[str, str], str, str, str]]
) -> None:
    """Each by its kind and its name, and with what was found; also beside others."""
    for file, change, *_ in broken:
        path = lab / file
        text = path.read_text() if path.exists() else ""
        assert change[0] in text
        path.write_text(text.replace(*change, 1))
    items = broken_promises(lab)
    for _, _, what, name, says in broken:
        found = [item for item in items if (what, name) == (item.what, item.name)]
        assert 1 == len(found)
        assert says in found[0].says


def test_starter_that_earns_is_found(lab: Path) -> None:
    """A solution that was left in the starter, also in hidden checks that need others."""
    (lab / "hidden" / "checks.toml").write_text(HIDDEN + 'needs = ["right"]\n')
    (lab / "starter" / "tas.py").write_text(TAS + "# changed\n")
    found = {item.name for item in broken_promises(lab) if item.what == "starter"}
    assert {"right", "cheap", "again-and-again"} == found


@pytest.mark.slow
def test_starter_waits_for_what_it_needs(lab: Path) -> None:
    """A check that an empty program passes earns nothing only while it waits for another."""
    easy = '[[check]]\nname = "easy"\ntitle = "Easy"\nkind = "code"\nlock = "TAS"\npoints = 1\n'
    (lab / "hidden" / "checks.toml").write_text(easy + 'needs = ["right"]\n')
    assert [] == broken_promises(lab)
    (lab / "hidden" / "checks.toml").write_text(easy)
    assert [("starter", "easy")] == [(item.what, item.name) for item in broken_promises(lab)]


def test_wrong_submission_that_does_not_fit(lab: Path) -> None:
    """The solution has changed, and the change that makes it wrong fits no more."""
    (lab / "mutants.toml").write_text(MUTANTS.replace("swap(1, ACQUIRE)", "swap(2, ACQUIRE)"))
    with pytest.raises(LabError, match="load-alone"):
        lint(lab, students=1, profile="unconfined")


@pytest.mark.slow
def test_command_says_what_is_broken(lab: Path) -> None:
    """Exit code 1, a table for people, one document with --json."""
    arguments = ["lint", str(lab), "--count", "1", "--jobs", "1", "--sandbox", "none"]
    (lab / "handout.md").write_text("nothing\n")
    told = typed("lab", *arguments)
    assert (1, True) == (told.exit_code, "does not name it" in told.output)
    [document] = json.loads(typed("lab", *arguments, "--json").stdout)
    assert ("lab99-tiny", False, 1) == (document["lab"], document["ok"], document["students"])
    assert {"tas.py", "answers.json", "guess", "n"} >= {
        i["name"] for i in document["items"] if i["what"] in GRADED and not i["ok"]
    }


@pytest.mark.parametrize("name", locklabs.names())
def test_files_of_the_labs(name: str) -> None:
    """Hints, handout and bundle of the labs of this project; what is graded, is graded below."""
    linted = lint(locklabs.find(name), students=0)
    assert [] == [item for item in linted.items if not item.ok]


@pytest.mark.slow
@pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")
@pytest.mark.parametrize("name", locklabs.names())
def test_labs_keep_their_promises_in_full(name: str) -> None:
    """For twenty students each, in the sandbox, as ``make labs`` looks at them."""
    linted = lint(locklabs.find(name), students=20, processes=2)
    assert [] == [item for item in linted.items if not item.ok]
