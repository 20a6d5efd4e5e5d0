"""The caches of a machine: how many lines they hold, in which sets, and who shares them.

Without a ``[cache]`` table a CPU keeps every line until another CPU takes it. ``sim/PHYSICS.md``,
"What a CPU can hold", says what these numbers do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from locksim.machine.errors import Refusal
from locksim.machine.quantities import Parameter, Role, Text


class CacheLevel(BaseModel):
    """A set-associative cache (``[cache.private]``, ``[cache.l1]``).

    Arguments:
        sets: a power of two; a line's address modulo it is its set.
        ways: lines that a set holds.
        source, role: where both come from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    sets: Annotated[int, Field(ge=1, le=1 << 20)]
    ways: Annotated[int, Field(ge=1, le=64)]
    source: Text
    role: Role

    @property
    def lines(self) -> int:
        """How many lines it holds."""
        return self.sets * self.ways

    @model_validator(mode="after")
    def _sound(self) -> CacheLevel:
        if self.sets & (self.sets - 1):
            raise Refusal("sets", f"{self.sets} is not a power of two; write one such as 1024")
        return self


class SharedCache(CacheLevel):
    """The cache that the CPUs of a node share (``[cache.shared]``).

    Arguments:
        policy: "inclusive", if it keeps what the private caches above it hold; "victim", if it
            keeps what they evict.
    """

    policy: Literal["inclusive", "victim"]


class Caches(BaseModel):
    """The ``[cache]`` table.

    Arguments:
        private: the last level that a CPU has to itself: what is not in it, the CPU does not hold.
        l1: of what it holds, what a hit finds at ``cost.l1_hit``; all else costs
            ``cost.private_hit``. Without it every hit costs ``cost.l1_hit``.
        shared: one for each node, below the private ones; a line from it costs ``cost.shared_hit``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    private: CacheLevel
    l1: CacheLevel | None = None
    shared: SharedCache | None = None

    @model_validator(mode="after")
    def _sound(self) -> Caches:
        if self.l1 is not None and self.l1.lines > self.private.lines:
            raise Refusal(
                "l1",
                f"{self.l1.lines} lines, but the private cache, which contains the L1 cache, has "
                f"only {self.private.lines}; check both",
            )
        shared = self.shared
        if (
            shared is not None
            and shared.policy == "inclusive"
            and shared.lines < self.private.lines
        ):
            raise Refusal(
                "shared",
                f"{shared.lines} lines, but a private cache has {self.private.lines}, and an "
                "inclusive cache contains them all; check both, or set policy to 'victim'",
            )
        return self

    def parameters(self, line_bytes: int) -> Iterator[Parameter]:
        """Yield what is reported of each level: its size in KB and its ways."""
        levels = (("private", self.private), ("l1", self.l1), ("shared", self.shared))
        for name, level in levels:
            if level is not None:
                size = level.lines * line_bytes / 1024
                yield Parameter(f"cache.{name}.size", size, "KB", level.source, level.role)
                yield Parameter(
                    f"cache.{name}.ways", level.ways, "lines a set", level.source, level.role
                )
