"""An argument about a lock that another person can check: a program, a question and a claim.

It fits into the fragment of an address, the part behind ``#``, which a browser never sends to a
server. Whoever opens the link proves and simulates everything again; the claim says only what to
expect. The program is parsed and never run as Python, so an argument from a stranger can do no
more than use time, and both the states and the simulated time are bounded.
"""

from __future__ import annotations

import base64
import binascii
import json
import linecache
import re
import zlib
from collections.abc import Callable
from typing import Any, Literal

import pydantic

from locksim import machine as machines
from locksim.checker.check import Progress
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.verdict import PROPERTIES, Budget, Verdict
from locksim.compiler.bytecode import Image
from locksim.core.memory import Memory
from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.prepared import prepare
from locksim.kinds import LoadError, kind_of
from locksim.kinds.checking import check_lock
from locksim.kinds.load import LoadSettings
from locksim.lang.ops import US
from locksim.library.registry import Entry, from_text
from locksim.machine import MachineTables
from lockui.formats import other_format

FORMAT = 1
"""What a fragment begins with, before a dot."""
LONGEST_LINK = 32_768
LONGEST_TEXT = 65_536
MOST_CPUS = 16
SIMULATED_PS = 40 * US
"""How long a simulation of the curve is, from time 0 on."""
MOST_STATES = 200_000
DEEPEST = 8
"""How deep the JSON of an argument may nest; a claim's units are four deep."""

Run = Callable[[Image, Memory, MachineTables, int, int], RunResult]
"""An engine: runs a linked program with a seed until a time in ps."""


class ArgumentError(Exception):
    """A link that is not an argument, or an argument that makes no sense."""

    exit_code = 2


class Claim(pydantic.BaseModel):
    """What the sender found.

    Arguments:
        verdict: of the checker, "" if nothing was checked.
        found: the property that is violated, or "".
        schedule: who acts at each step of the counterexample, as :func:`schedule` writes it.
        units: [CPUs, units of work] for each simulated number of CPUs.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["", "proven", "proven within limits", "violated", "unfinished"] = ""
    found: str = pydantic.Field("", max_length=40)
    schedule: str = pydantic.Field("", pattern=r"^[0-9f ]*$", max_length=20_000)
    units: tuple[tuple[int, int], ...] = pydantic.Field((), max_length=MOST_CPUS)


class Argument(pydantic.BaseModel):
    """A program, what is asked of it, and perhaps what the answer is.

    Arguments:
        file: name of the program's file, for messages. text: the program.
        lock: name of its class; "" for the last one of the file.
        threads, rounds, memory, property: as for ``locksim.kinds.checking.check_lock``.
        machine: name of a profile. cpus: the most CPUs of the curve. seed: of the simulation.
        claim: what the sender found.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    file: str = pydantic.Field("lock.py", pattern=r"^[A-Za-z0-9_.-]{1,80}\.py$")
    text: str = pydantic.Field(max_length=LONGEST_TEXT)
    lock: str = pydantic.Field("", max_length=100)
    threads: int = pydantic.Field(2, ge=1, le=4)
    rounds: int = pydantic.Field(1, ge=1, le=10)
    memory: Literal["sc", "tso", "c11"] = "sc"
    property: str = "all"
    machine: str = pydantic.Field("ideal-16", pattern=r"^[a-z0-9][a-z0-9-]{0,60}$")
    cpus: int = pydantic.Field(8, ge=1, le=MOST_CPUS)
    seed: int = pydantic.Field(1, ge=0, le=2**53)
    claim: Claim = Claim()

    @pydantic.field_validator("property")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in PROPERTIES:
            raise ValueError(f"write one of {', '.join(PROPERTIES)}")
        return value

    def entry(self) -> Entry:
        """The class that the argument is about.

        Raises:
            CompileError: the text is outside the language.
            UnknownNameError: it has no such class.
        """
        found = from_text(self.text, self.file, self.lock)
        # Counterexamples show source lines by their file's name, and there is no such file.
        lines = [line + "\n" for line in self.text.splitlines()]
        linecache.cache[self.file] = (len(self.text), None, lines, self.file)
        return found

    def fragment(self) -> str:
        """The text for the address, behind ``#``.

        Raises:
            ArgumentError: it is too long for a link.
        """
        said = self.model_dump(mode="json", exclude_defaults=True)
        packed = zlib.compress(json.dumps(said, separators=(",", ":")).encode(), 9)
        text = f"{FORMAT}." + base64.urlsafe_b64encode(packed).decode().rstrip("=")
        if len(text) > LONGEST_LINK:
            raise ArgumentError(
                f"the link would have {len(text):,} characters; {LONGEST_LINK:,} are allowed\n"
                "help: send the file instead, or a shorter program"
            )
        return text


def argument(**said: Any) -> Argument:
    """An argument of some values.

    Raises:
        ArgumentError: a value is not possible; the message names it.
    """
    try:
        return Argument(**said)
    except pydantic.ValidationError as error:
        raise ArgumentError(_words(error)) from None


def opened(link: str) -> Argument:
    """The argument in a link, or in the fragment of one.

    Raises:
        ArgumentError: there is none, or it is damaged.
    """
    text = link.strip().rpartition("#")[2]
    number = re.match(r"(\d{1,9})\.", text, re.ASCII)
    if number and (other := other_format({"format": int(number[1])}, FORMAT)):
        raise ArgumentError(f"the link: {other}\nhelp: open it with the version that made it")
    if not number:
        raise ArgumentError(
            f"the link is incomplete: behind its '#' there must be '{FORMAT}.' and a long text\n"
            "help: copy the whole link, between quotation marks"
        )
    if len(text) > LONGEST_LINK:
        raise ArgumentError(
            f"the link has {len(text):,} characters behind '#'; {LONGEST_LINK:,} are allowed"
        )
    packed = text[number.end() :]
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        # Bounded: a small text could unpack to gigabytes.
        text = unpacker.decompress(data, 4 * LONGEST_TEXT).decode()
        # A parser goes as deep as its text, and a browser's stack would end before Python's limit.
        said = json.loads(text) if _depth(text) <= DEEPEST else None
    except (binascii.Error, zlib.error, ValueError):
        raise ArgumentError(
            "the link is damaged: a part of it is missing or changed\nhelp: copy it again, whole"
        ) from None
    if not isinstance(said, dict):
        raise ArgumentError(
            "the link is damaged: it contains no lock and no question\nhelp: copy it again, whole"
        )
    return argument(**said)


def proved(asked: Argument, report: Progress | None = None, max_seconds: float = 120) -> Verdict:
    """Check what an argument asks.

    Arguments:
        report, max_seconds: as for the checker.

    Raises:
        CheckError, CompileError, LinkError, SimulationError: the program cannot be checked.
    """
    return check_lock(
        asked.entry().struct,
        threads=asked.threads,
        rounds=asked.rounds,
        memory=asked.memory,
        property=asked.property,
        budget=Budget(max_states=MOST_STATES, max_seconds=max_seconds),
        name=asked.file,
        report=report,
    )


def schedule(found: Counterexample | None) -> str:
    """Who acts at each step: "0 1f" is thread 0, then the store buffer of thread 1."""
    steps = [] if found is None else found.steps
    return " ".join(f"{step.thread}{'f' * (step.action == 'flush')}" for step in steps)


def counts(most: int) -> list[int]:
    """The numbers of CPUs of a curve: powers of two, and the most."""
    return sorted({*(2**k for k in range(5) if 2**k <= most), most})


def simulated(asked: Argument, run: Run, report: Progress | None = None) -> list[tuple[int, int]]:
    """The units of work that are done in ``SIMULATED_PS`` on 1 CPU, 2, 4 … under the plain load.

    Both engines give the same numbers.

    Arguments:
        run: the engine. report: called before each simulation.

    Raises:
        CompileError, LinkError, SimulationError, MachineError: the program or machine is wrong.
        LoadError: no plain load fits the program.
    """
    entry, profile = asked.entry(), machines.load(asked.machine)
    kind = kind_of(entry.struct)
    if kind is None:
        raise LoadError(
            f"{entry.struct.__name__} has no plain load\n"
            "help: derive it from Lock or another kind, or write a Workload that uses it"
        )
    if asked.cpus > profile.n_cpus:
        raise ArgumentError(
            f"{asked.machine} has {profile.n_cpus} CPUs (got {asked.cpus})\nhelp: take fewer"
        )
    workload, points, wanted = (
        kind.plain_load(entry.struct, LoadSettings()),
        [],
        counts(asked.cpus),
    )
    for k, n in enumerate(wanted):
        if report is not None:
            report(f"{n} of {wanted[-1]} CPUs", k / len(wanted))
        tables = profile.tables(n)
        image, memory = prepare(workload, tables)
        result = run(image, memory, tables, asked.seed, SIMULATED_PS)
        points.append((n, sum(int(row[CPU_COUNTERS.index("done")]) for row in result.cpu)))
    return points


def claim_of(verdict: Verdict | None, points: list[tuple[int, int]]) -> Claim:
    """What was found, to be sent."""
    if verdict is None:
        return Claim(units=tuple(points))
    return Claim(
        verdict=verdict.verdict,
        found=verdict.found,
        schedule=schedule(verdict.counterexample),
        units=tuple(points),
    )


def differences(claimed: Claim, found: Claim) -> list[str]:
    """What a claim says and was not found, in sentences; what it leaves open is not compared."""
    wrong = []
    if claimed.verdict and (claimed.verdict, claimed.found) != (found.verdict, found.found):
        said, here = (f"{c.verdict} {c.found}".strip() for c in (claimed, found))
        wrong.append(f"the link says '{said}', and here it is '{here}'")
    elif claimed.schedule and claimed.schedule != found.schedule:
        wrong.append("the link has another counterexample than the one found here")
    if claimed.units and claimed.units != found.units:
        wrong.append("the link has other results of the simulation than those found here")
    return wrong


def _depth(text: str) -> int:
    """Return how deep brackets nest in a JSON text, outside of its strings."""
    deepest = depth = 0
    for sign in re.findall(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(sign, 0)
        deepest = max(deepest, depth)
    return deepest


def _words(error: pydantic.ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"])) or "the argument"
    return f"{where}: {first['msg']} (got {str(first['input'])[:60]!r})"
