"""The right values of a number."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lockgrader.lab.closed import Closed, Number


class Band(Closed):
    """The right values, and how far from them still earns points.

    Arguments:
        low, high: the ends of the right values; None for an open end.
        fade: distance from the band, as a fraction of its nearer end, from which nothing is
            earned. 0 means all or nothing.
    """

    low: Number | None = None
    high: Number | None = None
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0
