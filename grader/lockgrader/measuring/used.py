"""Proofs from memory that the CPUs of a measurement have used.

A proof speaks of the states that a few threads reach from fresh memory. A measurement soon leaves
them: words have counted to thousands, and CPUs have high numbers. A program can choose by
arithmetic, without a branch, to behave there otherwise. So the CPUs of the measurement use the
struct until all of them have returned (:mod:`locksim.study.use`), and the same proof begins once
more from what they have left, on CPUs drawn from theirs, with their number as ``n_cpus()``. How
often they use it is drawn (:mod:`lockgrader.measuring.uses`).

A lock may branch by ``cpu()``, so that each CPU has its part. The proof from fresh memory has CPUs
0, 1 and perhaps 2, and reaches their parts only. Where CPUs of the crowd ran operations that no
proof has reached, the crowd is repeated with threads of the proof on such CPUs.

After the crowd and after the long run these proofs have the memory model of the check: a fence that
some CPUs leave out, or all of them after some uses, is no operation that could be missed. The
others, and those that take too many states, have SC.
"""

from __future__ import annotations

import contextlib
import linecache
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from inspect import getsourcefile
from pathlib import PurePath
from typing import TYPE_CHECKING

from lockgrader.finding import Finding, Operation
from lockgrader.measuring.uses import CROWD, Run, Used, covered, runs

if TYPE_CHECKING:
    from locksim.checker.client import Client
    from locksim.checker.verdict import Budget, Verdict
    from locksim.core.result import SimulationError
    from locksim.lang.struct import Workload
    from locksim.study.use import Use

__all__ = ["AfterUse", "Wearing", "after_use"]

MOST_OBJECTS = 192
"""Lines of memory that may be in use after a run: fewer than the proofs replace under a reader."""
WEAK_STATES, WEAK_BYTES = 3_000, 1 << 29
"""Of a proof under TSO or C11; a reader that stays beside 192 replacements has more there."""
MOST_CROWDS = 8
"""Further proofs on CPUs that run operations of their own, at most."""


class Wearing(ABC):
    """What is used, how, and what is asked of it then.

    Arguments:
        name: of the class of the submission. file: its source. part: of the loads and the clients
            that holds it. threads: of a proof. long: half of the uses of the long run, at most.
        memory: model of the check. property: that the proofs ask for. by_cpu: whether operations
            that only some CPUs run are looked for, and proven on such CPUs.
    """

    name: str
    file: str
    part: str
    threads: int
    memory: str
    long: int
    property: str = "all"
    by_cpu: bool = False

    @abstractmethod
    def load(self, run: Run) -> Workload | None:
        """A load whose threads return; None if there is none.

        It has the parameters step, offset and think_ps.
        """

    def miscounted(self, left: Use) -> str:
        """What the words of the load show to be wrong; "" if nothing is."""
        return ""

    @abstractmethod
    def clients(self, run: Run) -> Sequence[Client]:
        """The clients that begin with what the load has left, if there is one."""


@dataclass(frozen=True)
class AfterUse:
    """What the proofs from used memory have shown.

    Arguments:
        wrong: the finding, or None if nothing is wrong. reached: the operations that the proofs
            have reached, with those from fresh memory. covered: the uses, in words; "" for none.
    """

    wrong: Finding | None
    reached: frozenset[Operation]
    covered: str = ""


def after_use(
    used: Used, wearing: Wearing, budget: Budget, reached: frozenset[Operation]
) -> AfterUse:
    """Use a struct, and prove it once more from there.

    Arguments:
        used: by whom. wearing: the struct. budget: of each proof.
        reached: the operations that the proof from fresh memory has reached.
    """
    proofs = _Proofs(used, wearing, budget, {*reached})
    todo = runs(used, wearing.threads, wearing.long)
    seen = [run for run in todo if wearing.load(run) is not None]
    for run in seen:
        finding = proofs.after(run)
        if finding is not None:
            return AfterUse(finding, frozenset(proofs.reached))
    finding = None
    for _ in range(MOST_CROWDS if seen else 0):
        on = proofs.lacking()
        if finding is not None or on is None:
            break
        finding = proofs.after(replace(todo[0], on=on))
    return AfterUse(finding, frozenset(proofs.reached), covered(seen) if seen else "")


@dataclass
class _Proofs:
    """The proofs of a struct from memory that was used.

    Arguments:
        used, wearing, budget: as for :func:`after_use`.
        reached: the operations of the submission that proofs have reached so far.
        crowd: operation → the CPUs that ran it in the first run.
        asked: operation → how often a proof had a thread on such a CPU.
    """

    used: Used
    wearing: Wearing
    budget: Budget
    reached: set[Operation]
    crowd: dict[Operation, frozenset[int]] = field(default_factory=dict)
    asked: Counter[Operation] = field(default_factory=Counter)

    def lacking(self) -> tuple[int, ...] | None:
        """CPUs that ran operations which no proof has reached; None if there are none.

        What all CPUs have run is left out, since it does not depend on the CPU. An operation that
        two such proofs have not reached is given up: it may need more threads at once.
        """
        all_cpus = frozenset[int]().union(*self.crowd.values())
        lack = {
            operation: cpus
            for operation, cpus in self.crowd.items()
            if operation not in self.reached and cpus != all_cpus and self.asked[operation] < 2
        }
        if not lack:
            return None
        on: list[int] = []
        for _ in range(self.wearing.threads):
            rest = [cpus for cpus in lack.values() if not cpus & {*on}] or [*lack.values()]
            others = (c for c in range(CROWD) if c not in on)
            on.append(max(others, key=lambda c: sum(c in cpus for cpus in rest)))
        self.asked.update(o for o, cpus in lack.items() if cpus & {*on})
        return tuple(on)

    def after(self, run: Run) -> Finding | None:
        """What is wrong after a run; None if nothing is."""
        from lockgrader.measuring.ran import operations
        from locksim.core.result import DeadlockError, SimulationError

        load, name = self.wearing.load(run), self.wearing.name
        assert load is not None
        try:
            left = run.ended(load, self.wearing.part, watch=self.wearing.by_cpu and not self.crowd)
        except SimulationError as error:
            tag = "deadlock" if isinstance(error, DeadlockError) else "fault"
            says = f"{run.crowd} use it, unequally often, and stop: {error}{_asked(error, load)}"
            return Finding("fail", 0.0, says, tag=tag, violation=name)
        wrong = _wrong(left) or self.wearing.miscounted(left)
        if wrong:
            says = f"{run.crowd} use it, unequally often: {wrong}"
            return Finding("fail", 0.0, says, tag="exclusion", violation=name)
        for place, cpus in left.ran.items():
            for operation in operations([place], self.wearing.file):
                self.crowd[operation] = cpus
        return self._proven(run, left)

    def _proven(self, run: Run, left: Use) -> Finding | None:
        """The finding of the proofs that begin with what a run has left."""
        from lockgrader.measuring.ran import operations

        for client in self.wearing.clients(run):
            verdict = self._verdict(client, left, weak=run.weak)
            finding = _judged(verdict, run.under(verdict.memory), self.wearing.name)
            if finding is not None and self.wearing.property == "starvation":
                # Such a lock is right; from fresh memory the exploration came to its end.
                finding = replace(finding, violation="") if verdict.counterexample else None
            if finding is not None:
                return finding
            self.reached |= operations(verdict.ran, self.wearing.file)
        return None

    def _verdict(self, client: Client, left: Use, *, weak: bool) -> Verdict:
        """Under SC; if ``weak``, under the check's memory model, if a small budget is enough."""
        from locksim.checker.check import check_clients
        from locksim.checker.question import Question

        small = replace(self.budget, max_states=WEAK_STATES, max_bytes=WEAK_BYTES)
        verdict = None
        for memory in dict.fromkeys((self.wearing.memory, "sc")) if weak else ("sc",):
            verdict = check_clients(
                [client],
                Question(
                    name=self.wearing.name,
                    threads=self.wearing.threads,
                    rounds=1,
                    memory=memory,
                    property=self.wearing.property,
                    budget=self.budget if memory == "sc" else small,
                    used=left.used,
                ),
            )
            if verdict.verdict != "unfinished":
                break
        assert verdict is not None
        return verdict


def _judged(verdict: Verdict, where: str, name: str) -> Finding | None:
    """The finding of a verdict; None if it is proven."""
    from lockgrader.measuring.proofs import unfinished, violated

    example = verdict.counterexample
    if verdict.verdict == "unfinished":
        return unfinished(verdict, where)
    if example is None:
        return None
    note = (
        "The threads begin in the memory that the uses before have left: a value that no step here "
        "has written comes from there."
    )
    says = violated(f"{verdict.found} {where}", example, note)
    return Finding("fail", 0.0, says, tag=verdict.found, violation=name)


def _wrong(left: Use) -> str:
    """What a run to the end shows to be wrong; "" if nothing is."""
    if left.violations:
        times = "once" if left.violations == 1 else f"{left.violations:,} times"
        return f"mutual exclusion was violated {times}"
    if left.objects > MOST_OBJECTS:
        return (
            f"{left.objects:,} lines of memory are still allocated when all is over; at "
            f"most {MOST_OBJECTS} is right"
        )
    return ""


def _asked(error: SimulationError, load: Workload) -> str:
    """What an assertion of our load asked for, from its line; "" for any other error."""
    found = re.search(r"([^\s/]+):(\d+) in .*: an assertion failed$", str(error))
    if found is None:
        return ""
    file = found[1]  # a lab's text, which linecache knows by this name
    with contextlib.suppress(TypeError):
        path = getsourcefile(type(load)) or ""
        file = path if PurePath(path).name == found[1] else found[1]
    comment = linecache.getline(file, int(found[2])).partition("# ")[2]
    return f" (right is: {comment.strip()})" if comment else ""
