"""The command ``locklab`` itself: help without imports, unknown commands, exit codes."""

import os
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

import locklab
import locksim.cli

FAKE = '''"""Fake things, for a test.

More text that is no help line.
"""

import os
import sys

os.environ["LOCKLAB_TEST_IMPORTED"] = "yes"


class Refused(Exception):
    exit_code = 2


def app(arguments, prog_name):
    if arguments[:1] == ["fail"]:
        raise Refused("no such lock 'tikcet'; did you mean 'ticket'?")
    if arguments[:1] == ["interrupt"]:
        raise KeyboardInterrupt
    if arguments[:1] == ["bug"]:
        raise ZeroDivisionError("a bug")
    if arguments[:1] == ["exit"]:
        sys.exit(int(arguments[1]))
    if arguments[:1] == ["exit-text"]:
        sys.exit("some reason")
    print(prog_name, *arguments)
'''


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install a package with one command, ``fake``, and one whose module does not exist."""
    name = f"fakepkg_{tmp_path.name.replace('-', '_')}"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("import os\nos.environ['LOCKLAB_TEST_PARENT'] = 'yes'\n")
    (package / "cmd.py").write_text(FAKE)
    (package / "needy.py").write_text('"""Needs what is not there."""\nimport no_such_module_x\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    for variable in ("LOCKLAB_TEST_IMPORTED", "LOCKLAB_TEST_PARENT"):
        # Set, then deleted, so that what the package writes is undone afterwards.
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    targets = {"fake": "cmd", "needy": "needy", "absent": "not_written_yet", "two.words": "cmd"}
    group = [
        EntryPoint(command, f"{name}.{module}:app", locklab.GROUP)
        for command, module in targets.items()
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group_=None, **_: group)
    return name


def test_help_lists_a_command_without_importing_it(
    fake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The help line is read from the file: neither the module nor its parent runs."""
    assert 0 == locklab.main(["--help"])
    assert "  fake   Fake things, for a test\n" in capsys.readouterr().out
    assert [] == [name for name in sys.modules if name.startswith(fake)]
    assert None is os.environ.get("LOCKLAB_TEST_PARENT")


def test_command_without_a_module_is_not_offered(fake: str) -> None:
    """An entry point whose module is not there is neither listed nor known."""
    assert ["fake", "needy", "two words"] == list(locklab.commands())


def test_no_arguments_print_the_help(fake: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``locklab`` alone says what there is, and --help-all the same."""
    assert 0 == locklab.main([])
    shown = capsys.readouterr().out
    assert 0 == locklab.main(["--help-all"])
    assert shown == capsys.readouterr().out
    assert shown.startswith("Usage: locklab COMMAND [ARGUMENTS]…\n")


def test_command_gets_the_rest_of_the_line(fake: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Arguments pass unchanged, help options included, and the program's name is the full one."""
    assert 0 == locklab.main(["fake", "a", "--help"])
    assert "locklab fake a --help\n" == capsys.readouterr().out


def test_unknown_command_suggests_the_near_one(
    fake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A typo gets the likely name and exit code 2, on stderr."""
    assert 2 == locklab.main(["fakee"])
    out, err = capsys.readouterr()
    assert ("", "error: unknown command 'fakee'; did you mean 'fake'?\n") == (out, err)


def test_unknown_command_lists_all_where_none_is_near(
    fake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing is near, every command is named."""
    assert 2 == locklab.main(["zzz"])
    assert "error: unknown command 'zzz'; known: fake, needy, two\n" == capsys.readouterr().err


def test_a_command_of_two_words(fake: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A word that stands before others lists them; it takes the rest as its command does."""
    assert 0 == locklab.main(["two", "words", "a"])
    assert "locklab two words a\n" == capsys.readouterr().out
    assert 0 == locklab.main(["two", "--help-all"])
    assert "\n  words  Fake things, for a test\n" in capsys.readouterr().out
    assert 2 == locklab.main(["two", "wrods"])
    message = "error: unknown command 'two wrods'; did you mean 'two words'?\n"
    assert message == capsys.readouterr().err
    assert 2 == locklab.main(["words"])
    assert "error: unknown command 'words'; did you mean 'two words'?\n" == capsys.readouterr().err


def test_a_misspelt_word_below_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """It is suggested, though the command above it takes a word of any kind."""
    assert 2 == locklab.main(["grade", "compar", "a", "b"])
    message = "error: unknown command 'grade compar'; did you mean 'grade compare'?\n"
    assert message == capsys.readouterr().err


def test_unknown_option_points_at_the_help(fake: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An option before the command is refused with where to look."""
    assert 2 == locklab.main(["--frob"])
    assert "error: unknown option '--frob'; see 'locklab --help'\n" == capsys.readouterr().err


def test_error_with_exit_code_is_a_message(fake: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An exception with ``exit_code`` becomes one line and that code, without a traceback."""
    assert 2 == locklab.main(["fake", "fail"])
    out, err = capsys.readouterr()
    assert ("", "error: no such lock 'tikcet'; did you mean 'ticket'?\n") == (out, err)


def test_bug_keeps_its_traceback(fake: str) -> None:
    """Any other exception passes through: it is a bug and must be seen."""
    with pytest.raises(ZeroDivisionError, match="a bug"):
        locklab.main(["fake", "bug"])


def test_interrupt_is_130(fake: str) -> None:
    """Ctrl-C ends with 128 + SIGINT and no traceback."""
    assert 130 == locklab.main(["fake", "interrupt"])


@pytest.mark.parametrize("code", [0, 1, 2, 7])
def test_exit_code_of_the_command_passes(fake: str, code: int) -> None:
    """What a command exits with is what ``locklab`` exits with."""
    assert code == locklab.main(["fake", "exit", str(code)])


def test_exit_with_text_is_an_error(fake: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``sys.exit("text")`` is a message and exit code 1, as Python has it."""
    assert 1 == locklab.main(["fake", "exit-text"])
    assert "error: some reason\n" == capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="a closed pipe is another error elsewhere")
@pytest.mark.covering("arguments", "unbuffered")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", [["--help"], ["show", "--help"], ["show", "lock"], ["show", "lock", "--json"]]
)
def test_a_reader_that_has_gone_ends_a_command_quietly(
    arguments: list[str], unbuffered: str
) -> None:
    """As in ``| head -1``: exit code 141, not a word on stderr, whoever prints."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "locklab", *arguments],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(write)
    assert (141, "") == (done.returncode, done.stderr)


def test_missing_dependency_says_how_to_mend_it(
    fake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command whose dependency is absent names it."""
    assert 2 == locklab.main(["needy"])
    expected = (
        "error: 'locklab needy' needs the Python module no_such_module_x, which is not installed\n"
        "help: make setup\n"
    )
    assert expected == capsys.readouterr().err


def test_help_imports_none_of_the_packages() -> None:
    """The installed ``locklab --help`` loads no package of ours and nothing heavy."""
    code = (
        "import sys, locklab\n"
        "status = locklab.main(['--help'])\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "heavy = {'lockdata', 'locksim', 'locknative', 'numpy', 'numba', 'pandas', 'typer', "
        "'rich', 'pydantic', 'matplotlib', 'scipy'}\n"
        "print(status, sorted(tops & heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "0 []" == done.stdout.splitlines()[-1]


def test_every_installed_command_has_a_module_and_a_help_line() -> None:
    """No entry point leads nowhere, and each has one line to show."""
    declared = {entry.name.replace(".", " ") for entry in entry_points(group=locklab.GROUP)}
    known = locklab.commands()
    assert declared == set(known)
    assert [] == [name for name, command in known.items() if not command.help]


@pytest.mark.covering("arguments", every=2)
@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "ticket", "--cpus", "1", "--operations", "10"]]
)
def test_a_terminal_without_unicode_gets_question_marks(arguments: list[str]) -> None:
    """No traceback where the stream has no character for a dash; nothing else is lost."""
    plain, unicode = (
        subprocess.run(
            [sys.executable, "-m", "locklab", *arguments],
            env={**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "80"},
            capture_output=True,
            encoding=encoding,
            check=False,
        )
        for encoding in ("ascii", "utf-8")
    )
    assert (0, "") == (plain.returncode, plain.stderr)
    assert "?" in plain.stdout
    assert len(unicode.stdout.splitlines()) == len(plain.stdout.splitlines())


def test_python_m_locklab_is_the_same_command() -> None:
    """``python -m locklab`` works, and so does its exit code."""
    command = [sys.executable, "-m", "locklab", "swep"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (2, "") == (done.returncode, done.stdout)
    assert "error: unknown command 'swep'; did you mean 'sweep'?\n" == done.stderr


def test_every_command_can_be_called() -> None:
    """A module with an ``app`` is an entry point: a merge can lose the line in pyproject.toml."""
    folder = Path(locksim.cli.__path__[0])
    made = {p.stem for p in folder.glob("*.py") if "\napp = " in p.read_text(encoding="utf-8")}
    known = {one.module for one in entry_points(group="locklab.commands")}
    assert {f"locksim.cli.{name}" for name in made} <= known
    assert "locksim.cli.sensitivity" in known
