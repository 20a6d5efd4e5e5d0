"""A tool judges the C part; how is explained in :mod:`lockgrader.c`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from lockgrader.check import Check, Part
from lockgrader.finding import Finding
from lockgrader.lab import LabError
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["C"]


class C(Check):
    """A tool judges the C part (:mod:`lockgrader.c`).

    Arguments:
        tool: "explorer" (interleavings of a scenario), "validate" (operations in turns, compared
            with a model), "torture" (real threads), or a sanitizer over operations in turns.
        scenario: of the explorer's client. threads: how many.
        memory, preemptions, runs: the explorer's memory model and its two bounds; -1 preemptions is
            a complete search, which proves the scenario. If ``runs`` are not enough, the last
            number of preemptions counts that was searched completely.
        operations: of each thread, for the other tools. seed: of these operations, and of those in
            a scenario that draws some.
    """

    part: ClassVar[Part] = "c"
    runs_code: ClassVar[bool] = True
    kind: Literal["c"]
    tool: Literal["explorer", "validate", "torture", "asan", "tsan", "ubsan"]
    scenario: str = ""
    threads: Annotated[int, Field(ge=2, le=8)] = 2
    memory: Literal["sc", "tso", "c11"] = "sc"
    preemptions: Annotated[int, Field(ge=-1, le=100)] = 2
    runs: Annotated[int, Field(ge=1, le=10_000_000)] = 300_000
    operations: Annotated[int, Field(ge=10, le=5_000)] = 400
    seed: Annotated[int, Field(ge=0, le=2**40)] = 1

    @property
    def tools(self) -> tuple[str, ...]:
        """Its tool."""
        return (self.tool,)

    @property
    def scenarios(self) -> tuple[str, ...]:
        """That of the explorer."""
        return (self.scenario,) if self.tool == "explorer" else ()

    @property
    def random_seed(self) -> int | None:
        """The seed of the operations."""
        return self.seed

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Run the tool.

        Raises:
            SandboxError: there is no sandbox. LabError: the lab names no C file, or its interface
                does not have the scenario.
        """
        if submitted.c is None:
            raise LabError(
                f"the check '{self.name}' needs a C file: name it in lab.toml, as in c = \"lock.c\""
            )
        from lockgrader.c import judge_c  # most labs have no C part

        return judge_c(self, submitted.c, profile)
