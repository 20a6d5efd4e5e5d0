"""Whether classes of two submissions do the same, whatever their lines and comments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from locksim.compiler.ir import ClassCode
from locksim.compiler.portable import codes_to_json


def other_classes(wanted: Mapping[str, ClassCode], given: Mapping[str, ClassCode]) -> set[str]:
    """The classes of one submission that do something else in another, or use one that does.

    Arguments:
        wanted: the classes that are asked about, by name. given: those of the other submission.
    """
    pairs = {name: (_compiled(code), _compiled(given.get(name))) for name, code in wanted.items()}
    other = {name for name, (ours, theirs) in pairs.items() if ours != theirs}
    return {name for name, (ours, _) in pairs.items() if name in other or other & ours[0].keys()}


def _compiled(code: ClassCode | None) -> tuple[dict[str, Any], Any]:
    """A class's structs by name, and its methods without places and names of variables."""
    if code is None:
        return {}, {}
    document = codes_to_json({code.name: code})
    (made,) = document["classes"].values()
    methods = {
        name: (m["arguments"], m["returns"], [(op, args) for op, args, *_ in m["instrs"]])
        for name, m in made["methods"].items()
    }
    return document["structs"], methods
