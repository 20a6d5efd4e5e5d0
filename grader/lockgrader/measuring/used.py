"""Proofs from memory that the CPUs of a measurement have used.

A proof speaks of the states that a few threads reach from fresh memory. A measurement soon leaves
them: words have counted to thousands, and CPUs have high numbers. A program can choose by
arithmetic, without a branch, to behave there otherwise. So the CPUs of the measurement use the
struct until all of them have returned (:mod:`locksim.study.use`), and the same proof begins once
more from what they have left, on CPUs drawn from theirs, with their number as ``n_cpus()``.

The moments are drawn from a seed, one in each of equal parts of a logarithmic scale: a few uses,
some, and as many as a measurement has.

Two further runs are larger than a measurement, so that a threshold beyond it is found too. In the
*crowd* 64 CPUs come at once, and one thread of the proof is on the last of them. In the *long
run* four CPUs, spread over the machine, come 32,768 to 65,536 times to a lock, and 8,192 to
16,384 times to a decision cache, several times what any measurement asks of one CPU.

A lock may branch by ``cpu()``, so that each CPU has its part. The proof from fresh memory has CPUs
0, 1 and perhaps 2, and reaches their parts only. Where CPUs of the crowd ran operations that no
proof has reached, the crowd is repeated with threads of the proof on such CPUs. An operation that
only proofs from used memory reach must also be right in the memory model of the check: those proofs
are repeated under it.
"""

from __future__ import annotations

import linecache
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from inspect import getsourcefile
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import Field

from lockgrader.finding import Finding, Operation
from lockgrader.lab.placed import Placed

if TYPE_CHECKING:
    from locksim.checker.client import Client
    from locksim.checker.verdict import Budget, Verdict
    from locksim.compiler.ir import ClassCode
    from locksim.core.result import SimulationError
    from locksim.kinds import StructKind
    from locksim.lang.struct import Workload
    from locksim.study.use import Use

__all__ = ["Used", "after_use", "moments"]

LONGEST_PS = 10**12
CROWD, CROWD_THINK_PS = 64, 10_000
LARGE = "ideal-64"
"""The machine of the crowd where the lab's is smaller."""
FEW, LONG_THINK_PS = 4, 200_000
"""How many CPUs come to the long run."""
LONG, LONG_OTHER = 1 << 15, 1 << 13
"""Half of their uses, at most: of a lock, and of another struct, whose uses take longer."""
MOST_OBJECTS = 192
"""Lines of memory that may be in use after a run: fewer than the proofs replace under a reader."""
MOST_CROWDS = 8
"""Further proofs on CPUs that run operations of their own, at most; two CPUs in each."""
_MOMENTS = 1 << 21
"""The stream of the moments' draws, beside those of the threads."""


Memory = Literal["sc", "tso", "c11"]
"""A memory model of the checker."""


class Used(Placed):
    """Proofs from memory that many CPUs have used.

    Arguments:
        machine: a profile. cpus: how many use the struct first; the threads of the proof are on
            CPUs drawn from these.
        uses: of all CPUs together in the longest of the runs, about as many as a measurement has.
        moments: runs, each longer than the one before. seed: of their lengths, loads and CPUs.
        memory: of these proofs.
    """

    cpus: Annotated[int, Field(ge=2, le=256)] = 32
    uses: Annotated[int, Field(ge=10, le=100_000)] = 2_500
    moments: Annotated[int, Field(ge=1, le=10)] = 3
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    memory: Memory = "sc"


def after_use(
    used: Used,
    code: ClassCode,
    budget: Budget,
    reached: frozenset[Operation],
    *,
    name: str,
    client: str,
    memory: Memory,
) -> tuple[Finding | None, frozenset[Operation]]:
    """What is wrong with a struct that many CPUs have used, and what the proofs of it have reached.

    Arguments:
        used: by whom. code: of the struct. budget: of each proof.
        reached: the operations that the proof from fresh memory has reached.
        name: of the class. client: prefix of the names of the clients. memory: model of the proof
            from fresh memory.

    Returns:
        The finding, or None if nothing is wrong; and ``reached`` with what these proofs add.
    """
    from locksim.kinds import kind_of
    from locksim.lang.struct import Lock

    kind = kind_of(code.struct)
    if kind is None:
        return None, reached
    proofs = _Proofs(used, kind, code, budget, name, client, memory, {*reached})
    crowd, *others = _runs(used, LONG if issubclass(code.struct, Lock) else LONG_OTHER)
    finding = proofs.after(crowd)
    for run in others:
        finding = finding or proofs.after(run)
    for _ in range(MOST_CROWDS):
        on = proofs.lacking()
        if finding is not None or on is None:
            break
        finding = proofs.after(replace(crowd, on=on))
    return finding, frozenset(proofs.reached)


def moments(used: Used) -> list[int]:
    """How often the struct is used, by all CPUs together, before each of the proofs."""
    from locksim.lang.randomness import draw

    found = []
    for k in range(used.moments):
        low, high = (used.uses ** (j / used.moments) for j in (k, k + 1))
        found.append(int(low + (high - low) * (draw(used.seed, _MOMENTS, k) % 1001) / 1000))
    return found


@dataclass(frozen=True)
class _Run:
    """How the struct is used before a proof.

    Arguments:
        machine, cpus: of the run. uses: of all of them together, about. rounds: of a CPU at most.
        on: the CPUs of the proof's threads. seed: of the run. number: of the load.
        step: only every so many CPUs come. think_ps: between two uses; 0: the load's own.
    """

    machine: str
    cpus: int
    uses: int
    rounds: int
    on: tuple[int, int]
    seed: int
    number: int
    step: int = 1
    think_ps: int = 0


def _runs(used: Used, long: int) -> Iterator[_Run]:
    """The crowd, the moments, and the long run; all that can be drawn is drawn.

    Arguments:
        used: how many CPUs and uses. long: half of the uses of the long run, at most.
    """
    from locksim import machine as machines
    from locksim.lang.randomness import draw
    from locksim.study.use import drawn_cpus

    seed = used.seed + used.moments
    large = machines.load(used.machine).n_cpus >= CROWD
    machine, crowd = (used.machine if large else LARGE), CROWD
    (other,) = drawn_cpus(seed, 1, crowd - 1)
    yield _Run(machine, crowd, 2 * crowd, 4, (other, crowd - 1), seed, 0, think_ps=CROWD_THINK_PS)
    for number, uses in enumerate(moments(used)):
        seed = used.seed + number
        first, second = drawn_cpus(seed, 2, used.cpus)
        rounds = max(1, 2 * uses // used.cpus)
        yield _Run(used.machine, used.cpus, uses, rounds, (first, second), seed, number)
    seed = used.seed + used.moments + 1
    step = max(1, crowd // FEW)
    offset, uses = draw(seed, _MOMENTS, 0) % step, long + draw(seed, _MOMENTS, 1) % long
    first, second = (offset + step * k for k in drawn_cpus(seed, 2, crowd // step))
    think_ps = LONG_THINK_PS
    yield _Run(machine, crowd, uses, 2 * uses // FEW, (first, second), seed, 1, step, think_ps)


@dataclass(frozen=True)
class _Where:
    """One of the runs, of a kind of struct."""

    used: Used
    kind: StructKind
    run: _Run

    @property
    def crowd(self) -> str:
        come = f"every {self.run.step}th of the " if self.run.step > 1 else ""
        return f"{come}{self.run.cpus} CPUs of {self.run.machine}"

    def under(self, memory: str) -> str:
        """After which uses, on which CPUs, under which memory model."""
        first, second = self.run.on
        return (
            f"after some {self.run.uses:,} uses by {self.crowd}, with threads on CPUs {first} and "
            f"{second} ({memory.upper()})"
        )


@dataclass
class _Proofs:
    """The proofs of a struct from memory that was used.

    Arguments:
        used, kind, code, budget, name, client, memory: as for :func:`after_use`.
        reached: the operations of the submission that proofs have reached so far.
        crowd: operation → the CPUs that ran it in the first run.
        asked: operation → how often a proof had a thread on such a CPU.
    """

    used: Used
    kind: StructKind
    code: ClassCode
    budget: Budget
    name: str
    client: str
    memory: Memory
    reached: set[Operation]
    crowd: dict[Operation, frozenset[int]] = field(default_factory=dict)
    asked: Counter[Operation] = field(default_factory=Counter)

    def lacking(self) -> tuple[int, int] | None:
        """Two CPUs that ran operations which no proof has reached; None if there are none.

        What all CPUs have run is left out, since it does not depend on the CPU. An operation that
        two such proofs have not reached is given up: it may need three threads at once.
        """
        all_cpus = frozenset[int]().union(*self.crowd.values())
        lack = {
            operation: cpus
            for operation, cpus in self.crowd.items()
            if operation not in self.reached and cpus != all_cpus and self.asked[operation] < 2
        }
        if not lack:
            return None
        first = max(range(CROWD), key=lambda c: sum(c in cpus for cpus in lack.values()))
        rest = [cpus for cpus in lack.values() if first not in cpus] or [*lack.values()]
        others = (c for c in range(CROWD) if c != first)
        second = max(others, key=lambda c: sum(c in cpus for cpus in rest))
        self.asked.update(o for o, cpus in lack.items() if cpus & {first, second})
        return first, second

    def after(self, run: _Run) -> Finding | None:
        """What is wrong after a run; None if nothing is, or no load leads there."""
        from lockgrader.measuring.ran import operations
        from locksim.core.result import DeadlockError, SimulationError
        from locksim.kinds.kind import resized
        from locksim.lang.struct import Workload
        from locksim.study.use import use

        load = self.kind.wearing(self.code.struct, run.rounds, run.on, run.number)
        if load is None:
            return None
        sizes = {"step": run.step, "offset": run.on[0] % run.step}
        sizes |= {"think_ps": run.think_ps} if run.think_ps else {}
        load = cast(Workload, resized(load, **sizes))
        where = _Where(self.used, self.kind, run)
        try:
            left = use(
                load,
                part=self.kind.part,
                machine=run.machine,
                cpus=run.cpus,
                on=run.on,
                seed=run.seed,
                longest_ps=LONGEST_PS,
                watch=not self.crowd,
            )
        except SimulationError as error:
            tag = "deadlock" if isinstance(error, DeadlockError) else "fault"
            says = f"{where.crowd} use it, unequally often, and stop: {error}{_asked(error, load)}"
            return Finding("fail", 0.0, says, tag=tag, violation=self.name)
        wrong = _wrong(left)
        if wrong:
            says = f"{where.crowd} use it, unequally often: {wrong}"
            return Finding("fail", 0.0, says, tag="exclusion", violation=self.name)
        for place, cpus in left.ran.items():
            for operation in operations([place], self.code.file):
                self.crowd[operation] = cpus
        return self._proven(where, left)

    def _proven(self, where: _Where, left: Use) -> Finding | None:
        """The finding of the proofs that begin with what a run has left."""
        from lockgrader.measuring.ran import operations
        from locksim.checker.client import chosen

        on = where.run.on
        for client in chosen(self.kind.worn_clients(self.code.struct, len(on)), self.client):
            verdict = self._verdict(client, on, self.used.memory, left)
            reached = operations(verdict.ran, self.code.file)
            memory = self.used.memory
            if verdict.verdict == "proven" and reached - self.reached:
                memory = self.memory
                if memory != self.used.memory:
                    verdict = self._verdict(client, on, memory, left)
            finding = _judged(verdict, where.under(memory), self.name)
            if finding is not None:
                return finding
            self.reached |= reached
        return None

    def _verdict(self, client: Client, on: tuple[int, int], memory: str, left: Use) -> Verdict:
        from locksim.checker.check import check_clients

        return check_clients(
            [client],
            name=self.name,
            threads=len(on),
            rounds=1,
            memory=memory,
            budget=self.budget,
            used=left.used,
        )


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
    sections = left.words.get("visits", left.acquired)
    counted = left.words.get("count", sections)
    if counted != sections:
        return f"{sections:,} critical sections counted a word up to {counted:,}"
    if left.objects > MOST_OBJECTS:
        return (
            f"{left.objects:,} lines of memory are still allocated when all is over; at "
            f"most {MOST_OBJECTS} is right"
        )
    return ""


def _asked(error: SimulationError, load: Workload) -> str:
    """What an assertion of our load asked for, from its line; "" for any other error."""
    file = getsourcefile(type(load)) or ""
    found = re.search(rf"{PurePath(file).name}:(\d+) in .*: an assertion failed$", str(error))
    comment = linecache.getline(file, int(found[1])).partition("# ")[2] if found else ""
    return f" (right is: {comment.strip()})" if comment else ""
