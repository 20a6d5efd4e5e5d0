"""Names that browsers, editors and systems change: whose file is ``Answers (1).json``?

A file that is missing under its own name is taken under a name that differs in case, spaces, the
number of a copy or a second ending alone, if there is exactly one such file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

_COPY = re.compile(r"(\s*\(\d+\)|[\s_-]+copy(\s*\(?\d+\)?)?)+$")


def likely(names: Collection[str], wanted: Collection[str]) -> dict[str, str]:
    """Wanted name → the name of the file that is likely meant; of missing files only.

    Arguments:
        names: of the files that are there. wanted: the right names.
    """
    plain: dict[str, list[str]] = {}
    for name in names:
        if name not in wanted:
            plain.setdefault(_plain(name), []).append(name)
    missing = [name for name in wanted if name not in names]
    found = {name: plain.get(_plain(name), []) for name in missing}
    return {name: others[0] for name, others in found.items() if len(others) == 1}


def _plain(name: str) -> str:
    """A name without what is changed along the way."""
    whole = unicodedata.normalize("NFKC", name).casefold().strip().removesuffix(".txt")
    stem, dot, end = whole.rpartition(".")
    return f"{_COPY.sub('', stem.strip())}{dot}{end.strip()}"
