"""Names in C: the program's own, unless C or the emitted file has taken them."""

from __future__ import annotations

import re

KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "auto break case char const continue default do double else enum extern float for goto if "
        "inline int long register restrict return short signed sizeof static struct switch typedef "
        "union unsigned void volatile while asm typeof linux unix NULL thread assert free "
        "memory_order errno stdin stdout stderr",
    )
)
"""Names that no variable, field or method can have; macros of the headers are among them."""

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake(name: str) -> str:
    """``TicketLock`` as ``ticket_lock``, ``MCSLock`` as ``mcs_lock``."""
    return _BOUNDARY.sub("_", name).lower()


def plain(name: str) -> str:
    """A name of the program as an identifier of C: letters beyond ASCII are spelled out."""
    text = "".join(c if c.isascii() else f"_u{ord(c):x}" for c in name)
    if text.startswith("_"):
        text = "unused" if text == "_" else f"own{text}"
    taken = text in KEYWORDS or text.startswith(("locklab_", "atomic_", "memory_order_"))
    return f"{text}_" if taken else text


def fresh(wanted: str, taken: set[str]) -> str:
    """A name that is not taken, and is from now on."""
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name
