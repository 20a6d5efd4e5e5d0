"""Signs: what the steps of a counterexample show beside the property that is violated.

One property fails for many reasons. Two threads hold a lock because one stored what it had read
before, or because it did not look at what its exchange returned. A lab names the belief behind each
(``"exclusion:stale-read" = "two-steps-are-one"``), and no student is told the other one's.

| sign | the steps show |
|---|---|
| stale-read | a thread writes a word that another has changed since it read it, and goes on |
| ignored-result | an exchange changed nothing, and its thread has the lock all the same |
| intrusion | a thread changes a word of a struct in which another thread is alone |
| began-inside | the thread that fails began its call while another one was alone inside |
| weak-order | the mistake needs a memory model in which operations change places |
| leftover | a thread reads what was written into a word before its last use of the lock ended |
| worn | the proof began with memory that was used before |
| far | the first wrong number of an answer is off by a factor of three or more |
| too-small, too-big | the first wrong number of an answer is below or above the right one |
| in-NAME | the last call of the thread that fails is of the method NAME |
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lockgrader.finding import Finding

__all__ = ["IN", "SIGNS", "belief_of", "signs"]

SIGNS = (
    "worn",
    "weak-order",
    "stale-read",
    "ignored-result",
    "intrusion",
    "began-inside",
    "leftover",
    "far",
    "too-small",
    "too-big",
)
"""All signs but the names of methods; the first one that a lab names and that is there decides."""
IN = "in-"
"""Before the name of a method, which comes after all other signs."""
_CONDITIONAL = ("compare_swap",)
_BLIND = ("store", "swap", "fetch_add", "fetch_and", "fetch_or", "fetch_xor")
"""Operations that write whatever stands in the word."""
Steps = list[dict[str, Any]]


def belief_of(beliefs: Mapping[str, str], finding: Finding, files: Collection[str]) -> str:
    """The belief behind a finding; "" where the lab names none.

    Arguments:
        beliefs: tag, or tag and sign (``exclusion:stale-read``) → belief. finding: of the check.
        files: of the submission; only steps in them count.
    """
    seen = signs(finding, files)
    named = (f"{finding.tag}:{sign}" for sign in (*SIGNS, *seen) if sign in seen)
    return next((beliefs[name] for name in named if name in beliefs), beliefs.get(finding.tag, ""))


def signs(finding: Finding, files: Collection[str]) -> frozenset[str]:
    """The signs of a finding; those of steps only where it has a counterexample.

    Arguments:
        finding: of a check. files: of the submission; only steps in them count.
    """
    found = {"worn"} if finding.violation else set[str]()
    if wrong := next((row for row in finding.rows if row.share < 1.0), None):
        found.add(wrong.says.partition(",")[0].replace(" ", "-"))
    if finding.far:
        found.add("far")
    example = finding.counterexample
    if example is None:
        return frozenset(found)
    if example["memory"] not in ("", "sc"):
        found.add("weak-order")
    steps = example["steps"]
    last = steps[-1]["thread"] if steps else -1
    calls = [c["call"] for c in example.get("calls", []) if c["thread"] == last]
    found.update(IN + call.rpartition(".")[2] for call in calls[-1:])
    own = [k for k, step in enumerate(steps) if step["file"].strip("<>") in files]
    found.update(_signs_of_steps(steps, own))
    return frozenset(found)


def _signs_of_steps(steps: Steps, own: list[int]) -> Iterator[str]:
    if any(_is_stale(steps, k) and (_goes_on(steps, k) or _gives_back(steps, k)) for k in own):
        yield "stale-read"
    if any(_is_lost(steps[k]) and _goes_on(steps, k) for k in own):
        yield "ignored-result"
    alone = _alone(steps)
    if any(_changes(steps[k]) and alone[k] not in (-1, steps[k]["thread"]) for k in own):
        yield "intrusion"
    if any(_is_leftover(steps, k) for k in own):
        yield "leftover"
    begin = _begin_of_last_call(steps, own)
    if begin is not None and alone[begin] not in (-1, steps[begin]["thread"]):
        yield "began-inside"


def _changes(step: dict[str, Any]) -> bool:
    return step["operation"] in (*_BLIND, *_CONDITIONAL) and step["old"] != step["new"]


def _is_stale(steps: Steps, k: int) -> bool:
    """Whether a step writes a word that others have changed since its thread last read it.

    A store is a wrong guess after any operation that reads; a swap or an addition only after a
    load, since many right programs exchange a word twice.
    """
    step = steps[k]
    reads = ("load", *_CONDITIONAL, *_BLIND[1:]) if step["operation"] == "store" else ("load",)
    if step["operation"] not in _BLIND:
        return False
    changed = False
    for before in reversed(steps[:k]):
        if before["address"] != step["address"] or not before["word"]:
            continue
        if before["thread"] == step["thread"]:
            return changed and before["operation"] in reads
        changed = changed or _changes(before)
    return False


def _is_leftover(steps: Steps, k: int) -> bool:
    """Whether a load finds what was there before its thread last gave the lock back."""
    step = steps[k]
    if step["operation"] != "load":
        return False
    later = ["releases", "acquired"]  # of this thread since, the last one first
    for before in reversed(steps[:k]):
        if before["word"] and before["address"] == step["address"] and _changes(before):
            return not later
        if later and before["thread"] == step["thread"]:
            if any(mark.startswith(later[-1]) for mark in before["marks"]):
                later.pop()
    return False


def _is_lost(step: dict[str, Any]) -> bool:
    """Whether an exchange left the word as it was: another one had been faster."""
    return step["operation"] in ("swap", "compare_swap") and step["old"] == step["new"]


def _goes_on(steps: Steps, k: int) -> bool:
    """Whether the thread does not touch the word again before it has the lock, or the steps end."""
    me, address = steps[k]["thread"], steps[k]["address"]
    if any("acquired" in mark for mark in steps[k]["marks"]):
        return True
    for step in steps[k + 1 :]:
        if step["thread"] != me:
            continue
        if step["word"] and step["address"] == address:
            return False
        if any("acquired" in mark for mark in step["marks"]):
            return True
    return True


def _gives_back(steps: Steps, k: int) -> bool:
    """Whether the thread has begun to give the lock back, and has not come again."""
    mine = (step for step in reversed(steps[:k]) if step["thread"] == steps[k]["thread"])
    last = next((mark for step in mine for mark in step["marks"]), "")
    return "releases" in last


def _alone(steps: Steps) -> list[int]:
    """The thread that is alone inside before each step; -1 for none."""
    found, inside = [], -1
    for step in steps:
        found.append(inside)
        for mark in step["marks"]:
            if mark.startswith("acquired"):
                inside = step["thread"]
            elif mark.startswith("releases"):
                inside = -1
    return found


def _begin_of_last_call(steps: Steps, own: list[int]) -> int | None:
    """The first step of the call in which the thread of the last step is, or was last."""
    thread = steps[-1]["thread"] if steps else -1
    mine = [k for k, step in enumerate(steps) if step["thread"] == thread]
    back = itertools.dropwhile(lambda k: k not in own, reversed(mine))
    call = list(itertools.takewhile(lambda k: k in own, back))
    return call[-1] if call else None
