"""The question that a check answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypedDict, TypeVar

from locksim.checker.errors import CheckError
from locksim.checker.models.prior_use import Used
from locksim.checker.verdict import LIVENESS, PROPERTIES, UNBOUNDED, Budget
from locksim.compiler.orders import Change, Position

F = TypeVar("F", bound=Callable[..., Any])


class Keywords(TypedDict, total=False):
    """The fields of a :class:`Question` that every function which asks one takes as keywords."""

    memory: str
    property: str
    budget: Budget
    reduction: bool
    symmetry: bool | None
    simplest: bool
    used: Used | None
    orders: Mapping[Position, Change] | None


@dataclass(frozen=True, kw_only=True)
class Question:
    """How many threads are checked, for what, and how far to look.

    ``check_lock``, ``check_spec`` and ``check_workload`` take its fields as keywords.

    Arguments:
        threads: 1 to 8.
        rounds: critical sections of each thread; 0: the client decides; UNBOUNDED: each thread may
            run its program again.
        memory: "sc", "tso" or "c11". property: one of PROPERTIES.
        budget: when to give up.
        name: of what is checked, for the verdict; by default the class's.
        reduction: whether to leave out what makes no difference (``checker.models.reduction``).
        symmetry: whether to exchange threads where nothing tells them apart, for safety
            (``checker.models.symmetry``); None: if the rounds are UNBOUNDED.
        simplest: whether a counterexample under a stronger memory model is shown if there is one.
        used: memory to begin with, and the CPUs of the threads; by default fresh memory.
        orders: memory orders instead of those in the source (:mod:`locksim.compiler.orders`).

    Raises:
        CheckError: the request makes no sense.
    """

    threads: int = 3
    rounds: int = 0
    memory: str = "sc"
    property: str = "all"
    budget: Budget = field(default_factory=Budget)
    name: str = ""
    reduction: bool = True
    symmetry: bool | None = None
    simplest: bool = True
    used: Used | None = None
    orders: Mapping[Position, Change] | None = None

    def __post_init__(self) -> None:
        if self.property not in PROPERTIES:
            raise CheckError(f"unknown property '{self.property}'; known: {', '.join(PROPERTIES)}")
        if self.endless() and self.memory == "c11":
            raise CheckError(
                f"{self.property} under c11 cannot be checked: no real machine hides a store from "
                "a thread forever, and C11 does not say when it must become visible\n"
                "help: ask under sc or tso"
            )
        if self.again() and self.memory == "c11":
            raise CheckError(
                "unbounded rounds under c11 cannot be checked: a thread that does not run could "
                "read older and older values\nhelp: ask under sc or tso, or give a number of rounds"
            )

    def endless(self) -> bool:
        """Whether it is about runs that never end."""
        return self.property in LIVENESS

    def again(self) -> bool:
        """Whether each thread may run its program any number of times."""
        return self.rounds == UNBOUNDED and not self.endless()

    def exchanges(self) -> bool:
        """Whether threads are exchanged for one another."""
        return not self.endless() and (self.again() if self.symmetry is None else self.symmetry)

    def asks(self, *properties: str) -> bool:
        """Whether one of some properties is asked for, by its name or by "all"."""
        return self.property in ("all", *properties)

    def of_verdict(self) -> dict[str, Any]:
        """What a verdict repeats of it."""
        return {
            **{"lock": self.name, "threads": self.threads, "rounds": self.rounds},
            **{"memory": self.memory, "property": self.property},
            "not_checked": list(LIVENESS) if self.property == "all" else [],
        }


def with_keywords(function: F) -> F:
    """Show :class:`Keywords` with their defaults in the signature that ``help()`` prints."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    more = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=Budget() if one.default is MISSING else one.default,
            annotation=one.type,
        )
        for one in fields(Question)
        if one.name in Keywords.__annotations__
    ]
    function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return function
