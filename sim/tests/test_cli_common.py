"""The helpers that the subcommands share."""

import io
import json
import math

import numpy as np
import pandas as pd
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from locksim.cli import common


class Refused(Exception):
    """An error with an exit code of its own."""

    exit_code = 3


def app_that_raises(error: Exception) -> typer.Typer:
    """Return an app whose only command raises ``error`` under the decorator."""
    app = typer.Typer()

    @app.command()
    @common.reported()
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


@given(st.lists(st.integers(), min_size=1))
def test_whole_numbers_read_what_was_written(numbers: list[int]) -> None:
    """Every list of integers survives being written with commas."""
    assert numbers == common.whole_numbers(",".join(map(str, numbers)), "--cpus")


@pytest.mark.parametrize(("text", "bad"), [("1,x", "x"), ("", ""), ("1,", ""), ("2.5", "2.5")])
def test_whole_numbers_refuse_anything_else(text: str, bad: str) -> None:
    """The message names the option, the text and the part that is wrong."""
    with pytest.raises(common.UsageError) as caught:
        common.whole_numbers(text, "--cpus")
    assert f"--cpus {text}: '{bad}' is no whole number; write them as 1,2,4" == str(caught.value)
    assert 2 == caught.value.exit_code


def test_placement_is_a_rule_or_cpus() -> None:
    """Both rules and lists are read."""
    assert ["compact", "scatter", [0, 4, 8]] == [
        common.placement(text) for text in ("compact", "scatter", "0,4,8")
    ]


def test_unknown_placement_is_refused() -> None:
    """The message names all three ways."""
    with pytest.raises(common.UsageError) as caught:
        common.placement("compakt")
    expected = "--placement compakt: say compact, scatter, or CPU numbers such as 0,4,8"
    assert expected == str(caught.value)


def test_records_have_plain_values() -> None:
    """Numpy's scalars are unwrapped and a missing value is None."""
    table = pd.DataFrame({"lock": ["tas", "mcs"], "n": np.array([1, 2]), "x": [0.5, math.nan]})
    expected = [{"lock": "tas", "n": 1, "x": 0.5}, {"lock": "mcs", "n": 2, "x": None}]
    assert expected == common.records(table)


def test_json_is_valid_whatever_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """NaN and infinity become null, arrays become lists, signs stay readable."""
    common.print_json({"x": math.nan, "y": [np.inf, np.int64(3)], "z": np.arange(2), "t": "95 %–"})
    out = capsys.readouterr().out
    assert {"x": None, "y": [None, 3], "z": [0, 1], "t": "95 %–"} == json.loads(out)
    assert "95 %–" in out


def test_frame_is_printed_with_every_value(capsys: pytest.CaptureFixture[str]) -> None:
    """Long numbers are rounded, brackets are text, a missing value is a dash."""
    table = common.frame([{"lock": "tas[x]", "rate": 1234567.8}, {"lock": "mcs", "rate": None}])
    common.print_frame(table, title="rates")
    out = capsys.readouterr().out
    assert ["tas[x]", "1,234,568"] == next(x for x in out.splitlines() if "tas" in x).split()
    assert ["mcs", "–"] == next(x for x in out.splitlines() if "mcs" in x).split()


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
    with common.progress("sweep", clock=clock, output=output) as report:
        report("ticket on 1 CPUs", 0.0)
        clock.now_s = seconds
        report("ticket on 8 CPUs", 0.5)
    assert shown == ("ticket on 8 CPUs" in screen.getvalue())


def test_progress_is_removed_when_the_block_fails() -> None:
    """An error inside passes, and the bar's thread has ended: the cursor is visible again."""
    screen = io.StringIO()
    clock = Clock()
    output = Console(file=screen, force_terminal=True, width=100)
    with (
        pytest.raises(ZeroDivisionError),
        common.progress("run", clock=clock, output=output) as report,
    ):
        clock.now_s = 5.0
        report("half", 0.5)
        raise ZeroDivisionError
    assert screen.getvalue().rfind("\x1b[?25h") > screen.getvalue().rfind("\x1b[?25l")
