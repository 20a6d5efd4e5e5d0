"""The options of the commands that simulate: the plain load, how often and where to run."""

from typing import Annotated, Literal

import typer

from lockui.arguments import bounded, whole_numbers
from lockui.errors import UsageError

__all__ = [
    "Arrivals",
    "Burst",
    "Distribution",
    "Hold",
    "ReadPercent",
    "Think",
    "Words",
    "check_runs",
    "cpus_of",
    "read_placement",
]

Hold = Annotated[int, typer.Option(help="time inside the critical section, in ns")]
Think = Annotated[int, typer.Option(help="mean time between critical sections, in ns")]
ReadPercent = Annotated[int, typer.Option(help="share of readers (reader-writer locks)")]
Words = Annotated[int, typer.Option(help="shared words counted up under the lock")]
Arrivals = Annotated[
    str, typer.Option(help="closed: think after each section; open: ask at random times")
]
Burst = Annotated[int, typer.Option(help="critical sections that come together")]
Distribution = Annotated[str, typer.Option(help="constant, exponential, uniform or bimodal")]


def cpus_of(number: int) -> str:
    """Return "1 CPU" or "8 CPUs"."""
    return f"{number} CPU{'s' * (number != 1)}"


def check_runs(*, replications: int, seed: int, operations: int = 1) -> None:
    """Check how often and how long to run, before anything runs.

    Raises:
        UsageError: there would be nothing to measure, or a number does not fit the engine's words.
    """
    bounded(operations, "--operations", 1, 10**9)
    bounded(replications, "--replications", 1, 10**5)
    bounded(seed, "--seed", 0, 2**62)


def read_placement(text: str) -> Literal["compact", "scatter"] | list[int]:
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
