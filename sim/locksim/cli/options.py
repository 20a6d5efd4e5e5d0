"""Common options of the commands that simulate: load, number of runs and placement."""

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
ReadPercent = Annotated[int, typer.Option(help="share of readers, in per cent")]
Words = Annotated[int, typer.Option(help="shared words incremented under the lock")]
Arrivals = Annotated[
    str, typer.Option(help="closed: think between sections; open: random arrivals")
]
Burst = Annotated[int, typer.Option(help="critical sections in one burst")]
Distribution = Annotated[str, typer.Option(help="constant, exponential, uniform or bimodal")]


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
