"""A lab at home: the folder, the grader's own verdicts, predictions first, hints, handing in."""

import json
import threading
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tiny_lab import ANSWERS, TAS, WRONG, make_whole, needs_sandbox

import locklabs
from lockgrader.author import bundle
from lockgrader.author.bundle import public_files
from lockgrader.finding import Finding
from lockgrader.grade import grade
from lockgrader.judging.evaluate import warm
from lockgrader.lab import load
from lockgrader.lab.variants import PUBLIC_KEY, variant
from lockgrader.read.owner import student_of
from lockgrader.read.record import RECORD
from lockgrader.read.refused import Refused
from lockgrader.result import Result
from lockgrader.workspace import folder as ws
from lockgrader.workspace.attempt import attempt, public_checks, to_do
from lockgrader.workspace.folder import State, Workspace, WorkspaceError
from lockgrader.workspace.hints import REST, NoHintError, next_hint
from lockgrader.workspace.solution import compare
from lockgrader.workspace.submit import submit

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """What checks run on, loaded once, as the command does."""
    warm()


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The small lab's folder."""
    return make_whole(tmp_path / "lab99-tiny")


@pytest.fixture
def mine(lab: Path, tmp_path: Path) -> Workspace:
    """Ada's folder for it."""
    return begin(lab, tmp_path / "ada's work")


def begin(lab: Path, folder: Path) -> Workspace:
    """Start the small lab."""
    files = bundle.read(lab).files
    return ws.start(files, folder, student="ada", draw=lambda _: {"machine": "ideal-8"}, now=NOW)


def tried(mine: Workspace, text: str | None = None, answers: str | None = None) -> Result:
    """The checks, after a save."""
    if text is not None:
        (mine.folder / "tas.py").write_text(text)
    if answers is not None:
        (mine.folder / "answers.json").write_text(answers)
    return attempt(mine, profile="unconfined")


def verdicts(result: Result) -> dict[str, str]:
    """By check."""
    return {c.name: c.verdict for c in result.checks}


def test_started_folder(mine: Workspace) -> None:
    """Starter and handout in sight, one's own values readable, nothing of the solution."""
    seen = sorted(p.name for p in mine.folder.iterdir())
    assert [".lab", "answers.json", "handout.md", "tas.py", "variant.toml"] == seen
    assert 'machine = "ideal-8"' in (mine.folder / "variant.toml").read_text()
    assert ("lab99-tiny", "ada", 0, False) == (
        mine.state.lab,
        mine.state.student,
        mine.state.attempts,
        mine.state.solved,
    )
    assert all(c.public for c in public_checks(mine))


@pytest.mark.parametrize("name", locklabs.names())
def test_every_lab_can_be_started(name: str, tmp_path: Path) -> None:
    """From its public files alone; what it takes from its starter is there."""
    home = locklabs.find(name)
    made = ws.start(
        public_files(home),
        tmp_path / name,
        student="ada",
        draw=lambda lab: variant(lab, "ada", PUBLIC_KEY),
        now=NOW,
    )
    assert [c.name for c in load(home).checks(dict(made.state.variant)) if c.public] == [
        c.name for c in public_checks(made)
    ]


def test_work_is_not_overwritten(lab: Path, mine: Workspace, tmp_path: Path) -> None:
    """A folder with anything in it is refused; an empty one is taken; nothing is left over."""
    with pytest.raises(WorkspaceError, match="would lie inside the lab"):
        begin(lab, mine.folder / "other")
    with pytest.raises(WorkspaceError, match="already started"):
        begin(lab, mine.folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    with pytest.raises(WorkspaceError, match="nothing is overwritten"):
        begin(lab, tmp_path / "full")
    (tmp_path / "empty").mkdir()
    assert (tmp_path / "empty").resolve() == begin(lab, tmp_path / "empty").folder
    assert [] == list(tmp_path.glob(".locklab-*"))


def test_workspace_is_found_from_inside(mine: Workspace, tmp_path: Path) -> None:
    """In it and below it; from above the message names it."""
    (mine.folder / "notes").mkdir()
    assert mine == ws.find(mine.folder) == ws.find(mine.folder / "notes")
    with pytest.raises(WorkspaceError, match="ada's work"):
        ws.find(tmp_path)
    assert [mine] == ws.workspaces(tmp_path) == ws.workspaces(mine.folder / "notes")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', '{"lab": "x"}'])
def test_damaged_state_is_reported(mine: Workspace, text: str) -> None:
    """One message, with a way out; nothing is guessed."""
    (mine.folder / ".lab" / "state.json").write_text(text)
    with pytest.raises(WorkspaceError, match="damaged") as caught:
        _ = mine.state
    assert 2 == caught.value.exit_code


def test_updates_of_two_are_both_kept(mine: Workspace) -> None:
    """A hint taken while checks run is not lost when these end."""

    def one_more(state: State) -> dict[str, object]:
        return {"attempts": state.attempts + 1}

    threads = [
        threading.Thread(target=lambda: [mine.update(one_more) for _ in range(20)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 80 == mine.state.attempts


def test_prediction_comes_first(mine: Workspace) -> None:
    """Nothing is measured before it is there; then it is written down, and proofs never wait."""
    before = tried(mine, TAS, '{"n": 10}')
    assert {"right": "pass", "cheap": "skipped", "guessed": "skipped", "number": "pass"} == (
        verdicts(before)
    )
    assert "predict first" in before.checks[1].message
    assert {} == mine.state.predictions
    after = tried(mine, answers=ANSWERS)
    assert {"pass"} == set(verdicts(after).values())
    assert (9.0, 11.0) == mine.state.predictions["guess"].values
    assert mine.state.solved


@pytest.mark.covering("guess", every=2)
@pytest.mark.parametrize(
    ("guess", "says"),
    [
        ("[11, 9]", "'guess': low is above high (11 and 9): write [9, 11] into answers.json"),
        ("10", "'guess' must be two numbers, not 1: write \"guess\": [low, high] into"),
        ("[9, 10, 11]", "must be two numbers, not 3"),
        ('"about ten"', '"about ten" is not a number: write "guess": [low, high] into'),
        ("[1, 11]", "'guess': [1, 11] says too little: high may be at most 10 times low"),
        ("[9, Infinity]", 'not a finite number: write "guess": [low, high] into'),
        ("[9, 1e999]", 'not a finite number: write "guess": [low, high] into'),
        ("null", 'null is not a number: write "guess": [low, high] into'),
        ("[]", 'predict first: write "guess": [low, high] into answers.json, then measure'),
    ],
)
def test_an_impossible_prediction_is_not_locked(mine: Workspace, guess: str, says: str) -> None:
    """It is said what to write, and the next one counts."""
    refused = tried(mine, TAS, f'{{"guess": {guess}, "n": 10}}')
    assert ["skipped", "skipped"] == [verdicts(refused)[n] for n in ("cheap", "guessed")]
    assert says in refused.checks[1].message
    assert {} == mine.state.predictions
    tried(mine, answers=ANSWERS)
    assert (9.0, 11.0) == mine.state.predictions["guess"].values


def test_an_untouched_starter_believes_nothing(mine: Workspace) -> None:
    """Its mistakes are the lab's own; the first change is the student's."""
    starter = (mine.folder / "tas.py").read_text()
    untouched = tried(mine, starter + "\n# soon\n", "{}").checks[0]
    assert ("fail", "") == (untouched.verdict, untouched.misconception)
    begun = tried(mine, starter.replace("word()", "word()\n    other = word()")).checks[0]
    assert ("fail", "two steps are one") == (begun.verdict, begun.misconception)


def test_first_prediction_stays(mine: Workspace) -> None:
    """A prediction changed after measuring is reported, and costs nothing."""
    tried(mine, TAS, '{"guess": [1, 2], "n": 10}')
    tried(mine, answers=ANSWERS)
    assert (1.0, 2.0) == mine.state.predictions["guess"].values
    made = submit(mine, mine.folder / "ada-lab99.zip", "unconfined")
    assert "was [1, 2] before the first measurement" in " ".join(made.warnings)


def test_best_result_is_remembered(mine: Workspace) -> None:
    """A worse try lowers no best; the same files again are no new try."""
    tried(mine, TAS, ANSWERS)
    tried(mine)
    tried(mine, WRONG)
    state = mine.state
    assert (2, 10.0, 3.0) == (state.attempts, state.best, state.points)
    following = to_do(state, public_checks(mine))
    assert following is not None
    assert "right" == following.name


def test_checks_by_name_count_together(mine: Workspace) -> None:
    """Each by itself, as all at once; points stay until what their check depends on changes."""
    (mine.folder / "tas.py").write_text(TAS)
    (mine.folder / "answers.json").write_text(ANSWERS)
    names = [c.name for c in public_checks(mine)]
    for name in names[:-1]:
        attempt(mine, profile="unconfined", only=[name])
        assert not mine.state.solved
    attempt(mine, profile="unconfined", only=names[-1:])
    state = mine.state
    assert (1, 10.0, 10.0, True) == (state.attempts, state.best, state.points, state.solved)
    (mine.folder / "tas.py").write_text(TAS + "\n# changed\n")
    attempt(mine, profile="unconfined", only=names[:1])
    assert (10.0, {*names}) == (mine.state.points, {*mine.state.earned})
    (mine.folder / "tas.py").write_text(WRONG)
    attempt(mine, profile="unconfined", only=names[:1])
    assert 10.0 == mine.state.best > mine.state.points > 0.0
    assert {*names[:1], "number", "guessed"} == {*mine.state.earned}


def test_known_findings_are_not_found_again(mine: Workspace) -> None:
    """The result is that of a whole run; only the changed answer's check runs."""
    files = (mine.folder / "tas.py", mine.folder / "answers.json")
    for file, text in zip(files, (TAS, ANSWERS.replace('"n": 10', '"n": 3')), strict=True):
        file.write_text(text)
    known: dict[str, Finding] = {}
    first = attempt(
        mine, profile="unconfined", judged=lambda check, found: known.update({check.name: found})
    )
    assert verdicts(first).keys() == known.keys()
    files[1].write_text(ANSWERS)
    del known["number"]
    ran = []
    again = attempt(
        mine, profile="unconfined", known=known, judged=lambda check, _: ran.append(check.name)
    )
    assert ["number"] == ran
    assert attempt(mine, profile="unconfined").decided() == again.decided()
    assert {"pass"} == set(verdicts(again).values())


def test_one_check_runs_with_what_it_needs(mine: Workspace) -> None:
    """And what was asked for does not exist is named."""
    tried(mine, TAS, ANSWERS)
    only = attempt(mine, profile="unconfined", only=["cheap"])
    assert {"right": "pass", "cheap": "pass"} == verdicts(only)
    with pytest.raises(WorkspaceError, match="unknown check 'nonsense'; known: right, cheap"):
        attempt(mine, profile="unconfined", only=["nonsense"])


@needs_sandbox
@pytest.mark.parametrize("text", [TAS, WRONG, "import os\n"])
def test_verdicts_are_the_graders(lab: Path, mine: Workspace, text: str) -> None:
    """With a sandbox, without one, and in the grader: the same results of public checks."""
    home = tried(mine, text, ANSWERS)
    inside = attempt(mine)
    drawn = mine.state.variant
    archive = submit(mine, mine.folder / "ada-lab99.zip").path
    graded = grade(load(lab), archive, student="ada", key=b"k" * 16, values=drawn)
    public = [c for c in graded.checks if c.public]
    assert home.checks == inside.checks
    assert [c.model_dump(exclude={"hint"}) for c in public] == (
        [c.model_dump(exclude={"hint"}) for c in home.checks]
    )
    assert "again-and-again" in [c.name for c in graded.checks]


def test_hints_escalate_with_a_rest(mine: Workspace) -> None:
    """One; the next after another try, or after a while; then all of them again."""
    with pytest.raises(NoHintError, match="has not run yet"):
        next_hint(mine, "right", NOW)
    tried(mine, WRONG)
    assert (("first",), 0) == (next_hint(mine, "", NOW).texts, 0)
    early = next_hint(mine, "", NOW + timedelta(minutes=1))
    assert (("first",), 4) == (early.texts, early.wait_minutes)
    tried(mine, WRONG + "\n")
    assert ("first", "second") == next_hint(mine, "", NOW + timedelta(minutes=1)).texts
    assert ("first", "second") == next_hint(mine, "", NOW + timedelta(minutes=1)).texts
    assert 2 == mine.state.hints["right"].seen


def test_hint_comes_after_a_while(mine: Workspace) -> None:
    """Who is stuck without an idea need not pretend to try."""
    tried(mine, WRONG)
    next_hint(mine, "right", NOW)
    assert ("first", "second") == next_hint(mine, "right", NOW + REST).texts


@pytest.mark.parametrize(
    ("name", "says"),
    [("cheap", "waits for another"), ("number", "has passed"), ("x", "known: right, cheap")],
)
def test_no_hint_where_none_helps(mine: Workspace, name: str, says: str) -> None:
    """The message says why."""
    tried(mine, WRONG, '{"guess": [9, 11], "n": 10}')
    with pytest.raises(NoHintError, match=says):
        next_hint(mine, name, NOW)


def test_no_hint_where_all_that_have_some_have_passed(mine: Workspace) -> None:
    """A check that has none is not the next one."""
    tried(mine, TAS, ANSWERS.replace('"guess"', '"guessing"'))
    with pytest.raises(NoHintError, match="all public checks that have hints have passed"):
        next_hint(mine, "", NOW)


def test_archive_is_what_the_grader_takes(mine: Workspace, tmp_path: Path) -> None:
    """The wanted files and a record; the file's name says whose it is."""
    tried(mine, TAS, ANSWERS)
    path = tmp_path / "ada-lab99.zip"
    made = submit(mine, path, "unconfined")
    with zipfile.ZipFile(path) as archive:
        assert ["answers.json", RECORD, "tas.py"] == archive.namelist()
        record = json.loads(archive.read(RECORD))
    assert ((), "ada", True) == (made.warnings, record["student"], record["solved"])
    assert [9.0, 11.0] == record["predictions"]["guess"]["values"]
    assert "ada" == student_of(path, "lab99-tiny")
    assert made == submit(mine, path, "unconfined")  # again, in its place


def test_what_cannot_be_graded_is_reported_before(mine: Workspace, tmp_path: Path) -> None:
    """A file that is not text is refused; one that does not compile is handed in with a warning."""
    (mine.folder / "tas.py").write_text("import os\n")
    assert (
        "may import only the language" in submit(mine, tmp_path / "a.zip", "unconfined").warnings[0]
    )
    (mine.folder / "tas.py").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused, match="not valid UTF-8"):
        submit(mine, tmp_path / "b.zip", "unconfined")
    assert not (tmp_path / "b.zip").exists()


def test_archive_replaces_only_its_like(mine: Workspace, tmp_path: Path) -> None:
    """Somebody's thesis.zip stays."""
    path = tmp_path / "thesis.zip"
    path.write_bytes(b"precious")
    with pytest.raises(WorkspaceError, match="was not made by this command"):
        submit(mine, path, "unconfined")
    assert b"precious" == path.read_bytes()


def test_solution_is_shown_after_solving(
    lab: Path, mine: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before, and only where it is."""
    with pytest.raises(WorkspaceError, match="after all your checks have passed"):
        compare(mine)
    tried(mine, TAS + "# mine\n", ANSWERS)
    with pytest.raises(WorkspaceError, match="your instructor releases it"):
        compare(mine)
    monkeypatch.setattr("locklabs.HOME", lab.parent)
    [one] = compare(mine)
    assert ("tas.py", True) == (one.file, "-# mine" in one.diff)


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "x\n", "a" * 200])
def test_name_that_is_no_name_is_refused(name: str) -> None:
    """It becomes part of a file's name."""
    with pytest.raises(WorkspaceError, match="--student"):
        ws.student_name(name)
