"""A test client: the workload that a lock is checked with, and what must hold at its end.

Kinds of struct make them and the checker explores them. It stands below both, so that a list of
locks can say which have clients without importing the checker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from locksim.lang.fields import array, word
from locksim.lang.struct import Workload

MOST = 8
"""Threads of a client, tasks included."""
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
class Conduct:
    """What threads may not do inside calls of some methods, in any state.

    The methods are named as ``Class.method``, by the class of the object that is called.

    Arguments:
        writes_nothing: a thread inside writes no word, sleeps not, and wakes, allocates and frees
            nothing.
        waits_for_none: a thread inside comes out if it runs alone, wherever the others stay.
        lets_in: the same, where the others stay outside of calls of these methods.
    """

    writes_nothing: tuple[str, ...] = ()
    waits_for_none: tuple[str, ...] = ()
    lets_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class Client:
    """A workload of a few threads, and what must hold when all of them have finished.

    Arguments:
        name: what it does, in a few words.
        workload: the description.
        expect: word's name → its value at the end.
        end: a condition on the final values of some words; None: there is none.
        once: whether that condition is asked of one run only, not of every run.
        plain: words that stand for data that is not atomic: a race on them is an error.
        means: what a fault is called here: kind of violation → name.
        repeats: whether each thread may run its program any number of times instead of once. What
            is expected at the end does not count then.
        conduct: of its threads, as demanded; None: they may do anything.
        nodes: the NUMA node of each thread; empty where the program does not ask for it.
    """

    name: str
    workload: Workload
    expect: dict[str, int] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    means: Mapping[str, str] = field(default_factory=dict)
    end: End | None = None
    once: bool = False
    repeats: bool = False
    conduct: Conduct | None = None
    nodes: tuple[int, ...] = ()


class SwitchedTasks(Workload):
    """A workload with tasks that the checker can take: it has the words that a switch needs.

    Its ``thread()`` ends with ``yield self.stopped.fetch_add(1)``; tasks that are put aside end
    when all CPUs have come to that.
    """

    running = array(MOST)
    stopped = word()
    clock = word()
