"""A problem: a question, its answer, and how an answer is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

NONE = "none"


class AnswerError(Exception):
    """What was typed is not an answer of the kind that is asked for."""

    exit_code = 2


@dataclass(frozen=True)
class Problem:
    """A problem.

    Arguments:
        question: the text, of several lines. form: what to type, such as "numbers, such as 1 3".
        answer: the numbers, or for pairs the numbers of each, in any order.
        why: the explanation, of several lines.
        size: how many numbers belong together: 1, or 2 for pairs.
        within: relative error that a measured number may have.
    """

    question: str
    form: str
    answer: frozenset[tuple[float, ...]]
    why: str
    size: int = 1
    within: float = 0.0

    def right(self, typed: str) -> bool:
        """Whether what was typed is the answer.

        Raises:
            AnswerError: it cannot be read.
        """
        given = self._read(typed)
        if not self.within:
            return given == self.answer
        (value,), (wanted,) = next(iter(given or {(0.0,)})), next(iter(self.answer))
        return len(given) == 1 and abs(value - wanted) <= self.within * abs(wanted)

    def shown(self) -> str:
        """The answer as it may be typed."""
        texts = [
            ",".join(f"{n:.3g}" if self.within else f"{n:g}" for n in one)
            for one in sorted(self.answer)
        ]
        return " ".join(texts) or NONE

    def _read(self, typed: str) -> frozenset[tuple[float, ...]]:
        text = typed.strip().lower()
        if text == NONE:
            return frozenset()
        numbers = re.findall(r"-?\d+(?:\.\d+)?", text)
        if not numbers or re.search(r"[a-z]", text) or len(numbers) % self.size:
            raise AnswerError(f"'{typed.strip()}' is not an answer; type {self.form}")
        values = [float(n) for n in numbers]
        groups = range(0, len(values), self.size)
        return frozenset(tuple(values[k : k + self.size]) for k in groups)


def beside(threads: list[list[str]]) -> str:
    """The steps of two threads or more, one column each."""
    head = [f"thread {k}" for k in range(len(threads))]
    width = max(len(line) for lines in [head, *threads] for line in lines) + 4
    rows = [
        head,
        *([t[k] if k < len(t) else "" for t in threads] for k in range(max(map(len, threads)))),
    ]
    return "\n".join("  " + "".join(cell.ljust(width) for cell in row).rstrip() for row in rows)
