"""A load under which the student's own lock loses to one of the library.

No lock is the best everywhere. The student finds a machine and a load where a lock of the library
has the higher throughput, and writes them into a JSON file. Both locks are simulated there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, ValidationError

from lockgrader.finding import Finding, Settled, found, row
from lockgrader.lab import Band, Measure
from lockgrader.lab.closed import Text
from lockgrader.lab.placed import Placed
from lockgrader.measuring.class_check import MeasuredClassCheck
from lockgrader.read.artefact import MalformedError, parse
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

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


class Slower(MeasuredClassCheck):
    """The library's lock does more work than the student's under a load of the student's choice.

    Arguments:
        lock: a class of the submission. locks: of the library, those that may be chosen.
        file: of the submission; the lab names it in ``data``.
        times: the library's throughput over that of the student's own lock, at least.
        operations, replications: as for a measure.
    """

    kind: Literal["slower"]
    locks: Annotated[tuple[Text, ...], Field(min_length=1)]
    file: Text
    times: Annotated[float, Field(ge=1, le=100)] = 1.2
    operations: Annotated[int, Field(ge=1, le=10_000)] = 60
    replications: Annotated[int, Field(ge=1, le=20)] = 2

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Simulate both locks under the load."""
        from lockgrader.measuring.runs import own_measure, reference

        submitted.struct(self.lock)  # the first thing that can be missing
        load = self._load(submitted)
        mine = own_measure(self._measure(load, self.lock, own=True), submitted)
        theirs = reference(self._measure(load, load.against, own=False))
        what = f"throughput of {load.against} over that of {self.lock}"
        band = Band(low=self.times, fade=1 - 1 / self.times)
        return found([row(what, theirs / mine if mine else 0.0, band)])

    def _load(self, submitted: Submitted) -> Load:
        """The student's load.

        Raises:
            Settled: there is none in the file, or a wrong one.
        """
        data = submitted.files.get(self.file)
        if data is None or data.strip() == b"{}":
            raise Settled(
                Finding("no_output", 0.0, f"{self.file} names no load yet", tag="missing")
            )
        try:
            load = Load.model_validate(parse(data))
        except MalformedError as error:
            raise Settled(Finding("malformed_output", message=f"{self.file}: {error}")) from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))[:80]
            says = first["msg"].removeprefix("Value error, ")
            says = f"{self.file}: {where}: {says}"[:300]
            raise Settled(Finding("malformed_output", message=says)) from None
        if load.against not in self.locks:
            says = f"{self.file}: against must be one of {', '.join(self.locks)}"
            raise Settled(Finding("malformed_output", 0.0, f"{says} (got {load.against[:40]!r})"))
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
