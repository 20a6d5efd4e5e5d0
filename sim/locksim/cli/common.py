"""What the subcommands share: one way to fail, to print tables and JSON, and to show progress.

stdout belongs to the answer (tables, or with ``--json`` one JSON document and nothing else);
everything said on the way goes to stderr.

Exit codes: 0; 1 where what was run turned out to be broken; 2 for a mistake in the arguments or in
the user's program; 130 after Ctrl-C, whether or not there was something to print.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from locksim.cli import tables
from locksim.cli.reproduction import print_reproduction

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "INTERRUPTED",
    "UsageError",
    "asdict",
    "bounded",
    "check_runs",
    "console",
    "cpus_of",
    "folder_to_write",
    "frame",
    "interrupted",
    "placement",
    "print_json",
    "print_reproduction",
    "progress",
    "records",
    "reported",
    "saving",
    "say",
    "stderr",
    "warn",
    "whole_numbers",
]

#: Seconds that pass before a progress bar appears; what is over sooner needs none.
PATIENCE_S = 2.0
#: 128 + SIGINT, as shells report it.
INTERRUPTED = 130


class UsageError(Exception):
    """Arguments that make no sense; the message says what, and how to mend it."""

    exit_code = 2


def console() -> Console:
    """Return a console on today's stdout (made anew, so that a redirection is seen)."""
    return tables.at_least_80(Console(highlight=False))


def stderr() -> Console:
    """Return a console on today's stderr, for everything that is not the answer."""
    return Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """Print a line on stdout as it is: it may be copied, so it is not wrapped."""
    console().print(text, markup=False, soft_wrap=True)


def warn(text: str) -> None:
    """Print a warning on stderr."""
    stderr().print(f"warning: {text}", markup=False, soft_wrap=True)


@contextmanager
def reported() -> Iterator[None]:
    """Turn an error that has an integer ``exit_code`` into one message and that exit code.

    Usable as a decorator of a command. The umbrella does the same for every command; this makes
    an app that is called by itself fail equally well. A Ctrl-C that nothing has caught ends with
    a line that says so and exit code 130.

    Raises:
        typer.Exit: with the error's exit code. Every other exception passes.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise interrupted("nothing was finished") from None
    except Exception as error:
        code = getattr(error, "exit_code", None)
        if not isinstance(code, int) or isinstance(error, typer.Exit | typer.TyperException):
            raise  # a bug, or what typer itself reports
        stderr().print(f"error: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(code) from error


def interrupted(what: str) -> typer.Exit:
    """Say on stderr that Ctrl-C ended the command, and return the exit to raise.

    Args:
        what: what there is to show for it, such as "these are the points that were finished".
    """
    stderr().print(f"interrupted: {what}", markup=False, soft_wrap=True)
    return typer.Exit(INTERRUPTED)


def cpus_of(number: int) -> str:
    """Return "1 CPU" or "8 CPUs"."""
    return f"{number} CPU{'s' * (number != 1)}"


def bounded(value: int, option: str, low: int, high: int) -> int:
    """Return a number that an option was given, if it is from ``low`` to ``high``.

    Raises:
        UsageError: it is not.
    """
    if not low <= value <= high:
        raise UsageError(f"{option} {value}: give a whole number from {low:,} to {high:,}")
    return value


def check_runs(*, replications: int, seed: int, operations: int = 1) -> None:
    """Check how often and how long to run, before anything runs.

    Raises:
        UsageError: there would be nothing to measure, or a number does not fit the engine's words.
    """
    bounded(operations, "--operations", 1, 10**9)
    bounded(replications, "--replications", 1, 10**5)
    bounded(seed, "--seed", 0, 2**62)


def folder_to_write(folder: Path, option: str) -> Path:
    """Make a folder, its parents too, and make sure that files can be made in it.

    Tried by making one: permission bits mislead on read-only file systems and for root.

    Args:
        folder: where results shall go.
        option: what it was given by, as the user wrote it, for the message.

    Raises:
        UsageError: it can not be made or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{option}: {folder} is no folder; name one, or one to make")
    with saving(option):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder


@contextmanager
def saving(option: str) -> Iterator[None]:
    """Turn the system's refusal to write a file into a message that names the option.

    Raises:
        UsageError: for an ``OSError`` inside.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{option}: can not be written ({reason}); name a place that you may write to"
        ) from error


def whole_numbers(text: str, option: str) -> list[int]:
    """Read ``1,2,4`` as a list of whole numbers.

    Args:
        text: what the user wrote.
        option: the option that it was written for, for the message.

    Raises:
        UsageError: for anything that is no whole number, and for none at all.
    """
    numbers = []
    for part in text.split(","):
        try:
            numbers.append(int(part))
        except ValueError:
            raise UsageError(
                f"{option} {text}: '{part.strip()}' is no whole number; write them as 1,2,4"
            ) from None
    return numbers


def placement(text: str) -> Literal["compact", "scatter"] | list[int]:
    """Read a placement: a rule's name, or CPU numbers such as ``0,4,8``.

    Raises:
        UsageError: for anything else.
    """
    if text == "compact":
        return "compact"
    if text == "scatter":
        return "scatter"
    try:
        return whole_numbers(text, "--placement")
    except UsageError:
        raise UsageError(
            f"--placement {text}: say compact, scatter, or CPU numbers such as 0,4,8"
        ) from None


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame."""
    import pandas as pd

    return pd.DataFrame(list(rows))


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a data frame as rows for :func:`print_json`; a missing value is ``None``."""
    return [
        {str(key): _plain(value) for key, value in row.items()}
        for row in table.to_dict(orient="records")
    ]


def print_json(document: Any) -> None:
    """Print one JSON document on stdout; NaN and infinities, which JSON lacks, become null.

    A stream that is not Unicode gets every sign beyond ASCII escaped: the document is the same.
    """
    unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    print(json.dumps(_plain(document), indent=2, ensure_ascii=not unicode, allow_nan=False))


@contextmanager
def progress(
    what: str,
    *,
    clock: Callable[[], float] = time.monotonic,
    output: Console | None = None,
) -> Iterator[Callable[[str, float], None]]:
    """Yield ``report(text, fraction)``; a bar appears on stderr once two seconds have passed.

    Only where somebody looks: a file or a pipe gets no bar.

    Args:
        what: the text beside the bar until the first report.
        clock: seconds that only go up.
        output: where to draw, by default stderr.
    """
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=output or stderr(),
        transient=True,
        get_time=clock,
        speed_estimate_period=3600.0,  # a step may take minutes
    )
    task = bar.add_task(what, total=1.0)
    start_s = clock()
    shown = False

    def report(text: str, fraction: float) -> None:
        nonlocal shown
        bar.update(task, description=text, completed=fraction)
        if not shown and bar.console.is_terminal and clock() - start_s >= PATIENCE_S:
            bar.start()
            shown = True

    try:
        yield report
    finally:
        if shown:
            bar.stop()


def _plain(value: Any) -> Any:
    """Return a value made of what JSON has: numpy's scalars unwrapped, NaN and infinity as None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):  # a numpy scalar or array
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
