"""What somebody would do to a load: another lock, more locks, a shorter section, more CPUs.

A change is written as one word; several in one text, with commas between, happen together:
``lock=mcs,cpus=192``. A split of a lock has two answers unless it says who will use which part, so
one text may stand for several changed loads.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from locksim.study.twin.errors import TwinError
from locksim.study.twin.load import ClassLoad, has_readers

__all__ = ["CHANGES", "Change", "changes_of"]

CHANGES = {
    "lock=NAME": "another lock of the library, or FILE.py:CLASS; rcu_qsbr: writers wait",
    "split:N": "N locks for each; split:N:random or split:N:owner says who uses which",
    "merge:N": "one lock for every N",
    "batch:N": "N sections in one acquisition",
    "hold*X": "X times the work under the lock; its line transfers stay",
    "readers-drop-the-lock": "readers take no lock; what writers replace is freed elsewhere",
    "cpus=N": "the same load on N CPUs",
}
"""Each change, and what it does."""

MOST_LOCKS = 4096


@dataclass(frozen=True, slots=True)
class Change:
    """A changed load.

    Arguments:
        name: the change as it was written, with what was left open in it.
        load: the load. cpus: on which it runs.
    """

    name: str
    load: ClassLoad
    cpus: int


def changes_of(text: str, load: ClassLoad, cpus: int) -> list[Change]:
    """The loads that a change makes of a load.

    Arguments:
        text: one change, or several with commas. load, cpus: before the change.

    Raises:
        TwinError: the text is not a change, or the load has nothing to change so.
        UnknownNameError, CompileError: a lock that is not known, or outside the language.
    """
    made = [Change("", load, cpus)]
    for part in text.split(","):
        made = [after for before in made for after in _one(part.strip(), before)]
    return made


def _one(text: str, before: Change) -> list[Change]:
    for form, apply in _FORMS:
        found = re.fullmatch(form, text)
        if found is not None:
            return [
                replace(one, name=", ".join(filter(None, (before.name, one.name))))
                for one in apply(text, before, *found.groups())
            ]
    raise TwinError(f"--what-if {text}: not a change; write {', '.join(CHANGES)}")


def _lock(text: str, before: Change, name: str) -> list[Change]:
    load = before.load
    if has_readers(name) and not has_readers(load.lock) and not load.reads:
        raise TwinError(
            f"--what-if {text}: the report does not say how many sections only read\n"
            "help: give their share with --reads"
        )
    after = replace(load, lock=name, free_readers=False)
    after.workload()  # refuses a struct that guards no section
    return [Change(text, after, before.cpus)]


def _split(text: str, before: Change, number: str, users: str | None) -> list[Change]:
    load, parts = before.load, _number(text, number)
    if load.locks * load.parts * parts > MOST_LOCKS:
        raise TwinError(f"--what-if {text}: more than {MOST_LOCKS:,} locks")
    made = {
        "random": replace(load, parts=load.parts * parts),
        "owner": replace(load, locks=load.locks * parts, at_random=0.0),
    }
    return [
        Change(f"split:{parts}:{name}", split, before.cpus)
        for name, split in made.items()
        if users in (None, name)
    ]


def _merge(text: str, before: Change, number: str) -> list[Change]:
    load, parts = before.load, _number(text, number)
    if load.locks < 1.5:
        raise TwinError(
            f"--what-if {text}: the row is one lock; nothing is known of another one that could be "
            "merged with it"
        )
    return [Change(text, replace(load, locks=max(1.0, load.locks / parts)), before.cpus)]


def _batch(text: str, before: Change, number: str) -> list[Change]:
    load, size = before.load, _number(text, number)
    return [
        Change(
            text,
            replace(load, batch=load.batch * size, think_ns=load.think_ns * size),
            before.cpus,
        )
    ]


def _hold(text: str, before: Change, factor: str) -> list[Change]:
    load, by = before.load, float(factor)
    if not 0 <= by <= 1000:
        raise TwinError(f"--what-if {text}: the factor must be between 0 and 1000")
    shorter = replace(load, hold_ns=load.hold_ns * by, read_hold_ns=load.read_hold_ns * by)
    return [Change(text, shorter, before.cpus)]


def _free_readers(text: str, before: Change) -> list[Change]:
    if not before.load.reads:
        raise TwinError(
            f"--what-if {text}: the report does not say how many sections only read\n"
            "help: give their share with --reads"
        )
    return [Change(text, replace(before.load, free_readers=True), before.cpus)]


def _cpus(text: str, before: Change, number: str) -> list[Change]:
    return [Change(text, before.load, _number(text, number))]


def _number(text: str, number: str) -> int:
    found = int(number)
    if not 1 <= found <= MOST_LOCKS:
        raise TwinError(f"--what-if {text}: the number must be between 1 and {MOST_LOCKS:,}")
    return found


_FORMS: tuple[tuple[str, Callable[..., list[Change]]], ...] = (
    (r"lock=(\S+)", _lock),
    (r"split:(\d{1,9})(?::(random|owner))?", _split),
    (r"merge:(\d{1,9})", _merge),
    (r"batch:(\d{1,9})", _batch),
    (r"hold\*(\d{1,9}(?:\.\d{1,9})?)", _hold),
    (r"readers-drop-the-lock", _free_readers),
    (r"cpus=(\d{1,9})", _cpus),
)
