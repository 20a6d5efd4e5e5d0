"""The explorer's report, read as hostile and put into the words of the program.

The report names places and words by numbers. Their names come from the linked program, which was
described before anything of it ran (:class:`~lockgrader.c.build.Program`). Nothing in a report is
looked up in files.
"""

from __future__ import annotations

import bisect
import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lockgrader.c.build import Program
from lockgrader.finding import Finding, undecided
from lockgrader.measuring.proofs import violated
from lockgrader.read.artefact import MalformedError, parse
from locknative.explorer.names import HEAP, HEAP_SIZE, MOST_THREADS, STACK_SIZE, STACKS
from locksim.checker.replay.counterexample import Counterexample, Step

__all__ = ["MAX_REPORT", "finding_of"]

MAX_REPORT = 8 << 20
SHOWN_STEPS = 200
Natural = Annotated[int, Field(ge=0, lt=2**64)]
Word = Annotated[str, Field(max_length=60)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Step(_Model):
    thread: Annotated[int, Field(ge=0, lt=MOST_THREADS)]
    operation: Word
    pc: Natural
    at: Natural
    size: Natural
    old: Natural
    new: Natural
    held: bool
    behind: Natural
    mark: Word


class _Report(_Model):
    verdict: Literal["violated", "unfinished", "passed"]
    complete: bool
    bound: Annotated[int, Field(ge=-1, le=1000)]
    runs: Natural
    traces: Natural
    steps: Natural
    seconds: float
    threads: Annotated[int, Field(ge=0, le=MOST_THREADS)]
    part: Natural
    endless: bool
    found: Word
    message: Annotated[str, Field(max_length=5000)]
    partial: Annotated[str, Field(max_length=500)]
    limits: Annotated[list[Word], Field(max_length=10)]
    done: Annotated[float, Field(ge=0, le=1)]
    accesses: Annotated[list[object], Field(max_length=2048)]
    choices: str
    blocks: list[Annotated[list[Natural], Field(min_length=3, max_length=3)]]
    path: list[_Step]


def finding_of(data: bytes, program: Program, source: dict[str, list[str]], memory: str) -> Finding:
    """The finding of a report.

    Arguments:
        data: the report. program: what was run. source: file → its lines. memory: the model.

    Raises:
        MalformedError: it is not a report.
    """
    try:
        report = _Report.model_validate(parse(data, max_bytes=MAX_REPORT))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(p) for p in first["loc"])
        raise MalformedError(f"the report's {place}: {first['msg']}") from error
    if any(one.thread >= report.threads for one in report.path):
        raise MalformedError("a step of a thread that does not exist")
    made = f"{report.runs:,} run{'s' * (report.runs != 1)}, {memory.upper()}"
    names = _Names(program, report.blocks)
    message = re.sub(r"\{(pc|at):(\w{1,16})\}", names.named, report.message)
    if report.verdict == "unfinished":
        if not report.endless:
            return undecided("explorer", message[:500])
        return Finding("fail", 0.0, message[:500], tag="unfinished")
    if report.verdict == "passed":
        reach = "every interleaving" if report.complete else f"up to {report.bound} preemptions"
        return Finding("pass", 1.0, f"nothing wrong: {made}, {reach}")
    path = [one for one in report.path if not _is_private(one)]
    steps = [_step(names, source, one, report.threads) for one in path[-SHOWN_STEPS:]]
    tag = _tag(report.found, message)
    if not steps:
        return Finding("fail", 0.0, f"{report.found} ({made}): {message}", tag=tag)
    shown = Counterexample(report.found, message, steps, report.threads)
    text = violated(f"{report.found} ({made})", shown)
    return Finding("fail", 0.0, text, tag=tag, counterexample=shown.to_json())


def _tag(found: str, message: str) -> str:
    """One word for the mistake: a race with free() is a wrong lifetime, not a missing order."""
    if found == "race" and " frees " in message:
        return "freed"
    return "leak" if message.endswith(" are not freed") else found


def _is_private(step: _Step) -> bool:
    """Whether a step is a plain access of a thread to its own stack."""
    own = STACKS + step.thread * STACK_SIZE
    return step.operation in ("read", "write") and own <= step.at < own + STACK_SIZE


class _Names:
    """Names of places and words in a linked program."""

    def __init__(self, program: Program, blocks: list[list[int]]) -> None:
        self._lines = sorted(_decoded(program.lines))
        self._symbols = sorted(_symbols(program.symbols))
        self._blocks = sorted(block[0] for block in blocks)

    def place(self, pc: int) -> tuple[str, int]:
        """File and line of the call that returns to ``pc``; "" and 0 if unknown."""
        at = bisect.bisect_right(self._lines, (pc - 1, chr(0x10FFFF), 0)) - 1
        return self._lines[at][1:] if at >= 0 else ("", 0)

    def symbol(self, address: int) -> str:
        """The function or variable at an address, with the offset from its start."""
        at = bisect.bisect_right(self._symbols, (address, 1 << 64, "")) - 1
        if at < 0 or address >= self._symbols[at][0] + max(self._symbols[at][1], 1):
            return ""
        start, _, name = self._symbols[at]
        name = name.removeprefix("program_").partition(".")[0]
        return name + (f"+{address - start}" if address > start else "")

    def word(self, address: int) -> str:
        """The name of an address: a variable, a heap block, or a place on a stack."""
        if HEAP <= address < HEAP + HEAP_SIZE:
            number = bisect.bisect_right(self._blocks, address)
            offset = address - self._blocks[number - 1] if number else 0
            return f"block{number}" + (f"+{offset}" if offset else "")
        if STACKS <= address < STACKS + MOST_THREADS * STACK_SIZE:
            thread, offset = divmod(address - STACKS, STACK_SIZE)
            return f"stack{thread}-{STACK_SIZE - offset}"
        return self.symbol(address) or f"{address:#x}"

    def value(self, value: int, size: int) -> str:
        """A value as text: the name of its target if it is a pointer, else the number."""
        if size == 8 and value >= 1 << 16:
            name = self.word(value)
            if not name.startswith("0x"):
                return f"&{name}"
        return str(value) if value < 1 << 20 else f"{value:#x}"

    def named(self, found: re.Match[str]) -> str:
        """The name for a number in a message."""
        try:
            number = int(found[2], 16)
        except ValueError:
            return found[0]
        if found[1] == "at":
            return self.word(number)
        file, line = self.place(number)
        return f"{file}:{line}" if line else f"{number:#x}"


def _step(names: _Names, source: dict[str, list[str]], raw: _Step, threads: int) -> Step:
    file, line = names.place(raw.pc)
    lines = source.get(file, [])
    old, new = (names.value(v, raw.size) if raw.size else "" for v in (raw.old, raw.new))
    word = names.word(raw.at) if raw.at else ""
    if raw.operation == "alloc":
        new = word
    return Step(
        thread=raw.thread,
        action="flush" if raw.operation == "flush" else "run",
        choice=raw.new if raw.operation == "any" else 0,
        operation=raw.operation,
        word=word,
        address=raw.at,
        old=raw.old,
        new=raw.new,
        was=old,
        becomes=new,
        file=file,
        line=line,
        method=names.symbol(raw.pc - 1).partition("+")[0] if raw.pc else "",
        source=lines[line - 1].strip() if 0 < line <= len(lines) else "",
        marks=[raw.mark] if raw.mark else [],
        buffers=[[] for _ in range(threads)],
    )


def _decoded(text: str) -> list[tuple[int, str, int]]:
    """Address, file and line of each row that objdump prints."""
    rows: list[tuple[int, str, int]] = []
    for line in text.splitlines():
        if found := re.match(r"(\S+)\s+(\d+)\s+0x([0-9a-f]{1,16})\b", line):
            rows.append((int(found[3], 16), found[1], int(found[2])))
    return rows


def _symbols(text: str) -> list[tuple[int, int, str]]:
    """Address, size and name of each symbol that nm prints with a size."""
    rows: list[tuple[int, int, str]] = []
    for line in text.splitlines():
        if found := re.match(r"([0-9a-f]{16}) ([0-9a-f]{16}) [A-Za-z] (\S+)$", line):
            rows.append((int(found[1], 16), int(found[2], 16), found[3]))
    return rows
