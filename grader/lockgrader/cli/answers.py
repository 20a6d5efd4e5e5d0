"""What several commands answer: a result, as it stands in ``result.json``."""

from __future__ import annotations

from typing import cast

from pydantic import computed_field

from lockgrader.result import Result

__all__ = ["ResultAnswer", "document"]


class ResultAnswer(Result):
    """A submission's grading; ``points`` and ``max_points`` are its sums."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def points(self) -> float:
        """Points earned, after what a late submission costs."""
        return super().points

    @computed_field  # type: ignore[prop-decorator]
    @property
    def max_points(self) -> float:
        """Points that could be earned, with those that a person has still to give."""
        return super().max_points


def document(result: Result) -> ResultAnswer:
    """Return a result's JSON document."""
    return cast("ResultAnswer", result.document())
