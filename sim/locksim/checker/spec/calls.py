"""Which operations a client calls: plans, as text and derived from a specification's methods."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from locksim.checker.errors import CheckError
from locksim.checker.spec.sequential import Method, Specification
from lockui.suggest import did_you_mean

MOST_PLANS = 10_000
MOST_CALLS = 7
"""Of one thread; a client counts them in three bits."""

_CALL = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class Call:
    """One operation with its arguments."""

    method: str
    arguments: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.method}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Plan:
    """What a client does: ``push(1) || push(2); pop() | pop()``.

    Arguments:
        first: calls before the threads begin. threads: the calls of each thread, in order.
    """

    first: tuple[Call, ...]
    threads: tuple[tuple[Call, ...], ...]

    def __str__(self) -> str:
        before = f"{_listed(self.first)} || " if self.first else ""
        return before + " | ".join(map(_listed, self.threads))


def _listed(calls: Sequence[Call]) -> str:
    return "; ".join(map(str, calls))


def read_plan(text: str, specification: Specification) -> Plan:
    """The plan that a text describes.

    Raises:
        CheckError: it is not one, or calls what the specification does not have.
    """
    before, both, threads = text.partition("||")
    first = _read_calls(before, specification) if both else ()
    parts = (threads if both else before).split("|")
    plan = Plan(first, tuple(_read_calls(part, specification) for part in parts))
    if max(map(len, plan.threads)) > MOST_CALLS:
        raise CheckError(f"--calls: a thread calls at most {MOST_CALLS} operations")
    return plan


def _read_calls(text: str, specification: Specification) -> tuple[Call, ...]:
    found = []
    for part in text.split(";"):
        match = _CALL.fullmatch(part)
        try:
            arguments = tuple(int(a, 0) for a in match[2].split(",") if a.strip()) if match else ()
        except ValueError:
            match = None
        if match is None:
            raise CheckError(
                f"--calls: cannot read '{part.strip()}'\n"
                "help: write calls with whole numbers, ';' between the calls of a thread and '|' "
                "between threads, as in 'push(1); pop() | pop()'"
            )
        method = specification.methods.get(match[1])
        if method is None:
            hint = did_you_mean(match[1], specification.methods)
            raise CheckError(f"--calls: {specification.name} has no {match[1]}(); {hint}")
        if len(arguments) != len(method.parameters):
            raise CheckError(
                f"--calls: {match[1]}() takes {len(method.parameters)} arguments "
                f"({', '.join(method.parameters)}), not {len(arguments)}"
            )
        found.append(Call(match[1], arguments))
    return tuple(found)


def plans(specification: Specification, counts: Sequence[int]) -> list[Plan]:
    """Every plan in which thread t calls ``counts[t]`` operations.

    A parameter called ``value`` gets a number of its own in each call: 1, 2, and so on. Any other
    parameter takes the numbers 1 and 2, or as many as the specification's constant of its name in
    capitals says: ``KEY = 3``.

    Raises:
        CheckError: there are too many.
    """
    templates = [
        template for method in specification.methods.values() for template in _templates(method)
    ]
    if not all(0 < count <= MOST_CALLS for count in counts):
        raise CheckError(f"--calls: give each thread 1 to {MOST_CALLS} operations")
    number = math.prod(len(templates) ** count for count in counts)
    if number > MOST_PLANS:
        raise CheckError(
            f"{number:,} clients: {len(templates)} different calls, "
            f"{'+'.join(map(str, counts))} at a time\n"
            f"help: ask for fewer --calls or --threads (at most {MOST_PLANS:,} clients), or "
            "name the calls: --calls 'add(1); remove(1) | contains(1)'"
        )
    return [_plan(chosen, counts) for chosen in itertools.product(templates, repeat=sum(counts))]


def _templates(method: Method) -> Iterator[tuple[str, tuple[int | None, ...]]]:
    """The calls of a method; None stands for a number of its own."""
    ranges: list[Sequence[int | None]] = [
        (None,) if parameter == "value" else range(1, most + 1)
        for parameter, most in zip(method.parameters, method.most, strict=True)
    ]
    for arguments in itertools.product(*ranges):
        yield method.name, arguments


def _plan(chosen: Sequence[tuple[str, tuple[int | None, ...]]], counts: Sequence[int]) -> Plan:
    own = itertools.count(1)
    calls = iter(
        Call(name, tuple(next(own) if a is None else a for a in arguments))
        for name, arguments in chosen
    )
    return Plan((), tuple(tuple(itertools.islice(calls, count)) for count in counts))
