"""The options that describe a plain load, for the commands that simulate one."""

from typing import Annotated

import typer

__all__ = [
    "Arrivals",
    "Burst",
    "Distribution",
    "Hold",
    "ReadPercent",
    "Think",
    "Words",
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
