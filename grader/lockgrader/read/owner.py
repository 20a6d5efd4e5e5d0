"""Whose a submission is: a student's name from the name of a file or folder.

A student chooses that name, and it becomes a folder of results, a cell of a table and a word on the
instructor's terminal. So a name keeps letters and digits of any script, spaces and ``._-+@',``;
every other byte becomes ``%`` and two digits, as in a URL. Different files of one student may bear
the same name; files of different students never do. Nothing is refused here: an odd name costs
nobody a grade.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from pathlib import Path

_PLAIN = frozenset("._-+@ ',")
_OURS = re.compile(r"\.(?=(csv|html|json|jsonl|sqlite|xml|zip)$)", re.IGNORECASE)
"""The dot of names that a batch gives to files beside the students' folders."""
_LONGEST = 120
"""Bytes of a name; a file system takes 255, and files made beside it have longer names."""


def student_of(path: Path, lab: str) -> str:
    """The student of a submission, from its name: ``ada`` and ``ada-lab02.zip`` belong to ada.

    Arguments:
        path: the submission. lab: the lab's name, such as ``lab02-spinlocks``.
    """
    name = path.name if path.is_dir() and not path.is_symlink() else path.stem
    for ending in (f"-{lab}", f"-{lab.partition('-')[0]}"):
        if lab and name.endswith(ending) and name != ending:
            name = name.removesuffix(ending)
            break
    return student_name(name)


def student_name(text: str) -> str:
    """A text as a student's name: the same for equal texts, and safe as a folder's name."""
    # A Mac stores é as two characters; both spellings are one student.
    text = unicodedata.normalize("NFC", text)
    name = "".join(c if c.isalnum() or c in _PLAIN else _encoded(c) for c in text)
    if name.startswith((".", " ")):
        name = _encoded(name[0]) + name[1:]
    if name.endswith((".", " ")):  # which Windows drops
        name = name[:-1] + _encoded(name[-1])
    name = _OURS.sub("%2E", name) or "%"
    if len(os.fsencode(name)) > _LONGEST:
        digest = hashlib.sha256(os.fsencode(text)).hexdigest()[:16]
        name = f"{os.fsencode(name)[: _LONGEST - 17].decode(errors='ignore')}%{digest}"
    return name


def _encoded(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))
