"""Chatroom, the benchmark of 2001, on a kernel with a cache or a scheduler of the submission.

A wrong part can be fast: a cache that makes up decisions, or a scheduler that forgets tasks. So
each run is itself checked, and earns nothing, however good its numbers are, if

- a decision has a wrong seal: it was never put in, or mixes two (``locksim.library.avc.avc_of``);
- the run gets stuck, a task runs on two CPUs, or a message has not arrived at the end;
- a lock let two in.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from lockgrader.checks.submitted import Submitted, without
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, OtherCheck
from lockgrader.lab.chatroom import ChatroomRun
from lockgrader.lab.closed import Text
from locksim.core.result import DeadlockError, SimulationError
from locksim.library.registry import resolve
from locksim.papers.franke_2001.own_kernel import cache_of, scheduler_of

__all__ = ["Chatroom"]


class Chatroom(OtherCheck):
    """A measure of runs of Chatroom, or how many times as large it is as in another run.

    Arguments:
        lock: the class of the submission that is judged. run: the run; ``cache`` and ``scheduler``
            name classes of the submission or of the library.
        ways: several values of the param ``ways`` of the cache, each a run; empty for one run.
        over: the run whose measure the others are divided by, with the library's parts only.
        band: the right values.
    """

    part: ClassVar[Literal["locks", "answers", "data"]] = "locks"
    engines: ClassVar[bool] = True
    measures: ClassVar[bool] = True
    kind: Literal["chatroom"]
    lock: Text
    run: ChatroomRun
    ways: tuple[Annotated[int, Field(ge=1, le=1024)], ...] = ()
    over: ChatroomRun | None = None
    band: Band = Band()

    def judge(self, submitted: Submitted) -> Finding:
        """Run Chatroom, check the runs, and compare."""
        for name in {self.lock, self.run.cache, self.run.scheduler} - {""}:
            if name[0].isupper() and name not in submitted.codes:
                return without(name, submitted)
        base = self.over.number() if self.over is not None else 1.0
        rows = []
        for ways in self.ways or (0,):
            settings = {**self.run.settings, **({"ways": ways} if ways else {})}
            try:
                made = self._simulated(submitted, settings)
            except SimulationError as error:
                return _stuck(error)
            wrong = self._wrong(made)
            if wrong:
                return Finding("fail", 0.0, wrong, tag="wrong-run", violation=True)
            what = self.run.chatroom.replace("_", " ") + (f", {ways} ways" if ways else "")
            what += " over that of the kernel of 2001" if self.over is not None else ""
            rows.append(row(what, self.run.of(made) / base, self.band))
        return found(rows)

    def _simulated(self, submitted: Submitted, settings: dict[str, int]) -> Any:
        cache = scheduler = None
        if self.run.cache:
            # Sealed with the seed; in a hidden check a submission cannot know it.
            cache = cache_of(_part(self.run.cache, submitted), salt=1 + self.run.seed, **settings)
        if self.run.scheduler:
            scheduler = scheduler_of(_part(self.run.scheduler, submitted))
        return self.run.simulated(cache, scheduler)

    def _wrong(self, made: Any) -> str:
        sent = self.run.rooms * self.run.users**2 * self.run.messages
        if made.messages != sent:
            return f"{made.messages:,} of {sent:,} messages have arrived at the end of the run"
        times = sum(counters["violations"] for counters in made.locks.values())
        return f"mutual exclusion was violated {times} times in the run" if times else ""


def _part(name: str, submitted: Submitted) -> Any:
    return submitted.codes[name].struct if name in submitted.codes else resolve(name).struct


def _stuck(error: SimulationError) -> Finding:
    """The finding of a run that ended with a fault of the submission's."""
    stuck = isinstance(error, DeadlockError)
    tag = "lost" if stuck else "fault"
    says = f"the run of Chatroom {'got stuck' if stuck else 'stopped'}: {error}"
    return Finding("fail", 0.0, says[:4000], tag=tag, violation=True)
