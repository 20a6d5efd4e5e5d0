"""The base of all tables in a lab's files, and their plain values."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[float, Field(allow_inf_nan=False)]
Text = Annotated[str, Field(min_length=1)]


class Closed(BaseModel):
    """A table of the file; a key that it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
