"""The error of this package."""

from __future__ import annotations


class ReportError(Exception):
    """A text is not such a report, or a run cannot be reported in a format."""

    exit_code = 2
