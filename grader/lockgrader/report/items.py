"""The questions of a quiz as measures: how hard each is, what it separates, what a class gained.

- **Difficulty** is the share of right answers. **Discrimination** is the point-biserial correlation
  of a right answer with the number of other questions that the same student has right (Ding and
  Beichner, Physical Review Special Topics, Physics Education Research 5, 020103, 2009).
- The **gain** from one quiz to a later one is (after - before) / (1 - before) of the class's shares
  of right answers: the part of what the class did not know that it knows now (Hake, American
  Journal of Physics 66, 64, 1998). It is taken of the class, not as a mean over students, which
  their guesses bias. A question has the same name in both quizzes.

Only students who answered both count. An interval is what the gain of another class of such
students would be: students are drawn with repetition, each with both answers
(:func:`scipy.stats.bootstrap`, BCa).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockgrader.result import CheckResult, Result, ResultError

if TYPE_CHECKING:  # half a second that others save
    import pandas as pd

FEW = 20
"""Fewer students are a small class: the interval is wide."""


@dataclass(frozen=True)
class Item:
    """A question.

    Arguments:
        name, title: of the check. students: who answered the quiz. difficulty: share of right
            answers. discrimination: -1 to 1; NaN where all or none are right.
    """

    name: str
    title: str
    students: int
    difficulty: float
    discrimination: float


@dataclass(frozen=True)
class Gain:
    """From before to after.

    Arguments:
        name: of the question, or "all". students: with both quizzes. before, after: shares of right
            answers. gain: at most 1; NaN where all were right before. low, high: its 95 % interval;
            NaN where the answers do not vary enough for one.
    """

    name: str
    students: int
    before: float
    after: float
    gain: float
    low: float
    high: float


def items(results: Sequence[Result]) -> list[Item]:
    """Each question of a quiz, in order."""
    from scipy import stats

    right = _right(results)
    titles = {c.name: c.title for r in results for c in r.checks}
    found = []
    for name in right:
        answered = right[name].dropna()
        others = right.loc[answered.index].drop(columns=name).sum(axis=1)
        varies = answered.nunique() > 1 and others.nunique() > 1
        link = stats.pointbiserialr(answered, others).statistic if varies else math.nan
        share = math.nan if answered.empty else float(answered.mean())
        found.append(Item(str(name), titles[str(name)], len(answered), share, float(link)))
    return found


def gain(before: Sequence[Result], after: Sequence[Result]) -> list[Gain]:
    """What the class gained: as a whole, then in each question that both quizzes ask.

    Raises:
        ResultError: the quizzes share no question, or fewer than two students answered both.
    """
    was, now = _right(before), _right(after)
    names = [name for name in was if name in now]
    if not names:
        labs = " and ".join(results[0].lab for results in (before, after))
        raise ResultError(
            f"{labs} have no question in common\n"
            "help: give a question the same name in both quizzes"
        )
    both = was.index.intersection(now.index)
    if len(both) < 2:
        raise ResultError(
            f"{len(both)} students answered both quizzes; a gain needs at least two\n"
            "help: are the logins the same in both folders?"
        )
    was, now = was.loc[both, names], now.loc[both, names]
    was, now = was.where(now.notna()), now.where(was.notna())
    whole = _gain("all", was.mean(axis=1), now.mean(axis=1))
    return [whole, *(_gain(str(name), was[name], now[name]) for name in names)]


def _gain(name: str, was: pd.Series[float], now: pd.Series[float]) -> Gain:
    """The gain of the shares of right answers of the same students."""
    import numpy as np
    from scipy import stats

    was, now = was.dropna(), now.dropna()

    def share(was: Any, now: Any, axis: int = -1) -> Any:
        missing = 1 - was.mean(axis)
        # A class that knew it all is the end of the scale, where a drawn one happens to be so.
        return np.where(missing > 0, (now.mean(axis) - was.mean(axis)) / missing, -np.inf)

    pair = (was.to_numpy(float), now.to_numpy(float))
    middle, ends = -math.inf, (math.nan, math.nan)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of answers that do not vary: there is no interval
        if len(was):
            middle = float(share(*pair))
        if len(was) > 1 and math.isfinite(middle):
            ends = stats.bootstrap(pair, share, paired=True, rng=1).confidence_interval
    middle, low, high = (float(x) if math.isfinite(x) else math.nan for x in (middle, *ends))
    return Gain(name, len(was), float(was.mean()), float(now.mean()), middle, low, high)


def _right(results: Sequence[Result]) -> pd.DataFrame:
    """Student × question: 1 for right, 0 for wrong or left out, NaN where the grader failed."""
    import pandas as pd

    return pd.DataFrame.from_dict(
        {
            r.student: {c.name: _answer(c) for c in r.checks if c.max_points}
            for r in results
            if not r.absent
        },
        orient="index",
        dtype=float,
    )


def _answer(check: CheckResult) -> float:
    if check.verdict == "grader_error":
        return math.nan
    return float(check.verdict == "pass")
