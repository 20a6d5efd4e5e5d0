"""Chatroom, the benchmark of 2001, on a kernel with a cache or a scheduler of the submission.

A wrong part can be fast: a cache that makes up decisions, or a scheduler that forgets tasks. So
the rules of every measurement hold here too (:mod:`lockgrader.measuring.rules`), and a run earns
nothing if it gets stuck, if a task runs on two CPUs, or if a message has not arrived at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from lockgrader.finding import Finding, Settled, found, row
from lockgrader.lab import Band
from lockgrader.lab.chatroom import LOCKS, ChatroomRun
from lockgrader.measuring.class_check import ClassCheck
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.measuring.decisions import Notes
    from lockgrader.submitted import Submitted
    from locksim.core.result import SimulationError

__all__ = ["Chatroom"]


class Chatroom(ClassCheck):
    """A measure of runs of Chatroom, or how many times as large it is as in another run.

    Arguments:
        lock: the class of the submission that is judged. run: the run; ``cache`` and ``scheduler``
            name classes of the submission or of the library.
        ways: several values of the param ``ways`` of the cache, each a run; empty for one run.
        over: the run whose measure the others are divided by, with the library's parts only.
        band: the right values.
    """

    kind: Literal["chatroom"]
    run: ChatroomRun
    ways: tuple[Annotated[int, Field(ge=1, le=1024)], ...] = ()
    over: ChatroomRun | None = None
    band: Band = Band()

    @property
    def measured_classes(self) -> tuple[str, ...]:
        """The parts that are the submission's."""
        from lockgrader.measuring.runs import is_own

        return tuple(filter(is_own, dict.fromkeys((self.run.cache, self.run.scheduler))))

    @property
    def measures(self) -> bool:
        """It shows the measure."""
        return True

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Run Chatroom, check the runs, and compare."""
        for name in (self.lock, *self.measured_classes):
            submitted.struct(name)
        base = self.over.number() if self.over is not None else 1.0
        rows = []
        for ways in self.ways or (0,):
            settings = {**self.run.settings, **({"ways": ways} if ways else {})}
            made, notes = self._counted(submitted, settings)
            number, why = self._waiting(made, notes)
            what = self.run.chatroom.replace("_", " ") + (f", {ways} ways" if ways else "") + why
            if self.over is not None:
                what += f" over that of {self.over.cache or 'the kernel of 2001'}"
            rows.append(row(what, number / base, self.band))
        return found(rows)

    def _waiting(self, made: Any, notes: Notes) -> tuple[float, str]:
        """The measure of a run, and a remark on it.

        A cache under a bare word has no metered lock, and its callers wait all the same. So where
        waiting is asked for, the time of its calls counts, if it is longer.
        """
        from lockgrader.measuring.decisions import waited_ps

        number = self.run.of(made)
        if self.run.chatroom == "avc_share":
            waited_s = sum(map(waited_ps, notes.calls())) / 1e12
            if (share := waited_s / made.seconds / made.cpus) > number:
                return share, " (its calls wait, and for no metered lock)"
        return number, ""

    def _counted(self, submitted: Submitted, settings: dict[str, int]) -> tuple[Any, Notes]:
        """A run that counts, and the notes of its cache.

        Raises:
            Settled: it got stuck, lost a message, or breaks a rule of every measurement.
        """
        from lockgrader.measuring.decisions import NotedDecisions, Notes
        from lockgrader.measuring.rules import Seen, check_run
        from lockgrader.measuring.runs import is_own
        from locksim.core.result import SimulationError
        from locksim.kinds.kind import surrounded
        from locksim.library.avc.avc_of import AvcOf
        from locksim.papers.franke_2001.own_kernel import cache_of, scheduler_of
        from locksim.papers.franke_2001.setting import MACHINE

        cache, scheduler, notes = self.run.cache, self.run.scheduler, Notes()
        built = queues = None
        if cache:
            # Sealed with the seed; in a hidden check a submission cannot know it.
            built = cache_of(_part(cache, submitted), salt=1 + self.run.seed, **settings)
            if isinstance(built, AvcOf):
                built = surrounded(built, "cache", NotedDecisions)
        if scheduler:
            queues = scheduler_of(_part(scheduler, submitted))
        try:
            made = self.run.simulated(built, queues, watch=notes)
        except SimulationError as error:
            raise Settled(self._stuck(error)) from error
        sent = self.run.rooms * self.run.users**2 * self.run.messages
        if made.messages != sent:
            says = f"{made.messages:,} of {sent:,} messages have arrived at the end of the run"
            raise Settled(Finding("fail", message=says, tag="wrong-run"))
        seen = Seen(
            where=f"on {self.run.cpus} CPUs of {MACHINE}",
            violations={
                part if is_own(part) else "": made.locks[lock]["violations"]
                for part, lock in ((cache, LOCKS["avc"]), (scheduler, LOCKS["run_queue"]))
            },
            ran=made.ran,
            notes=notes if is_own(cache) else None,
            cache=cache,
            uncalled=_uncalled(scheduler, submitted),
        )
        check_run(seen, self.measured_classes, submitted)
        return made, notes

    def _stuck(self, error: SimulationError) -> Finding:
        """The finding of a run that ended with a fault; a lost task shows no wrong lock."""
        from locksim.core.result import DeadlockError

        stuck = isinstance(error, DeadlockError)
        says = f"the run of Chatroom {'got stuck' if stuck else 'stopped'}: {error}"[:4000]
        parts = self.measured_classes
        wrong = parts[0] if len(parts) == 1 and not stuck else ""
        return Finding("fail", message=says, tag="lost" if stuck else "fault", violation=wrong)


def _uncalled(scheduler: str, submitted: Submitted) -> set[str]:
    """The methods of a scheduler's interface that the kernel calls and a proof's tasks do not."""
    from locksim.library.schedulers.interface import Scheduler

    called = {method for method, _, _ in submitted.proven.get(scheduler, ())}
    return {f"{scheduler}.{name}" for name in dir(Scheduler)} - called


def _part(name: str, submitted: Submitted) -> Any:
    from lockgrader.measuring.runs import is_own
    from locksim.library.registry import resolve

    return submitted.struct(name) if is_own(name) else resolve(name).struct
