"""What the subcommands share: one way to fail, to print tables and JSON, and to show progress.

stdout belongs to the answer (tables, or with ``--json`` one JSON document and nothing else);
everything said on the way goes to stderr.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from locksim.cli.reproduction import print_reproduction

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "UsageError",
    "asdict",
    "console",
    "frame",
    "placement",
    "print_frame",
    "print_json",
    "print_reproduction",
    "progress",
    "records",
    "reported",
    "say",
    "stderr",
    "warn",
    "whole_numbers",
]

#: Seconds that pass before a progress bar appears; what is over sooner needs none.
PATIENCE_S = 2.0


class UsageError(Exception):
    """Arguments that make no sense; the message says what, and how to mend it."""

    exit_code = 2


def console() -> Console:
    """Return a console on today's stdout (made anew, so that a redirection is seen)."""
    return Console(highlight=False)


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
    an app that is called by itself fail equally well.

    Raises:
        typer.Exit: with the error's exit code. Every other exception passes.
    """
    try:
        yield
    except Exception as error:
        code = getattr(error, "exit_code", None)
        if not isinstance(code, int) or isinstance(error, typer.Exit | typer.TyperException):
            raise  # a bug, or what typer itself reports
        stderr().print(f"error: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(code) from error


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
    """Print one JSON document on stdout; NaN and infinities, which JSON lacks, become null."""
    print(json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def print_frame(table: pd.DataFrame, title: str, caption: str | None = None) -> None:
    """Print a data frame: numbers to the right with four significant digits."""
    view = Table(title=escape(title), caption=escape(caption or ""), box=box.SIMPLE_HEAD)
    rows = records(table)
    for name in map(str, table.columns):
        text = any(isinstance(row[name], str) for row in rows)
        view.add_column(escape(name), justify="left" if text else "right")
    for row in rows:
        view.add_row(*(escape(_shown(value)) for value in row.values()))
    console().print(view)


@contextmanager
def progress(
    what: str,
    *,
    clock: Callable[[], float] = time.monotonic,
    output: Console | None = None,
) -> Iterator[Callable[[str, float], None]]:
    """Yield ``report(text, fraction)``; a bar appears on stderr once two seconds have passed.

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
        console=output or stderr(),
        transient=True,
    )
    task = bar.add_task(what, total=1.0)
    start_s = clock()
    shown = False

    def report(text: str, fraction: float) -> None:
        nonlocal shown
        bar.update(task, description=text, completed=fraction)
        if not shown and clock() - start_s >= PATIENCE_S:
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


def _shown(value: Any) -> str:
    """Return a value as a cell of a table shows it."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return str(value)
