"""The commands as they are typed: what they print, their exit codes, and JSON alone on stdout."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import Result
from results_made import check as made
from results_made import result
from tiny_lab import ANSWERS, TAS, WRONG, make_whole, needs_sandbox
from typed import typed

from lockgrader.cli.show import numbers, say_wrapped, show
from lockgrader.grade import grade
from lockgrader.lab import load
from lockgrader.report.feedback import feedback
from lockgrader.result import Row


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with spaces in its path, a bundle in it, and no lab installed."""
    lab = make_whole(tmp_path / "lab99-tiny")
    folder = tmp_path / "my home"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("LOCKLAB_COURSE_KEY", raising=False)
    monkeypatch.setattr("locklabs.HOME", tmp_path / "nothing")
    assert 0 == ran("bundle", str(lab), "-o", "lab99.zip").exit_code
    shutil.rmtree(lab)
    return folder


def ran(*arguments: str) -> Result:
    """One command."""
    return typed("lab", *arguments)


def printed(*arguments: str, code: int = 0) -> object:
    """The one document that a command prints with --json."""
    done = ran(*arguments, "--json")
    assert code == done.exit_code, done.output
    return json.loads(done.stdout)


def save(home: Path, text: str, answers: str = ANSWERS) -> None:
    """What a student writes."""
    (home / "lab99-tiny" / "tas.py").write_text(text)
    (home / "lab99-tiny" / "answers.json").write_text(answers)


def test_the_next_command_can_be_copied(home: Path) -> None:
    """A folder's name with spaces is quoted as a shell reads it."""
    plain = ran("start", "lab99.zip", "--student", "ada", "--dir", "mine")
    assert "\n  cd mine\n" in plain.output
    spaced = ran("start", "lab99.zip", "--student", "ada", "--dir", "mein Lab ü")
    assert "\n  cd 'mein Lab ü'\n" in spaced.output


def test_lab_from_its_bundle_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """List, start, check, hint, hand in: from the archive to the archive."""
    assert "start the bundle that you received" in ran("list").output
    started = ran("start", "./lab99.zip", "--student", "ada")
    assert 0 == started.exit_code, started.output
    assert "your machine: ideal-" in started.output
    monkeypatch.chdir(home / "lab99-tiny")
    save(home, "import os\n")
    wrong = ran("check", "--sandbox", "none", "--all")
    assert (1, 1) == (wrong.exit_code, wrong.output.count("\n  tas.py:1:1: "))
    save(home, WRONG)
    checked = ran("check", "--sandbox", "none", "--out", "out.sarif")
    assert 1 == checked.exit_code, checked.output
    (problem, *_) = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    place = problem["locations"][0]["physicalLocation"]
    assert ("right", "tas.py") == (problem["ruleId"], place["artifactLocation"]["uri"])
    assert "thread 1  tas.py:8 " in checked.output
    assert (
        "locklab play schedule tas.py:TAS --threads 2 --memory sc --out tas.html" in checked.output
    )
    assert "possible misconception: two steps are one" in checked.output
    assert "hint 1 of 2: first" in ran("hint").output
    save(home, TAS)
    solved = ran("check", "--sandbox", "none")
    assert 0 == solved.exit_code, solved.output
    assert "10 of 10 points in the public checks; solved" in solved.output
    assert "solved" in ran("list").output
    assert 0 == ran("submit", "--sandbox", "none").exit_code
    with zipfile.ZipFile("ada-lab99.zip") as archive:
        assert ["answers.json", "record.json", "tas.py"] == archive.namelist()


def test_a_skipped_check_says_why(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is asked for by its name, and once for all that wait for the same."""
    ran("start", "lab99.zip", "--student", "ada")
    monkeypatch.chdir(home / "lab99-tiny")
    save(home, TAS, '{"n": 10}')
    says = 'predict first: write "guess": [low, high] into answers.json'
    for asked, names in (((), "cheap, guessed"), (("cheap",), "cheap"), (("guessed",), "guessed")):
        output = " ".join(ran("check", *asked, "--sandbox", "none").output.split())
        assert f"skipped: {names}: {says}" in output
    save(home, WRONG, ANSWERS)
    assert "skipped: cheap: waits for the check 'right'" in ran("check", "--sandbox", "none").output


def test_a_misconception_is_corrected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The truth and where to read on stand below the belief, in the terminal and on the page."""
    lab = make_whole(tmp_path / "lab99-tiny")
    text = (lab / "lab.toml").read_text().replace('"two steps are one"', '"one-step"')
    (lab / "lab.toml").write_text(text)
    belief = 'belief = "two steps are one"\ntruth = "Another <thread> acts."\nsee = "lesson 1"\n'
    (lab / "misconceptions.toml").write_text(f"[one-step]\n{belief}")
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    assert 0 == ran("start", str(lab), "--student", "ada").exit_code
    monkeypatch.chdir(tmp_path / "home" / "lab99-tiny")
    save(tmp_path / "home", WRONG)
    lines = [line.strip() for line in ran("check", "--sandbox", "none").output.splitlines()]
    at = lines.index("possible misconception: two steps are one")
    assert ["in truth: Another <thread> acts.", "read on: lesson 1"] == lines[at + 1 : at + 3]
    result = grade(load(lab), Path(), student="ada", key=b"k" * 16, profile="unconfined")
    assert "<b>In truth:</b> Another &lt;thread&gt; acts.<br>Read on: lesson 1" in feedback(result)


def test_given_tables_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace as CSV and Parquet with the other arguments, and all of them as JSON."""
    lab = Path(__file__).parents[3] / "labs" / "lab01-read-the-meter"
    monkeypatch.chdir(tmp_path)
    assert 0 == ran("start", str(lab), "--student", "ada").exit_code
    monkeypatch.chdir(tmp_path / lab.name)
    for name in ("trace.csv", "trace.parquet"):
        assert "cpus = 4" in ran("given", "meter", "--out", name).output
    assert "ns,cpu,what" == Path("trace.csv").read_text().splitlines()[0]
    assert {} == printed("given", "overhead", "--out", "o.json")["arguments"]  # type: ignore[index]
    assert ["rows"] == [*json.loads(Path("o.json").read_text())]
    for asked, says in (
        (("window", "--out", "x.csv"), "'window' is not a check that gives tables"),
        (("meter", "--out", "x.txt"), "x.txt must end in .json, .csv, .parquet"),
    ):
        refused = ran("given", *asked)
        assert (2, True) == (refused.exit_code, says in refused.output)


def test_each_command_prints_one_document(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --json, and nothing else on stdout."""
    assert [] == printed("list")
    started = printed("start", "lab99.zip", "--student", "ada")
    assert isinstance(started, dict)
    assert "ada" == started["student"]
    monkeypatch.chdir(home / "lab99-tiny")
    save(home, WRONG)
    checked = printed("check", "--sandbox", "none", code=1)
    assert isinstance(checked, dict)
    assert ("right", False, 1) == (checked["next"], checked["solved"], checked["attempts"])
    assert ["fail", "skipped", "pass", "pass"] == [
        c["verdict"] for c in checked["result"]["checks"]
    ]
    hint = printed("hint")
    assert isinstance(hint, dict)
    assert ["first"] == hint["texts"]
    handed = printed("submit", "--sandbox", "none", "-o", "x.zip")
    assert isinstance(handed, dict)
    assert ["answers.json", "tas.py"] == handed["files"]
    rows = printed("list")
    assert isinstance(rows, list)
    assert [("lab99-tiny", "3 of 10")] == [(row["lab"], row["state"]) for row in rows]


def test_mistakes_end_with_2_and_a_way_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No lab, no bundle, work that is there, a damaged state: one message each."""
    for arguments, says in (
        (("start", "lab98"), "unknown lab 'lab98'"),
        (("start", "lab98.zip"), "name the bundle"),
        (("start", "lab99.zip", "--student", "../x"), "--student"),
        (("check",), "locklab lab start LAB"),
        (("check", "--dir", "nowhere"), "is not a folder"),
        (("hint",), "locklab lab start LAB"),
        (("submit",), "locklab lab start LAB"),
        (("solution",), "locklab lab start LAB"),
        (("bundle", "lab98"), "unknown lab 'lab98'"),
    ):
        done = ran(*arguments)
        assert 2 == done.exit_code, (arguments, done.output)
        assert says in done.stderr, (arguments, done.stderr)
        assert "Traceback" not in done.output
    assert 0 == ran("start", "lab99.zip").exit_code
    again = ran("start", "lab99.zip")
    assert (2, True) == (again.exit_code, "--dir" in again.stderr)
    monkeypatch.chdir(home / "lab99-tiny")
    Path(".lab/state.json").write_text("{")
    for command in ("check", "hint", "submit", "solution"):
        done = ran(command)
        assert (2, True) == (done.exit_code, "damaged" in done.stderr)
    assert "unreadable" in ran("list").output


def test_no_sandbox_is_said_and_never_silent(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bubblewrap nothing runs until the student says that it is their own work."""
    assert 0 == ran("start", "lab99.zip").exit_code
    monkeypatch.chdir(home / "lab99-tiny")
    monkeypatch.setattr("lockgrader.cli.sandbox.available", lambda profile: "no bubblewrap here")
    for command in ("check", "submit"):
        done = ran(command)
        assert (2, True) == (done.exit_code, "--sandbox none" in done.stderr)


def test_own_bundles_need_the_key_and_names(home: Path, tmp_path: Path) -> None:
    """With a course key there is no bundle for all, and each student's starts without the key."""
    lab = make_whole(tmp_path / "lab99-tiny")
    Path("course.key").write_text("a key of sixteen bytes or more")
    Path("names.txt").write_text("# the course\nada\nbob\n")
    common = ["bundle", str(lab), "--key", "course.key"]
    refused = ran(*common)
    assert (2, True) == (refused.exit_code, "--roster" in refused.stderr)
    rows = printed(*common, "--roster", "names.txt", "-o", "for students")
    assert isinstance(rows, list)
    assert ["ada", "bob"] == [row["student"] for row in rows]
    started = printed("start", "for students/ada-lab99.zip", "--dir", "ada")
    assert isinstance(started, dict)
    assert "ada" == started["student"]
    other = ran("start", "for students/ada-lab99.zip", "--student", "bob", "--dir", "bob")
    assert (2, True) == (other.exit_code, "is the bundle of ada" in other.stderr)


@needs_sandbox
def test_archive_goes_through_the_grader(home: Path, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """What is handed in gets the same points there, under the student's name."""
    assert 0 == ran("start", "lab99.zip", "--student", "ada").exit_code
    monkeypatch.chdir(home / "lab99-tiny")
    save(home, TAS)
    checked = printed("check")
    assert isinstance(checked, dict)
    Path("in").mkdir()
    assert 0 == ran("submit", "-o", "in/ada-lab99.zip").exit_code
    lab = make_whole(tmp_path / "lab99-tiny")
    graded = typed("grade", str(lab), "in", "-o", "out", "--json")
    [result] = json.loads(graded.stdout)
    public = [c for c in result["checks"] if c["public"]]
    assert "ada" == result["student"]
    assert checked["result"]["checks"] == public


def test_words_wrap_and_keep_their_indent(capsys: pytest.CaptureFixture[str]) -> None:
    """Long text folds at the terminal's width; its own lines stay."""
    say_wrapped("word " * 40 + "\n  deeper " + "word " * 40, "  ")
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert {2, 4} == {len(line) - len(line.lstrip()) for line in lines}


def test_a_narrow_table_wraps_its_comment(capsys: pytest.CaptureFixture[str]) -> None:
    """The name of a number stays whole in 80 columns, and no line is longer."""
    says = "too small, by a factor of about 1,000: is the unit right? " + "a further word " * 5
    row = Row(what="loss_percent", got=0.00979, low=9.6, high=10.1, says=says, share=0)
    numbers(made("a", "fail", rows=(row,)))
    shown = capsys.readouterr().out
    assert "  loss_percent  0.00979" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_long_table_shows_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """Of many numbers the first wrong ones are printed, and how many there are."""
    rows = tuple(Row(what=f"rate {n}", got=81.7, says="too big") for n in range(36))
    numbers(made("a", "fail", rows=rows))
    shown = capsys.readouterr().out
    assert [1, 1, 1, 0] == [shown.count(f"rate {n} ") for n in range(4)]
    assert "36 numbers in all, 36 of them wrong" in shown


def test_what_is_not_decided_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """A budget with its help, whole; an internal error by its last line. Never as a failure."""
    says = "the proof: not decided, and no points are lost: 100 states\nhelp: use fewer words"
    trace = 'Traceback (most recent call last):\n  File "x.py", line 1\nOSError: disk full'
    show(result("ada", made("a", "grader_error", message=says)))
    show(result("ada", made("b", "grader_error", message=trace)))
    shown = capsys.readouterr().out
    assert 4 == shown.count("not decided\n") + shown.count("not decided  ")
    assert "100 states\n  help: use fewer words" in shown
    assert "internal error of the grader: OSError: disk full" in " ".join(shown.split())
    assert "Traceback" not in shown
