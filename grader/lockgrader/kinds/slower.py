"""A load under which the student's own lock loses to one of the library.

No lock is the best everywhere. The student finds a machine and a load where a lock of the library
has the higher throughput, and writes them into a JSON file. Both locks are simulated there.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, ValidationError

from lockgrader.checks.simulated import NotCountedError, own_measure, reference
from lockgrader.checks.submitted import Submitted, without
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, Measure, OtherCheck
from lockgrader.lab.closed import Text
from lockgrader.lab.placed import Placed
from lockgrader.read.artefact import MalformedError, parse

__all__ = ["Load", "Slower"]


class Load(Placed):
    """What the student's file holds: a lock of the library, a shipped machine, and a load.

    Arguments:
        against: the library's lock. machine: a profile's name. cpus: how many.
        read_percent, words, hold_ns, think_ns: as for ``locklab run``.
    """

    against: Text
    machine: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    cpus: Annotated[int, Field(ge=1, le=128)]
    read_percent: Annotated[int, Field(ge=0, le=100)] = 90
    words: Annotated[int, Field(ge=0, le=64)] = 2
    hold_ns: Annotated[int, Field(ge=0, le=100_000)] = 100
    think_ns: Annotated[int, Field(ge=0, le=100_000)] = 400


class Slower(OtherCheck):
    """The library's lock does more work than the student's under a load of the student's choice.

    Arguments:
        lock: a class of the submission. locks: of the library, those that may be chosen.
        file: of the submission; the lab names it in ``data``.
        times: the library's throughput over that of the student's own lock, at least.
        operations, replications: as for a measure.
    """

    part: ClassVar[Literal["locks", "answers"]] = "locks"
    engines: ClassVar[bool] = True
    measures: ClassVar[bool] = True
    kind: Literal["slower"]
    lock: Text
    locks: Annotated[tuple[Text, ...], Field(min_length=1)]
    file: Text
    times: Annotated[float, Field(ge=1, le=100)] = 1.2
    operations: Annotated[int, Field(ge=1, le=10_000)] = 60
    replications: Annotated[int, Field(ge=1, le=20)] = 2

    def judge(self, submitted: Submitted) -> Finding:
        """Simulate both locks under the load."""
        if self.lock not in submitted.codes:
            return without(self.lock, submitted)
        load = self._load(submitted)
        if isinstance(load, Finding):
            return load
        try:
            mine = own_measure(self._measure(load, self.lock, own=True), submitted)
        except NotCountedError as error:
            return Finding("fail", 0.0, str(error), tag=error.tag)
        theirs = reference(self._measure(load, load.against, own=False))
        what = f"throughput of {load.against} over that of {self.lock}"
        band = Band(low=self.times, fade=1 - 1 / self.times)
        return found([row(what, theirs / mine if mine else 0.0, band)])

    def _load(self, submitted: Submitted) -> Load | Finding:
        """The student's load, or what is wrong with the file."""
        data = submitted.files.get(self.file)
        if data is None or data.strip() == b"{}":
            return Finding("no_output", 0.0, f"{self.file} names no load yet", tag="missing")
        try:
            load = Load.model_validate(parse(data))
        except MalformedError as error:
            return Finding("malformed_output", 0.0, f"{self.file}: {error}")
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))[:80]
            says = first["msg"].removeprefix("Value error, ")
            return Finding("malformed_output", 0.0, f"{self.file}: {where}: {says}"[:300])
        if load.against not in self.locks:
            says = f"{self.file}: against must be one of {', '.join(self.locks)}"
            return Finding("malformed_output", 0.0, f"{says} (got {load.against[:40]!r})")
        return load

    def _measure(self, load: Load, lock: str, *, own: bool) -> Measure:
        """The throughput of a lock under the load."""
        return Measure(
            lock=lock,
            own=own,
            machine=load.machine,
            cpus=load.cpus,
            measure="throughput",
            workload="readers_writers",
            settings={
                "read_percent": load.read_percent,
                "words": load.words,
                "hold_ns": load.hold_ns,
                "think_ns": load.think_ns,
            },
            operations=self.operations,
            replications=self.replications,
        )
