"""A client of the lab's own uses a class of the submission, in every interleaving.

The clients of :mod:`locksim.kinds` ask what every lock of a kind promises. This one asks whatever
the lab writes: it is a workload in the language that has the student's class as one of its parts,
and says by ``assert``, by ``free`` and by its words at the end what must hold.
"""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.lab import LabError
from lockgrader.lab.closed import Text
from lockgrader.measuring.class_check import ClassCheck
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["OwnClient"]


class OwnClient(ClassCheck):
    """The checker explores every interleaving of a workload of the lab's.

    Arguments:
        lock: a class of the submission. settings: its parameters, such as ``{most = 3}``.
        client: name of the workload. text: its source in the language. holds: the part of it in
            which the class stands.
        threads, memory, property, states: as for a proof.
        expect: what must hold of its words when all threads have finished, such as
            ``"frees == 1"``. plain: words that stand for data that is not atomic.
    """

    kind: Literal["client"]
    settings: dict[str, int] = Field(default_factory=dict)
    client: Text
    text: Text
    holds: Text = "lock"
    threads: Annotated[int, Field(ge=1, le=8)] = 2
    memory: Literal["sc", "tso", "c11"] = "sc"
    property: str = "all"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000
    expect: str = ""
    plain: tuple[str, ...] = ()

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Prove it, or show a shortest counterexample.

        Raises:
            LabError: the lab's client has no such part.
        """
        from lockgrader.measuring.proofs import budget, unfinished, violated
        from locksim.checker.check import check_workload
        from locksim.compiler import compile_source
        from locksim.lang.struct import Workload

        mine = submitted.struct(self.lock)
        file = f"<{self.name}>"
        client = compile_source(self.text, file)[self.client].struct
        # A counterexample quotes the assertion.
        linecache.cache[file] = (len(self.text), None, self.text.splitlines(keepends=True), file)
        if self.holds not in client.FIELDS:
            raise LabError(f"{self.name}: {self.client} has no part '{self.holds}'")
        strange = self.settings.keys() - mine.FIELDS.keys()
        if strange:
            message = f"{self.lock} has no param '{min(strange)}': keep those of the starter"
            return Finding("fail", 0.0, message, tag="missing")
        workload = client(**{self.holds: mine(**self.settings)})
        assert isinstance(workload, Workload)
        verdict = check_workload(
            workload,
            threads=self.threads,
            expect=self.expect,
            plain=self.plain,
            memory=self.memory,
            property=self.property,
            budget=budget(self.states),
        )
        asked = f"{self.threads} threads, {self.memory.upper()}"
        if verdict.verdict == "proven":
            shown = f"{verdict.states:,} states, every interleaving"
            return Finding("pass", 1.0, f"proven for {asked}: {shown}")
        if verdict.verdict == "unfinished":
            return unfinished(verdict)
        example = verdict.counterexample
        shown = f"{verdict.found} ({asked})"
        if example is None:
            return Finding("fail", 0.0, shown, tag=verdict.found)
        shown = violated(shown, example)
        return Finding("fail", 0.0, shown, tag=example.found, counterexample=example.to_json())
