"""``perf c2c report --stdio``: the cache lines that CPUs took from each other.

A row is a cache line of the "Shared Data Cache Line Table", with its sampled loads and stores and
with the loads that found it modified in another CPU's cache: in the same node (``hitm_local``) or
in another (``hitm_remote``); Arm reports ``peer`` instead. Below "Distribution Pareto" each place
that touched a line is a caller of it. The columns differ by year and by machine; the heading names
them.
Samples are no counts: compare lines within one text only.
"""

from __future__ import annotations

import re

from locksim.study.reports import columns as cells
from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window
from locksim.study.reports.reading import Reader, Report
from locksim.study.reports.table import LockRow

_FRAME = re.compile(
    r"\s*(?:={20,}|#|# \.[. ]+|-{20,}"
    r"|(?:Trace Event Information|Global Shared Cache Line Event Information|c2c details"
    r"|Shared Cache Line Distribution Pareto)"
    r"|Shared Data Cache Line Table(?:\s+\(.*\))?)\s*"
)
_INFO = re.compile(
    r"  \S.* {2,}: .*|\s{30,}: \S.*|  (?:LLC Misses|Cacheline).*: .*|\s+[\w -]+\(HITM?\)\s*:.*"
)
_GROUPS = re.compile(r"\s*#?\s+-+ (?:Cacheline|HITM) -+ .*")
_TITLE = re.compile(r"#|PA cnt|Ld Miss|L1 Hit|L1 Miss|rmt hitm|lcl hitm|Code address|\S+")
_TABLE = re.compile(r"\s*(?:# )?\s*Index\s+(?:Address|Cacheline)\s.*")
_PARETO = re.compile(r"\s*#\s+Num\s+.*Offset.*")
_ROW = re.compile(r"\s*\d+\s+0x[0-9a-f]+\s+\S.*")
_LINE = re.compile(r"\s*\d+(?:\s+\d+)+\s+(0x[0-9a-f]+)\s*")
_PLACE = re.compile(r"\s*((?:\d+(?:\.\d+)?%\s+)+)(0x[0-9a-f]+)\s+(\S.*)")
_CHAIN = re.compile(r"\s+\|\s*|\s+(?:\||-)?-+\S+\s*|\s{8,}[A-Za-z_][\w.@]*\s*")
_COUNTS = {"records": "records", "Loads": "loads", "Stores": "stores"}


class CacheLines(Reader):
    """The reader of ``perf c2c report``."""

    source = "c2c"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._groups = ""
        self._titles: list[str] = []
        self._whole = False
        self._pareto: list[str] = []
        self._lines: dict[str, LockRow] = {}
        self._at = ""

    def end(self) -> None:
        """Forget headings and lines."""
        super().end()
        self._groups, self._titles, self._pareto, self._lines = "", [], [], {}

    def take(self, window: Window) -> int:
        """A heading, a row, a place, or the frame around them."""
        first = window.first
        if _GROUPS.fullmatch(first):
            self._groups = first
            return 1
        if _TABLE.fullmatch(first):
            self._titles = [title for title in _TITLE.findall(first) if title != "#"]
            self._whole = first.lstrip().startswith("#")  # a terminal cuts headings and rows alike
            self._pareto, self._lines = [], {}
            self.begin("perf c2c")
            return 1
        if _PARETO.fullmatch(first):
            self._pareto = [title for title in _TITLE.findall(first) if title != "#"]
            return 1
        if self._pareto:
            if found := _LINE.fullmatch(first):
                self._at = found[1]
                return 1
            if self._place(first):
                return 1
        elif self._titles and _ROW.fullmatch(first):
            self._row(first, window.number)
            return 1
        if _FRAME.fullmatch(first):
            alone = first.strip() == "#" and not self.begun
            return int(not alone or bool(_GROUPS.fullmatch(window.line(1))))
        if _INFO.fullmatch(first) and (self.begun or not self.report.tables):
            return 1
        return int(bool(self._pareto and self._lines and _CHAIN.fullmatch(first)))

    def _row(self, text: str, number: int) -> None:
        values: dict[str, float] = {}
        seen: list[str] = []
        has_hitm = "Load Hitm" in self._groups
        words = text.split()
        if self._whole and len(words) < len(self._titles):
            raise ReportError(
                f"line {number}: {len(words)} values, the heading has {len(self._titles)} columns: "
                f"{text.strip()!r}\nhelp: a row is cut; give the whole line"
            )
        for title, word in zip(self._titles, words, strict=False):
            before = seen.count(title)
            seen.append(title)
            what = _COUNTS.get(title, "")
            if title in ("LclHitm", "Lcl") and not before and has_hitm:
                what = "hitm_local"
            elif title in ("RmtHitm", "Rmt") and not before and has_hitm:
                what = "hitm_remote"
            elif title == "Total" and before and "Store" in self._groups:
                what = "stores"
            elif title == "Peer":
                what = "peer"
            if what and what not in values and word.isdecimal():
                values[what] = cells.count(word, number)
        name = re.findall("0x[0-9a-f]+", text)[0]
        row = LockRow(name, **values)  # type: ignore[arg-type]
        self._lines[name] = row
        self.add(row)

    def _place(self, text: str) -> bool:
        """Add a place that touched a line; its shares are those of the line's samples."""
        found = _PLACE.fullmatch(text)
        line = self._lines.get(self._at)
        if found is None or line is None:
            return False
        titles = self._pareto[self._pareto.index("Num") + 1 :]
        shares = [float(share.rstrip("%")) / 100 for share in found[1].split()]
        values: dict[str, float] = {}
        for title, share in zip(titles, shares, strict=False):
            what = {"RmtHitm": "hitm_remote", "Rmt": "hitm_remote", "Peer": "peer"}.get(title, "")
            what = "hitm_local" if title in ("LclHitm", "Lcl") else what
            whole = getattr(line, what) if what else None
            if whole is not None:
                values[what] = share * whole
        symbol = re.search(r"\[[.k]\] (\S+)", found[3])
        at = symbol[1] if symbol else "?"
        # The table of lines may be followed by another line's places: keep them with their line.
        self.add(LockRow(line.name, line.kind, f"{at} at {found[2]}", **values))  # type: ignore[arg-type]
        return True
