"""Common options of the commands that simulate: load, number of runs and placement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from locksim.cli import values
from lockui.arguments import bounded, whole_numbers
from lockui.completion import among
from lockui.console import say
from lockui.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from locksim.kinds import LoadSettings

__all__ = [
    "PLACEMENTS",
    "Arrivals",
    "Burst",
    "Distribution",
    "Hold",
    "Latex",
    "LockName",
    "MachineName",
    "MemoryModel",
    "Plots",
    "ReadPercent",
    "Think",
    "Words",
    "check_latex",
    "check_runs",
    "cpus_of",
    "load_in_words",
    "load_settings",
    "read_placement",
    "say_plots",
]

Hold = Annotated[int, typer.Option(help="time inside the critical section, in ns")]
Think = Annotated[int, typer.Option(help="mean time between critical sections, in ns")]
ReadPercent = Annotated[int, typer.Option(help="share of readers, in per cent")]
Words = Annotated[int, typer.Option(help="shared words incremented under the lock")]
Arrivals = Annotated[
    str,
    typer.Option(
        help="closed: think between sections; open: random arrivals",
        autocompletion=among(values.arrivals),
    ),
]
Burst = Annotated[int, typer.Option(help="critical sections in one burst")]
Plots = Annotated[
    list[Path] | None,
    typer.Option(
        "--plot",
        help="save a plot: .svg, .pdf, .png, .pgf or .html (a page); may be repeated",
    ),
]
Latex = Annotated[bool, typer.Option("--latex", help="print the tables as LaTeX")]
Distribution = Annotated[
    str,
    typer.Option(
        help="constant, exponential, uniform or bimodal",
        autocompletion=among(values.distributions),
    ),
]
LockName = Annotated[
    str,
    typer.Argument(
        help="a name from 'locklab lock list', or FILE.py:CLASS",
        autocompletion=among(values.locks()),
    ),
]
MachineName = Annotated[
    str,
    typer.Option(help="a name from 'locklab machine list'", autocompletion=among(values.machines)),
]
MemoryModel = Annotated[
    str,
    typer.Option(help="memory model: sc, tso or c11", autocompletion=among(values.memory_models)),
]
PLACEMENTS = ("compact", "scatter")


def say_plots(files: Iterable[Path], output: Console | None = None) -> None:
    """Print where the plots are, a file on each line."""
    say("\n" + "\n".join(f"plot: {file}" for file in files), output)


def cpus_of(number: int) -> str:
    """Return "1 CPU" or "8 CPUs"."""
    return f"{number} CPU{'s' * (number != 1)}"


def check_runs(*, replications: int, seed: int, operations: int = 1) -> None:
    """Check the number and length of the runs.

    Raises:
        UsageError: a number is out of range.
    """
    bounded(operations, "--operations", 1, 10**9)
    bounded(replications, "--replications", 1, 10**5)
    bounded(seed, "--seed", 0, 2**62)


def check_latex(latex: bool, json: bool) -> None:
    """Check that at most one of ``--latex`` and ``--json`` is given.

    Raises:
        UsageError: both are.
    """
    if latex and json:
        raise UsageError("--latex and --json exclude each other: choose one")


def load_in_words(hold_ns: int, think_ns: int, *, replications: int, seed: int) -> str:
    """Return load and seeds as the sentence of a plot's caption."""
    runs = f"{replications} replication{'s' * (replications != 1)}, seeds from {seed}"
    return f"Hold {hold_ns:,} ns, think {think_ns:,} ns; {runs}."


def load_settings(
    hold_ns: int,
    think_ns: int,
    read_percent: int,
    words: int,
    process: tuple[str, int, str, str],
    tasks: int = 16,
) -> LoadSettings:
    """Read the settings of a plain load from the options of that name.

    Arguments:
        process: --arrivals, --burst, --hold-times and --think-times.

    Raises:
        LoadError: a value is out of range, or a word is not known.
    """
    from locksim.kinds import ArrivalProcess, LoadSettings
    from locksim.lang import NS

    times = {"hold_ps": hold_ns * NS, "think_ps": think_ns * NS}
    arrivals = ArrivalProcess(*process)
    return LoadSettings(
        **times, read_percent=read_percent, words=words, tasks=tasks, arrivals=arrivals
    )


def read_placement(text: str) -> Literal["compact", "scatter"] | list[int]:
    """Return the placement of a text: a rule's name, or CPU numbers such as ``0,4,8``.

    Raises:
        UsageError: the text is neither.
    """
    if text == "compact":
        return "compact"
    if text == "scatter":
        return "scatter"
    try:
        return whole_numbers(text, "--placement")
    except UsageError:
        raise UsageError(
            f"--placement {text}: write compact, scatter, or CPU numbers such as 0,4,8"
        ) from None
