"""A test client: the workload that a lock is checked with, and what must hold at its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from locksim.checker.errors import CheckError
from locksim.lang.struct import Workload

TEST_CLIENT = "test client"
"""How a step or a message names a place in a client of the library; the file of a client whose
source was made for one check."""


class End(Protocol):
    """A condition on the values that some words have when all threads have finished."""

    @property
    def found(self) -> str:
        """The property that is violated where it does not hold."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words' names."""

    def wrong(self, values: tuple[int, ...]) -> str:
        """What is wrong with final values of these words; empty if nothing is."""


@dataclass(frozen=True)
class Client:
    """A workload of a few threads, and what must hold when all of them have finished.

    Arguments:
        name: what it does, in a few words.
        workload: the description.
        expect: word's name → its value at the end.
        end: a condition on the final values of some words; None: there is none.
        plain: words that stand for data that is not atomic: a race on them is an error.
        means: what a fault is called here: kind of violation → name.
        repeats: whether each thread may run its program any number of times instead of once. What
            is expected at the end does not count then.
    """

    name: str
    workload: Workload
    expect: dict[str, int] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    means: Mapping[str, str] = field(default_factory=dict)
    end: End | None = None
    repeats: bool = False


def chosen(known: list[Client], name: str) -> list[Client]:
    """The clients whose name begins with a text; all for an empty one.

    Raises:
        CheckError: there is none.
    """
    found = [c for c in known if c.name.startswith(name)]
    if not found:
        names = "; ".join(c.name for c in known)
        raise CheckError(f"no client '{name}': give the beginning of a name (there are: {names})")
    return found
