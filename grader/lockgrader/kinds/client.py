"""A client of the lab's own uses a class of the submission, in every interleaving.

The clients of :mod:`locksim.kinds` ask what every lock of a kind promises. This one asks whatever
the lab writes: it is a workload in the language that has the student's class as one of its parts,
and says by ``assert``, by ``free`` and by its words at the end what must hold.

It has a program ``use()``, too: one use that leaves the class as it began. Many CPUs use the class
so, and then the client begins once more (:mod:`lockgrader.measuring.used`); its own setup runs on
the memory that they have left.
"""

from __future__ import annotations

import inspect
import itertools
import linecache
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.lab import LabError
from lockgrader.lab.closed import Text
from lockgrader.measuring.proof_check import ProofCheck
from lockgrader.measuring.used import Wearing
from lockgrader.measuring.uses import LONG_OTHER
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.measuring.uses import Run
    from lockgrader.submitted import Submitted
    from locksim.checker.client import Client
    from locksim.checker.verdict import Verdict
    from locksim.lang.struct import Workload

__all__ = ["OwnClient"]

LOAD = "LoadOfMany"
"""The class of the load, which is made of the client."""
_LOAD = """
from locksim.lang import *


{visits}

class {load}(DrawnVisits, {client}):
    def setup(self):
        yield pause()

    def thread(self):
        yield from self.come()

    def visit(self):
        yield from self.use()
"""


class OwnClient(ProofCheck):
    """The checker explores every interleaving of a workload of the lab's.

    Arguments:
        lock: a class of the submission. settings: parameters, such as ``{most = 3}``, of the class
            and, where it has one of the name, of the client; several values are tried in turn.
        cases: parameters of the client alone; each value is tried, and the message names all
            that fail.
        client: name of the workload. text: its source in the language. holds: the part of it in
            which the class stands. staying: another workload of the text, which is asked after many
            uses: in it a thread stays at each of its steps, while another one goes on for long.
        threads, memory, property, states: as for a proof.
        expect: what must hold of its words when all threads have finished, such as
            ``"frees == 1"``. plain: words that stand for data that is not atomic.
        used, fresh: as for :class:`~lockgrader.measuring.proof_check.ProofCheck`.
    """

    kind: Literal["client"]
    settings: dict[str, int | tuple[int, ...]] = Field(default_factory=dict)
    cases: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    client: Text
    text: Text
    holds: Text = "lock"
    staying: str = ""
    threads: Annotated[int, Field(ge=1, le=8)] = 2
    property: str = "all"
    expect: str = ""
    plain: tuple[str, ...] = ()

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Prove it, or show a shortest counterexample.

        Raises:
            LabError: the lab's client has no such part, or no ``use()`` and a memory to use.
        """
        from locksim.kinds.kind import resized

        mine = submitted.struct(self.lock)
        known = self._workloads()
        if self.holds not in known[self.client].FIELDS:
            raise LabError(
                f"{self.name}: the workload {self.client} has no field '{self.holds}' for the "
                f"student's class (it has: {', '.join(known[self.client].FIELDS)}); correct 'holds'"
            )
        strange = self.settings.keys() - mine.FIELDS.keys()
        if strange:
            message = f"{self.lock} has no param '{min(strange)}': keep those of the starter"
            return Finding("fail", 0.0, message, tag="missing")
        tried: list[tuple[str, Finding]] = []
        for settings in self._each_setting():
            held = {self.holds: resized(mine, **settings)}
            workloads = {
                name: cast("Workload", resized(known[name](**held), **settings))
                for name in (self.client, self.staying, LOAD)
                if name in known
            }
            finding = self._proven(submitted.codes[self.lock].file, workloads, settings)
            tried.append((_in_words(settings), finding))
            if finding.verdict != "pass" and not self.cases:
                break
        wrong = [(given, finding) for given, finding in tried if finding.verdict != "pass"]
        return _with_others(wrong) if wrong else tried[-1][1]

    def _each_setting(self) -> Iterator[dict[str, int]]:
        """Each combination of the values."""
        tried = self.settings | self.cases
        values = [(v,) if isinstance(v, int) else v for v in tried.values()]
        for chosen in itertools.product(*values):
            yield dict(zip(tried, chosen, strict=True))

    def _workloads(self) -> dict[str, type[Workload]]:
        """The workloads of the text, by name, with the load if there is a memory to use."""
        from locksim.compiler import compile_source
        from locksim.kinds.visits import DrawnVisits
        from locksim.lang.struct import Workload

        file, text = f"<{self.name}>", self.text
        codes = compile_source(text, file)
        if self.used is not None:
            if "use" not in codes[self.client].methods:
                raise LabError(
                    f"{self.name}: {self.client} has no program use(), one use that leaves "
                    f'{self.lock} as it began\nhelp: write it, or fresh = "the reason", not used'
                )
            visits = inspect.getsource(DrawnVisits)
            text += _LOAD.format(visits=visits, load=LOAD, client=self.client)
            codes = compile_source(text, file)
        # A counterexample quotes the assertion.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        return {
            name: code.struct for name, code in codes.items() if issubclass(code.struct, Workload)
        }

    def _proven(
        self, file: str, workloads: dict[str, Workload], settings: dict[str, int]
    ) -> Finding:
        """The finding for one value of each setting.

        Arguments:
            file: of the submission. workloads: by name, with the class in them.
        """
        from lockgrader.measuring.proofs import budget
        from lockgrader.measuring.ran import operations
        from locksim.checker.check import check_clients, expecting
        from locksim.checker.client import Client
        from locksim.checker.question import Question

        client = expecting(
            Client(self.client, workloads[self.client], plain=self.plain), self.expect
        )
        verdict = check_clients(
            [client],
            Question(
                name=self.client,
                threads=self.threads,
                memory=self.memory,
                property=self.property,
                budget=budget(self.states),
            ),
        )
        finding = replace(self._judged(verdict, settings), reached=operations(verdict.ran, file))
        if LOAD not in workloads:
            return finding
        after = [client]
        if self.staying:
            after.append(Client(self.staying, workloads[self.staying], plain=self.plain))
        wearing = _OwnWearing(
            name=self.lock,
            file=file,
            part=self.holds,
            threads=self.threads,
            memory=self.memory,
            workload=workloads[LOAD],
            after=after,
        )
        return self.proven_after_use(finding, wearing)

    def _judged(self, verdict: Verdict, settings: dict[str, int]) -> Finding:
        """The finding of a verdict on a class with fresh memory."""
        from lockgrader.measuring.proofs import limits_of, unfinished, violated

        given = ", ".join(filter(None, [f"{self.threads} threads", _in_words(settings)]))
        asked = f"{given}, {self.memory.upper()}"
        if verdict.is_proof():
            shown = f"{verdict.states:,} states, every interleaving"
            return Finding(
                "pass", 1.0, f"{verdict.verdict} for {asked}: {shown}{limits_of(verdict)}"
            )
        if verdict.verdict == "unfinished":
            return unfinished(verdict)
        example = verdict.counterexample
        shown = f"{verdict.found} ({asked})"
        if example is None:
            return Finding("fail", 0.0, shown, tag=verdict.found)
        shown = violated(shown, example)
        return Finding("fail", 0.0, shown, tag=example.found, counterexample=example.to_json())


def _in_words(settings: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())


def _with_others(wrong: Sequence[tuple[str, Finding]]) -> Finding:
    """The first of some findings; its message names the cases of the others."""
    (_, first), *others = wrong
    if not others:
        return first
    begin, _, rest = first.message.partition("\n")
    also = f"  also wrong: {'; '.join(given for given, _ in others)}"
    return replace(first, message="\n".join(filter(None, [begin, also, rest])))


@dataclass(frozen=True, kw_only=True)
class _OwnWearing(Wearing):
    """The lab's load, and the clients after it.

    Arguments:
        workload: the load. after: the clients.
        name, file, part, threads, memory: as for :class:`~lockgrader.measuring.used.Wearing`.
    """

    name: str
    file: str
    part: str
    threads: int
    memory: str
    workload: Workload
    after: Sequence[Client]
    long: int = LONG_OTHER

    def load(self, run: Run) -> Workload:
        """The lab's, as long as the run."""
        from locksim.kinds.kind import resized

        return cast("Workload", resized(self.workload, rounds=run.rounds))

    def clients(self, run: Run) -> Sequence[Client]:
        """The lab's, equal for all runs."""
        return self.after
