"""The helpers that the subcommands share."""

import io
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from lockui.arguments import bounded, folder_to_write
from lockui.console import console, progress
from lockui.document import print_json, records
from lockui.errors import UsageError, reported
from lockui.quantities import Numbers


class Refused(Exception):
    """An error with an exit code of its own."""

    exit_code = 3


def app_that_raises(error: BaseException) -> typer.Typer:
    """Return an app whose only command raises ``error`` under the decorator."""
    app = typer.Typer()

    @app.command()
    @reported()
    def command(number: int = 1) -> None:
        raise error

    return app


def test_error_with_exit_code_is_reported_once() -> None:
    """One message on stderr, unwrapped and with its brackets, and the error's own exit code."""
    message = f"{'long ' * 40}[cost.l1_hit] is missing"
    result = CliRunner().invoke(app_that_raises(Refused(message)), ["--number", "2"])
    assert (3, "", f"error: {message}\n") == (result.exit_code, result.stdout, result.stderr)


def test_other_errors_pass() -> None:
    """A bug is not dressed up as a message."""
    result = CliRunner().invoke(app_that_raises(ZeroDivisionError("bug")))
    assert isinstance(result.exception, ZeroDivisionError)


def test_typer_errors_pass() -> None:
    """What typer reports by itself is left to typer."""
    result = CliRunner().invoke(app_that_raises(typer.BadParameter("bad")))
    assert 2 == result.exit_code
    assert "error: bad" not in result.stderr


def test_interrupt_is_reported_as_shells_do() -> None:
    """Ctrl-C that nothing caught is one line and exit code 130."""
    result = CliRunner().invoke(app_that_raises(KeyboardInterrupt()))
    expected = (130, "", "interrupted: nothing was finished\n")
    assert expected == (result.exit_code, result.stdout, result.stderr)


@pytest.mark.parametrize(("value", "good"), [(0, False), (1, True), (8, True), (9, False)])
def test_bounds_belong_to_the_range(value: int, good: bool) -> None:
    """The ends are allowed; what is outside is refused by name."""
    if good:
        assert value == bounded(value, "--cpus", 1, 8)
        return
    with pytest.raises(UsageError) as caught:
        bounded(value, "--cpus", 1, 8)
    assert f"--cpus must be between 1 and 8 (got {value})" == str(caught.value)


def test_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    """Parents too; the trial file is gone."""
    folder = tmp_path / "a" / "b"
    assert folder == folder_to_write(folder, "--output")
    assert [] == list(folder.iterdir())


def test_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    """The message has the option, the system's reason, and what to do."""
    (tmp_path / "file").touch()
    with pytest.raises(UsageError) as caught:
        folder_to_write(tmp_path / "file" / "out", "--output x")
    expected = "--output x: cannot be written (Not a directory); "
    assert str(caught.value).startswith(expected)


def test_console_is_never_too_narrow_for_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A narrow terminal wraps by itself; a wide one is used."""
    widths = []
    for columns in ("40", "132"):
        monkeypatch.setenv("COLUMNS", columns)
        widths.append(console().width)
    assert [80, 132] == widths


@given(st.lists(st.integers(), min_size=1))
def test_numbers_read_what_was_written(numbers: list[int]) -> None:
    """Every list of integers survives being written with commas."""
    assert tuple(numbers) == Numbers.parse(str(Numbers(numbers)))


@pytest.mark.parametrize(("text", "bad"), [("1,x", "x"), ("", ""), ("1,", ""), ("2.5", "2.5")])
def test_numbers_refuse_anything_else(text: str, bad: str) -> None:
    """The message names the text and the part that is wrong."""
    with pytest.raises(UsageError) as caught:
        Numbers.parse(text)
    assert f"{text}: '{bad}' is not an integer; write them as 1,2,4" == str(caught.value)
    assert 2 == caught.value.exit_code


def test_records_have_plain_values() -> None:
    """Numpy's scalars are unwrapped and a missing value is None."""
    table = pd.DataFrame({"lock": ["tas", "mcs"], "n": np.array([1, 2]), "x": [0.5, math.nan]})
    expected = [{"lock": "tas", "n": 1, "x": 0.5}, {"lock": "mcs", "n": 2, "x": None}]
    assert expected == records(table)


def test_json_is_valid_whatever_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """NaN and infinity become null, arrays become lists, signs stay readable."""
    print_json({"x": math.nan, "y": [np.inf, np.int64(3)], "z": np.arange(2), "t": "95 %–"})
    out = capsys.readouterr().out
    assert {"x": None, "y": [None, 3], "z": [0, 1], "t": "95 %–"} == json.loads(out)
    assert "95 %–" in out


class Clock:
    """A clock that a test sets."""

    now_s = 0.0

    def __call__(self) -> float:
        """Return the time that was set."""
        return self.now_s


@pytest.mark.parametrize(("seconds", "shown"), [(1.9, False), (2.0, True)])
def test_progress_appears_after_two_seconds(seconds: float, shown: bool) -> None:
    """What is over sooner draws nothing at all."""
    screen = io.StringIO()
    clock = Clock()
    output = Console(file=screen, force_terminal=True, width=100)
    with progress("sweep", clock=clock, output=output) as report:
        report("ticket on 1 CPUs", 0.0)
        clock.now_s = seconds
        report("ticket on 8 CPUs", 0.5)
    assert shown == ("ticket on 8 CPUs" in screen.getvalue())


def test_progress_estimates_what_is_left() -> None:
    """A quarter in ten seconds leaves twenty for the half that is to come."""
    screen = io.StringIO()
    clock = Clock()
    output = Console(file=screen, force_terminal=True, width=100)
    with progress("sweep", clock=clock, output=output) as report:
        for clock.now_s, share in ((10.0, 0.25), (20.0, 0.5)):
            report("on the way", share)
    assert "left 0:00:20" in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())


def test_progress_draws_nothing_into_a_file() -> None:
    """Not even an empty line, however long it takes."""
    screen = io.StringIO()
    clock = Clock()
    with progress("sweep", clock=clock, output=Console(file=screen)) as report:
        clock.now_s = 60.0
        report("ticket on 8 CPUs", 0.5)
    assert "" == screen.getvalue()


def test_progress_is_removed_when_the_block_fails() -> None:
    """An error inside passes, and the bar's thread has ended: the cursor is visible again."""
    screen = io.StringIO()
    clock = Clock()
    output = Console(file=screen, force_terminal=True, width=100)
    with (
        pytest.raises(ZeroDivisionError),
        progress("run", clock=clock, output=output) as report,
    ):
        clock.now_s = 5.0
        report("half", 0.5)
        raise ZeroDivisionError
    assert screen.getvalue().rfind("\x1b[?25h") > screen.getvalue().rfind("\x1b[?25l")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_json_is_escaped_where_the_stream_is_not_unicode(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it is the same document on a stream that has no character for a dash."""
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding=encoding))
    document = {"note": "1 … 2 \u2013 3 \N{MICRO SIGN}s"}
    print_json(document)
    sys.stdout.flush()
    assert raw.getvalue().isascii()
    assert document == json.loads(raw.getvalue())
