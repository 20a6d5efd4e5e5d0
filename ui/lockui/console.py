"""The two streams of a command: the answer on stdout, progress and warnings on stderr.

stdout holds only the answer: tables, or with ``--json`` one JSON document.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from lockui.latex import LatexConsole

__all__ = ["at_least_80", "console", "progress", "say", "stderr", "warn"]

#: A progress bar appears after this many seconds.
PATIENCE_S = 2.0
#: Smallest width in columns for which tables are laid out; a narrower terminal wraps them.
NARROWEST = 80


def console(*, latex: bool = False) -> Console:
    """Return a new console on the current stdout, so that redirections take effect.

    Arguments:
        latex: whether it prints tables as LaTeX and texts as comments.
    """
    return LatexConsole() if latex else at_least_80(Console(highlight=False))


def stderr() -> Console:
    """Return a new console on the current stderr, for everything except the answer."""
    return Console(stderr=True, highlight=False)


def say(text: str, output: Console | None = None) -> None:
    """Print a line without wrapping, so that it can be copied; on stdout by default."""
    (output or console()).print(text, markup=False, soft_wrap=True)


def warn(text: str) -> None:
    """Print a warning on stderr."""
    stderr().print(f"warning: {text}", markup=False, soft_wrap=True)


@contextmanager
def progress(
    what: str,
    *,
    clock: Callable[[], float] = time.monotonic,
    output: Console | None = None,
) -> Iterator[Callable[[str, float], None]]:
    """Yield ``report(text, fraction)``; a bar appears on stderr once two seconds have passed.

    Only a terminal gets a bar; a file or a pipe does not.

    Arguments:
        what: the text beside the bar until the first report.
        clock: seconds that only go up.
        output: where to draw, by default stderr.
    """
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

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


def at_least_80(output: Console) -> Console:
    """Return a console that is at least 80 columns wide, so that no table is cut."""
    output.width = max(output.width, NARROWEST)
    return output
