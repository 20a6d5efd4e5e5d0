"""The text of ``collect.sh``: several tools' views of one kernel, with CPUs and window between.

Each line of the collector begins with ``##``: ``## key: value`` says what is known of the machine,
``## view: words`` labels the tables below it, and ``## not collected: what (why)`` is kept as a
note. The tables between are the tools' own. The first line is ``## locklab collect`` with a
version.
"""

from __future__ import annotations

import re

from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window
from locksim.study.reports.reading import Reader, Report

VERSION = "1"

_FIRST = re.compile(r"## locklab collect (\S+)")
_LINE = re.compile(r"## (?:(?P<key>[^:]+): )?(?P<value>.*)")
_SECONDS = re.compile(r"(\d+) s")


class Collected(Reader):
    """The reader of the collector's own lines; it makes no table."""

    source = "collect"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._given = report.cpus, report.window_ns
        self._inside = False

    def take(self, window: Window) -> int:
        """A line of the collector."""
        line = window.first.rstrip()
        if found := _FIRST.fullmatch(line):
            if found[1] != VERSION:
                raise ReportError(
                    f"line {window.number}: a collector of version {found[1]}, known is {VERSION}\n"
                    "help: collect again with 'locklab show script collect'"
                )
            self._inside = True
            self.report.cpus, self.report.window_ns = self._given
            return 1
        if not self._inside or (found := _LINE.fullmatch(line)) is None:
            return 0
        key, value = found["key"], found["value"]
        if key == "cpus" and self._given[0] is None and value.isdecimal():
            self.report.cpus = int(value)
        elif key == "window" and self._given[1] is None and (time := _SECONDS.fullmatch(value)):
            self.report.window_ns = int(time[1]) * 1e9
        elif key == "view":
            self.report.view = value
        elif key == "not collected":
            self.report.missing.append(value)
        elif value == "end":
            self._inside, self.report.view = False, ""
        return 1
