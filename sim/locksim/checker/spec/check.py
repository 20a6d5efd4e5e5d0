"""``check_spec``: is every history of some threads one of the specification?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from locksim.checker.check import Progress, check_clients
from locksim.checker.client import Client
from locksim.checker.errors import CheckError
from locksim.checker.question import Keywords, Question, with_keywords
from locksim.checker.spec.calls import Plan, plans, read_plan
from locksim.checker.spec.client import client
from locksim.checker.spec.history import CONDITIONS
from locksim.checker.spec.history import operations as operations_of
from locksim.checker.spec.sequential import Specification
from locksim.checker.verdict import Verdict
from locksim.compiler.frontend import compile_class
from locksim.lang.struct import Struct
from lockui.suggest import did_you_mean

_BITS = 62
"""Of a word that counts what a thread has seen."""


@with_keywords
def check_spec(
    implementation: Struct | type[Struct],
    specification: Struct | type[Struct],
    *,
    threads: int = 0,
    operations: str = "",
    condition: str = "linearizability",
    spec: str = "",
    name: str = "",
    report: Progress | None = None,
    **question: Unpack[Keywords],
) -> Verdict:
    """Check every history of some threads' operations against an atomic specification.

    Arguments:
        implementation: class or description; it has every method of the specification.
        specification: class or description of a struct; each of its programs is an operation.
        threads: how many; by default 2, or those that ``operations`` describes.
        operations: how many each thread calls ("2", "1,3"; by default 2 for two threads, else 1),
            of all that there are; or which: "push(1); pop() | pop()", behind those of no thread
            that come first: "push(1) || pop() | pop()".
        condition: a key of CONDITIONS.
        spec: the specification's name, for the verdict; by default the class's. name: the
            implementation's, likewise.
        report: called now and then with a line of text and the share of the states' budget used.
        question: other fields of :class:`~locksim.checker.question.Question`; its property is one
            of SAFETY, "assertion" for nothing but histories and assertions.

    Raises:
        CheckError: the request makes no sense, or the specification cannot be run.
        CompileError, LinkError, SimulationError: a class is not a valid program.
    """
    name = name or _class(implementation).__name__
    asked = Question(name=name, threads=thread_count(threads, operations), **question)
    if asked.endless():
        raise CheckError(
            f"--property {asked.property} cannot be used with --spec\nhelp: leave --spec out"
        )
    todo = clients(implementation, specification, threads, operations, condition)
    verdict = check_clients(todo, asked, report)
    return replace(verdict, spec=spec or _class(specification).__name__, condition=condition)


def clients(
    implementation: Struct | type[Struct],
    specification: Struct | type[Struct],
    threads: int,
    asked: str,
    condition: str,
) -> list[Client]:
    """The clients that :func:`check_spec` explores, with its arguments.

    Plans that the specification itself does not allow in every order, or in which it can get stuck,
    are left out: a release without an acquire, or an acquire that no release follows.

    Raises:
        CheckError: the request makes no sense, or no plan is left.
    """
    if condition not in CONDITIONS:
        hint = did_you_mean(condition, CONDITIONS)
        raise CheckError(f"unknown condition '{condition}'; {hint}")
    named, n = _threads(asked), thread_count(threads, asked)
    if threads not in (0, n):
        raise CheckError(f"--calls names {n} threads, and --threads {threads}")
    atomic = Specification(specification, n)
    object_ = implementation() if isinstance(implementation, type) else implementation
    _same_operations(object_, atomic)
    known = [read_plan(asked, atomic)] if named else plans(atomic, _counts(asked, n))
    longest = max(len(calls) for calls in known[0].threads)
    if 3 * (n - 1) * longest + 3 > _BITS:
        raise CheckError(f"{n} threads with {longest} operations are too many\nhelp: ask for fewer")
    allowed = [plan for plan in known if _allows(atomic, plan)]
    if not allowed:
        raise CheckError(
            f"{'these calls' if named else 'each client'} can come in an order in which an "
            f"assertion of {atomic.name} fails, or a thread waits forever\n"
            "help: name calls that work in every order, as in --calls 'acquire(); release() | "
            "acquire(); release()'"
        )
    return [client(object_, atomic, plan, condition) for plan in allowed]


def thread_count(threads: int, operations: str) -> int:
    """How many threads a check has, from the arguments of :func:`check_spec`."""
    return _threads(operations) or threads or 2


def _threads(asked: str) -> int:
    """The threads whose calls are named; 0 if only their number is asked for."""
    return asked.rpartition("||")[2].count("|") + 1 if "(" in asked else 0


def _counts(asked: str, threads: int) -> Sequence[int]:
    """How many operations each thread calls."""
    try:
        counts = [int(count) for count in asked.split(",")] if asked else [2 if threads < 3 else 1]
    except ValueError:
        raise CheckError(
            f"--calls '{asked}': give a number, one for each thread, or the calls\n"
            "help: write 2, or 1,3, or 'push(1); pop() | pop()'"
        ) from None
    if len(counts) == 1:
        counts *= threads
    if len(counts) != threads:
        raise CheckError(f"--calls {asked}: that is {len(counts)} threads, not {threads}")
    return counts


def _same_operations(implementation: Struct, atomic: Specification) -> None:
    """The implementation has each operation, with as many arguments, all of them numbers.

    Raises:
        CheckError: it has not.
    """
    cls = type(implementation)
    methods = compile_class(cls).methods
    for method in atomic.methods.values():
        if method.name not in methods:
            hint = did_you_mean(method.name, methods)
            raise CheckError(f"{cls.__name__} has no {method.name}(), as {atomic.name} has; {hint}")
        types = methods[method.name].arg_types
        if any(kind != "int" for kind in types):
            raise CheckError(
                f"{cls.__name__}.{method.name}() takes a pointer: clients call operations with "
                "numbers only\nhelp: wrap it in a struct whose method finds the object itself"
            )
        takes = len(types)
        if takes != len(method.parameters):
            raise CheckError(
                f"{cls.__name__}.{method.name}() takes {takes} arguments, and "
                f"{atomic.name}.{method.name}() takes {len(method.parameters)}"
            )


def _allows(atomic: Specification, plan: Plan) -> bool:
    """Whether all orders of a plan's operations are allowed, and come to an end."""
    todo = operations_of(plan)
    state = atomic.start((*plan.first, *(o.call for o in todo))[0])
    states = {state}
    for call in plan.first:
        found = [atomic.outcomes(state, call, 0) for state in states]
        if not all(found):
            return False
        states = {after for outcomes in found for after, _ in outcomes or ()}
    progress = [(state, (0,) * len(plan.threads)) for state in states]
    seen = set(progress)
    while progress:
        state, places = progress.pop()
        stuck = any(places[t] < len(calls) for t, calls in enumerate(plan.threads))
        for thread, calls in enumerate(plan.threads):
            if places[thread] == len(calls):
                continue
            outcomes = atomic.outcomes(state, calls[places[thread]], thread)
            if outcomes is None:
                return False
            further = (*places[:thread], places[thread] + 1, *places[thread + 1 :])
            stuck = stuck and not outcomes
            new = {(after, further) for after, _ in outcomes} - seen
            seen |= new
            progress += new
        if stuck:
            return False
    return True


def _class(struct: Struct | type[Struct]) -> type[Struct]:
    return struct if isinstance(struct, type) else type(struct)
