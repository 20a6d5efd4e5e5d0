"""The one error of this package."""

from __future__ import annotations


class ReportError(Exception):
    """A text that is no such report, or a run that can not be reported so: what, where, mend."""

    exit_code = 2
