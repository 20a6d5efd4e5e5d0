"""Find submissions that resemble each other more than a class does: copied code, copied words.

Code is compared by the runs of its bytecode (:mod:`lockgrader.compile.fingerprint`), answers by
their runs of words. A run that many students share says nothing: the lab or the textbook brought
it. So each counts by the logarithm of its rarity, as in inverse document frequency (Spärck Jones
1972), and a pair is named if it shares most of what is rare, and enough of it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from lockgrader.result import Result

__all__ = ["Alike", "similar"]

WORDS = 4
"""Words in a run of an answer."""
CODE_SHARE, TEXT_SHARE = 0.7, 0.4
"""Shares of what is rare in either of two submissions from which they are alike."""
BITS = 15.0
"""Rarity of all that two share, from which it is more than chance: 10 runs that only a third of a
class have, or 2 that only these two of 300 have."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Alike:
    """Two students and what resembles.

    Arguments:
        students: the two. what: a class of the code, or a question. share: of what is rare in
            either, 0 to 1.
    """

    students: tuple[str, str]
    what: str
    share: float


def similar(results: Sequence[Result]) -> list[Alike]:
    """All pairs that are alike, the most alike first.

    Arguments:
        results: of one lab, one a student.
    """
    found = []
    for what, least, runs in _compared(results):
        spread: dict[str, list[str]] = defaultdict(list)
        for student, own in runs.items():
            for run in own:
                spread[run].append(student)
        most = max(2, len(runs) // 3)  # what a third of a class has is no evidence
        rare = {run: who for run, who in spread.items() if len(who) <= most}
        bits = {run: math.log2((len(runs) + 1) / len(who)) for run, who in rare.items()}
        total = {student: sum(bits.get(run, 0.0) for run in own) for student, own in runs.items()}
        shared: dict[tuple[str, str], float] = defaultdict(float)
        for run, who in rare.items():
            for pair in combinations(sorted(who), 2):
                shared[pair] += bits[run]
        for (one, other), both in shared.items():
            share = both / (total[one] + total[other] - both)
            if both >= BITS and share >= least:
                found.append(Alike((one, other), what, share))
    return sorted(found, key=lambda a: (-a.share, a.students, a.what))


def _compared(results: Sequence[Result]) -> Iterator[tuple[str, float, dict[str, set[str]]]]:
    """What is compared: a name, the share from which it is alike, student → runs."""
    classes = sorted({name for r in results for name in r.fingerprints})
    for name in classes:
        runs = {r.student: set(r.fingerprints[name]) for r in results if name in r.fingerprints}
        yield name, CODE_SHARE, runs
    questions = {c.name: c.title for r in results for c in r.checks if c.answer}
    for name, title in questions.items():
        texts = {r.student: c.answer for r in results for c in r.checks if c.name == name}
        yield title, TEXT_SHARE, {who: _word_runs(text) for who, text in texts.items()}


def _word_runs(text: str) -> set[str]:
    words = _WORD.findall(text.casefold())
    return {" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)}
