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
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

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
from lockui.suggest import did_you_mean

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


class _Values:
    """What the values of a claim and of an argument have in common: each keeps to its rule."""

    def __post_init__(self) -> None:
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if fault := one.metadata["rule"](value):
                raise ArgumentError(f"{one.name} {fault}")

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them."""
        said: dict[str, Any] = json.loads(json.dumps(asdict(self)))  # type: ignore[call-overload]
        return said


def _number(least: int, most: int, default: int) -> Any:
    def fault(value: object) -> str:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and least <= value <= most:  # type: ignore[operator]
            return ""
        return f"must be between {least} and {most} ({_got(value)})"

    return field(default=default, metadata={"rule": fault})


def _word(words: Iterable[str], default: str) -> Any:
    words = tuple(words)

    def fault(value: object) -> str:
        known = ", ".join(filter(None, words))
        return "" if value in words else f"must be one of {known} ({_got(value)})"

    return field(default=default, metadata={"rule": fault})


def _text(longest: int, default: Any, pattern: str = "(?s).*", like: str = "") -> Any:
    def fault(value: object) -> str:
        if not isinstance(value, str):
            return f"must be a string ({_got(value)})"
        if len(value) > longest:
            return f"must have at most {longest:,} characters (got {len(value):,})"
        return "" if re.fullmatch(pattern, value, re.ASCII) else f"must be {like} ({_got(value)})"

    return field(default=default, metadata={"rule": fault})


def _got(value: object) -> str:
    return f"got {repr(value)[:60]}"


def _units(value: object) -> str:
    """What is wrong with the units of a claim."""
    rows = value if isinstance(value, tuple) and len(value) <= MOST_CPUS else ("",)
    pairs = all(isinstance(row, tuple) and [*map(type, row)] == [int, int] for row in rows)
    return "" if pairs else f"must be at most {MOST_CPUS} pairs of numbers"


@dataclass(frozen=True)
class Claim(_Values):
    """What the sender found.

    Arguments:
        verdict: of the checker, "" if nothing was checked.
        found: the property that is violated, or "".
        schedule: who acts at each step of the counterexample, as :func:`schedule` writes it.
        units: [CPUs, units of work] for each simulated number of CPUs.

    Raises:
        ArgumentError: a value is not possible; the message names it.
    """

    verdict: str = _word(("", "proven", "proven within limits", "violated", "unfinished"), "")
    found: str = _text(40, "")
    schedule: str = _text(20_000, "", "[0-9f ]*", "the numbers of threads")
    units: tuple[tuple[int, int], ...] = field(default=(), metadata={"rule": _units})


@dataclass(frozen=True)
class Argument(_Values):
    """A program, what is asked of it, and perhaps what the answer is.

    Arguments:
        file: name of the program's file, for messages. text: the program.
        lock: name of its class; "" for the last one of the file.
        threads, rounds, memory, property: as for ``locksim.kinds.checking.check_lock``.
        machine: name of a profile. cpus: the most CPUs of the curve. seed: of the simulation.
        claim: what the sender found.

    Raises:
        ArgumentError: a value is not possible; the message names it.
    """

    file: str = _text(83, "lock.py", r"[A-Za-z0-9_.-]+\.py", "the name of a file, such as lock.py")
    text: str = _text(LONGEST_TEXT, None)
    lock: str = _text(100, "")
    threads: int = _number(1, 4, 2)
    rounds: int = _number(1, 10, 1)
    memory: str = _word(("sc", "tso", "c11"), "sc")
    property: str = _word(PROPERTIES, "all")
    machine: str = _text(61, "ideal-16", "[a-z0-9][a-z0-9-]*", "a name: a-z, 0-9 and '-'")
    cpus: int = _number(1, MOST_CPUS, 8)
    seed: int = _number(0, 2**53, 1)
    claim: Claim = field(default=Claim(), metadata={"rule": lambda _: ""})

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
        said = _changed(self) | ({"claim": _changed(self.claim)} if self.claim != Claim() else {})
        packed = zlib.compress(json.dumps(said, separators=(",", ":")).encode(), 9)
        text = f"{FORMAT}." + base64.urlsafe_b64encode(packed).decode().rstrip("=")
        if len(text) > LONGEST_LINK:
            raise ArgumentError(
                f"the link would have {len(text):,} characters; {LONGEST_LINK:,} are allowed\n"
                "help: send the file instead, or a shorter program"
            )
        return text


def argument(**said: Any) -> Argument:
    """An argument of some values, as JSON has them.

    Raises:
        ArgumentError: a value is not possible; the message names it.
    """
    claimed = said.pop("claim", {})
    claim = claimed if isinstance(claimed, Claim) else claim_from(claimed)
    return Argument(**_known(Argument, said), claim=claim)


def claim_from(said: object) -> Claim:
    """A claim of some values, as JSON has them.

    Raises:
        ArgumentError: a value is not possible; the message names it.
    """
    known = _known(Claim, said)
    if isinstance(rows := known.get("units"), (list, tuple)):
        known["units"] = tuple(tuple(row) if isinstance(row, list) else row for row in rows)
    return Claim(**known)


def _known(cls: type[_Values], said: object) -> dict[str, Any]:
    """Values of a class, if it has all of these names."""
    if not isinstance(said, dict):
        raise ArgumentError(f"the {cls.__name__.lower()} must be names with values")
    names = [one.name for one in fields(cls)]  # type: ignore[arg-type]
    for name in said:
        if name not in names:
            raise ArgumentError(f"{str(name)[:60]} is unknown; {did_you_mean(str(name), names)}")
    return dict(said)


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


def _changed(values: _Values) -> dict[str, Any]:
    """The values that are not the usual ones."""
    said = {one.name: (getattr(values, one.name), one.default) for one in fields(values)}  # type: ignore[arg-type]
    return {name: value for name, (value, usual) in said.items() if value != usual}
