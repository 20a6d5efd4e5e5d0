"""Commands whose options come from the table."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from lockui.command import Detail, command, options
from lockui.quantities import Time

SEEN: list[Any] = []


@dataclass(frozen=True)
class Load:
    """A group of options."""

    hold: Annotated[Time | None, Detail(default="none")] = None
    words: int = 1


def app() -> typer.Typer:
    """Return an app with one command, which notes what it gets."""
    made = typer.Typer(add_completion=False)

    @command(made)
    def run(
        lock: Annotated[str, typer.Argument(help="a lock")],
        load: Load,
        cpus: int = 4,
        seed: int = 1,
        json: bool = False,
    ) -> None:
        """Run a lock.

        Arguments stand below.
        """
        SEEN[:] = [lock, load, cpus, seed, json]

    return made


def ask(*arguments: str) -> Any:
    """Run the command."""
    return CliRunner().invoke(app(), arguments)


def test_a_group_is_flat_on_the_command_line() -> None:
    """The fields of a group are options of the command, and arrive as the group."""
    assert 0 == ask("ticket", "--hold", "5ns", "--words", "3").exit_code
    assert ["ticket", Load(Time(5000), 3), 4, 1, False] == SEEN


def test_help_is_that_of_the_table() -> None:
    """Help shows the table's meaning under the table's heading, and what the command adds."""
    shown = ask("--help").stdout
    assert "Load:\n  --hold <time>  time inside a critical section" in shown
    assert "[default: none]" in " ".join(shown.split())
    assert f"--cpus <number>  {options()['cpus'].meaning}  [default: 4]" in shown


def test_rare_options_are_shown_by_help_all() -> None:
    """The first help counts what it leaves out."""
    first, every = ask("--help").stdout, ask("--help-all").stdout
    assert ("--seed" not in first, "--seed" in every) == (True, True)
    assert first.endswith("2 more options: --help-all\n")
    assert "more option" not in every


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "--hold", "5"], "--hold 5: write a number with its unit, as 100ns"),
        (["x", "--cpus", "a"], "--cpus a: write a whole number"),
        (["x", "--cpu", "3"], "unknown option '--cpu'; did you mean '--cpus'?"),
        (["x", "--zzzz", "3"], "unknown option '--zzzz'; see 'run --help-all'"),
        ([], "missing argument 'lock'; see 'run --help'"),
    ],
)
def test_a_wrong_command_line_is_one_message(arguments: list[str], message: str) -> None:
    """No box, no usage: what is wrong, and what to do."""
    result = ask(*arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: {message}")
    assert 1 == len(result.stderr.splitlines())


def test_an_option_must_stand_in_the_table() -> None:
    """A command cannot invent an option."""
    made = typer.Typer()
    with pytest.raises(LookupError, match="option --colour is not in"):

        @command(made)
        def run(colour: str = "red") -> None:
            """Run."""
