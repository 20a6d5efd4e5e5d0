"""Terms that a reader meets before they are explained: the glossary against the lessons' order.

A term is explained where it is set in bold or italics, or where it is linked to the glossary. Code
and headings do not count as prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from locklessons.notebooks import GLOSSARY, Lesson, slug

EVERYDAY = frozenset(
    ["acquire", "interval", "miss", "mutant", "overlap", "probe", "profile", "release"]
    + ["replication", "symmetry", "total", "trace", "variant"]
    + ["band", "canary", "pin", "roster", "rubric", "sandbox", "verdict"]  # the grader's words
)
"""Entries whose word is used in its everyday sense too: no script can tell the two apart."""

_FENCED = re.compile(r"^(```+|~~~+).*?^\1\s*$|<!--.*?-->", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`]*`")
EXPLAINED = re.compile(r"\[(?P<words>[^\]]+)\]\([^)]*glossary\.md#(?P<entry>[\w-]+)\)")
_SET_OFF = re.compile(r"(\*\*?)(?P<words>[^*]+)\1")


@dataclass(frozen=True)
class Unexplained:
    """A term that a lesson uses before any lesson has explained it.

    Arguments:
        lesson: its file. line: the line's number, from 1. term: the glossary's entry.
    """

    lesson: str
    line: int
    term: str


def entries(glossary: Path = GLOSSARY) -> list[str]:
    """Return the glossary's terms."""
    lines = glossary.read_text("utf-8").splitlines()
    return [line.removeprefix("## ") for line in lines if line.startswith("## ")]


def unexplained(lessons: Iterable[Lesson], terms: Iterable[str]) -> list[Unexplained]:
    """Return each term's first use, where it is not explained there or before.

    Arguments:
        lessons: in the order in which they are read. terms: the glossary's.
    """
    open_terms = {term: _pattern(term) for term in terms if term.lower() not in EVERYDAY}
    found = []
    for lesson in lessons:
        text = _prose(lesson.file.read_text("utf-8"))
        linked = {link["entry"]: link.start() for link in reversed([*EXPLAINED.finditer(text)])}
        set_off = [*_SET_OFF.finditer(text)]
        for term, pattern in [*open_terms.items()]:
            used = pattern.search(text)
            explained = [m.start() for m in set_off if pattern.search(m["words"])]
            explained += [linked[slug(term)]] if slug(term) in linked else []
            if used is None and not explained:
                continue
            del open_terms[term]
            if used is not None and used.start() < min(explained, default=len(text)):
                line = text.count("\n", 0, used.start()) + 1
                found.append(Unexplained(lesson.file.name, line, term))
    return sorted(found, key=lambda one: (one.lesson, one.line))


def _prose(text: str) -> str:
    """The text with code and headings blanked, line for line."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    text = re.sub(r"\A---\n.*?\n---\n", blank, text, flags=re.DOTALL)
    return re.sub(r"^#+ .*$", blank, _CODE.sub(blank, _FENCED.sub(blank, text)), flags=re.MULTILINE)


def _pattern(term: str) -> re.Pattern[str]:
    """The term in a text: capitals count where they are the term's own; plurals are the term."""
    words = re.escape(term).replace(r"\ ", r"[\s-]+")
    shouted = sum(c.isupper() for c in term) > 1
    return re.compile(rf"(?<![\w-]){words}(?:e?s)?(?![\w-])", 0 if shouted else re.IGNORECASE)
