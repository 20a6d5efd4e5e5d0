"""A student's own tests: small scenarios, as data, that the checker runs on a lock or a cache.

A scenario names a memory model and lists the steps of each thread. It becomes a client in the lock
language, and the checker explores every interleaving of it. So a test says which thread does what,
never when. Nothing of a scenario is executed. It is JSON of a closed form and bounded size, and
only its numbers and the names of its steps reach the client.

Steps on a lock: ``["acquire"]``; ``["try"]``, which waits only if the try fails; ``["count"]``,
which increments plain data without losing an update; ``["release"]``.

Steps on a cache: ``["replace", key, half]`` stores a decision with two equal halves; ``["lookup",
key, [half, ...]]`` must find one of these, 0 for none; ``["reclaim", [n, ...]]`` must remove one of
these numbers of entries; ``["quiescent"]``.

A cache's threads go offline at their end. Faults, races, deadlocks and leaks are always reported.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lockgrader.read.artefact import MalformedError, parse

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from locksim.checker.verdict import Verdict
    from locksim.lang.struct import Struct

__all__ = ["Scenario", "explore", "in_steps", "read"]

STEP = "  # a step"
"""Ends the first line of each step in the client's source."""
MAX_BYTES = 1 << 16
MAX_SHOWN = 60
"""Characters of a wrong step in a message."""
MAX_MEMORY = 1 << 29
FOREVER_S = 1e6
Half = Annotated[int, Field(ge=0, lt=1 << 16)]
Key = Annotated[int, Field(ge=1, lt=1 << 16)]
Some = Annotated[tuple[Half, ...], Field(min_length=1, max_length=8)]
Step = (
    tuple[Literal["acquire", "try", "count", "release", "quiescent"]]
    | tuple[Literal["replace"], Key, Annotated[Half, Field(ge=1)]]
    | tuple[Literal["lookup"], Key, Some]
    | tuple[Literal["reclaim"], Some]
)
OF_LOCKS = {"acquire", "try", "count", "release"}
FORMS = {
    **{name: f'["{name}"]' for name in ("acquire", "try", "count", "release", "quiescent")},
    "replace": '["replace", key, half], with a key and a half from 1 to 65535',
    "lookup": '["lookup", key, [half, ...]], with 1 to 8 halves from 0 to 65535',
    "reclaim": '["reclaim", [number, ...]], with 1 to 8 numbers from 0 to 65535',
}
"""What each step looks like, in words."""


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scenario(_Closed):
    """The steps of each thread.

    Arguments:
        name: for messages. memory: "sc", "tso" or "c11". threads: the steps of each.
    """

    name: Annotated[str, Field(min_length=1, max_length=60)]
    memory: Literal["sc", "tso", "c11"] = "sc"
    threads: Annotated[
        tuple[Annotated[tuple[Step, ...], Field(min_length=1, max_length=12)], ...],
        Field(min_length=1, max_length=4),
    ]


class _Suite(_Closed):
    scenarios: Annotated[tuple[Scenario, ...], Field(max_length=8)]


def read(data: bytes) -> tuple[Scenario, ...]:
    """The scenarios of a file.

    Raises:
        MalformedError: it does not hold scenarios.
    """
    # The bounds, and what a message shows; the schema below reads the bytes again.
    document = parse(data, max_bytes=MAX_BYTES)
    try:
        return _Suite.model_validate_json(data, strict=True).scenarios
    except ValidationError as error:
        first = error.errors()[0]
        raise MalformedError(_wrong_step(document, first["loc"]) or _wrong_form(first)) from None


def _wrong_step(document: Any, where: tuple[int | str, ...]) -> str:
    """What is wrong with a step, and what it looks like; "" if the place is not one."""
    match where:
        case ("scenarios", int(scenario), "threads", int(thread), int(number), *_):
            step = document["scenarios"][scenario]["threads"][thread][number]
        case _:
            return ""
    shown = json.dumps(step, ensure_ascii=False)
    shown = shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]}…"
    place = f"scenario {scenario + 1}, thread {thread}, step {number + 1}: {shown}"
    name = step[0] if isinstance(step, list) and step else step
    if not isinstance(step, list) or not isinstance(name, str):
        return f'{place} is not a step; a step is a list that begins with a name, such as ["try"]'
    if name not in FORMS:
        return f"{place}: there is no step of this name; there are {', '.join(FORMS)}"
    return f"{place} is not {FORMS[name]}"


def _wrong_form(error: ErrorDetails) -> str:
    """What is wrong above the steps."""
    where = ".".join(map(str, error["loc"]))[:80] or "the file"
    return f"{where}: {error['msg'][:120]}; see the example in the handout"


def explore(scenario: Scenario, subject: Struct, max_states: int) -> Verdict:
    """Every interleaving of a scenario on a lock or a cache.

    Arguments:
        subject: lock or cache under test. max_states: bound.

    Raises:
        MalformedError: this kind of struct does not have such a step.
    """
    from locksim.checker import check_workload
    from locksim.checker.verdict import Budget
    from locksim.compiler import compile_source
    from locksim.lang.struct import DecisionCache, Lock

    kind = Lock if isinstance(subject, Lock) else DecisionCache
    named = {step[0] for steps in scenario.threads for step in steps}
    strange = named - OF_LOCKS if kind is Lock else named & OF_LOCKS
    if strange:
        raise MalformedError(f"'{scenario.name}': a {kind.__name__} has no {min(strange)}")
    made = compile_source(_text(scenario, kind.__name__), "<scenario>")["Scenario"]
    expect: dict[str, int] = {}
    plain: tuple[str, ...] = ()
    if kind is Lock:
        expect = {"count": sum(s == ("count",) for steps in scenario.threads for s in steps)}
        plain = ("count",)
    return check_workload(
        made.struct(subject=subject),  # type: ignore[arg-type] # it is a Workload, made of text
        threads=len(scenario.threads),
        expect=expect,
        plain=plain,
        memory=scenario.memory,
        budget=Budget(max_states=max_states, max_seconds=FOREVER_S, max_bytes=MAX_MEMORY),
    )


def in_steps(scenario: Scenario, subject: Struct, message: str) -> str:
    """A message about the client's source, which students do not see, in the scenario's steps."""
    from locksim.lang.struct import Lock

    lines = _text(scenario, "Lock" if isinstance(subject, Lock) else "DecisionCache").splitlines()

    def step(found: re.Match[str]) -> str:
        line = int(found[1]) - 1
        number = sum(text.endswith(STEP) for text in lines[: line + 1])
        every = [(t, n, s) for t, ss in enumerate(scenario.threads) for n, s in enumerate(ss, 1)]
        if not 0 < number <= len(every):
            return found[0]
        thread, at, taken = every[number - 1]
        return f"thread {thread}, step {at}, {json.dumps(taken)}: got another answer"

    return re.sub(r"thread \d+, <scenario>:(\d+) in .*: an assertion failed", step, message)


def _text(scenario: Scenario, kind: str) -> str:
    """The client's source; of the student's text it holds only numbers in range."""
    lines = [
        f"from locksim.lang import RELAXED, {kind}, Workload, part, thread, word",
        "class Scenario(Workload):",
        f"    subject = part({kind})",
        "    count = word()",
        "    def thread(self):",
    ]
    for number in range(len(scenario.threads)):
        lines += [f"        if thread() == {number}:", f"            yield from self.t{number}()"]
    if kind != "Lock":
        lines.append("        yield from self.subject.offline()")
    for number, steps in enumerate(scenario.threads):
        lines.append(f"    def t{number}(self):")
        for step in steps:
            first, *others = _lines(step)
            lines += [f"        {first}{STEP}", *(f"        {line}" for line in others)]
    return "\n".join(lines) + "\n"


def _lines(step: Step) -> list[str]:
    match step:
        case ("try",):
            return [
                "if not (yield from self.subject.try_acquire()):",
                "    yield from self.subject.acquire()",
            ]
        case ("count",):
            return [
                "count = yield self.count.load(RELAXED)",
                "yield self.count.store(count + 1, RELAXED)",
            ]
        case ("replace", key, half):
            return [f"yield from self.subject.replace({key}, {half}, {half})"]
        case ("lookup", key, halves):
            wanted = " or ".join(f"found == {half + (half << 32)}" for half in halves)
            return [f"found = yield from self.subject.lookup({key})", f"assert {wanted}"]
        case ("reclaim", numbers):
            wanted = " or ".join(f"taken == {number}" for number in numbers)
            return ["taken = yield from self.subject.reclaim()", f"assert {wanted}"]
    return [f"yield from self.subject.{step[0]}()"]
