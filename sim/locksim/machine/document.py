"""A profile as TOML text, from the document that :func:`tomllib.loads` would give of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def toml(document: Mapping[str, Any], head: str, comments: Mapping[str, str] | None = None) -> str:
    """Return a document as TOML text.

    Arguments:
        document: tables of tables, strings, numbers, booleans and lists.
        head: comment above the whole file.
        comments: dotted name of a table (``cost.transfer``, ``cost.transfer.node``) → comment above
            it. A table that holds only tables has its comment above the first of them.
    """
    lines = _comment(head)
    _table(lines, "", document, comments or {})
    return "\n".join(lines) + "\n"


def _table(
    lines: list[str], path: str, table: Mapping[str, Any], comments: Mapping[str, str]
) -> None:
    plain = {k: v for k, v in table.items() if not isinstance(v, Mapping)}
    above = _comment(comments[path]) if path in comments else []
    if path and (plain or above):
        lines += ["", *above]
    if path and plain:
        lines.append(f"[{path}]")
    # Strings, numbers, lists and booleans of JSON are valid TOML.
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            _table(lines, f"{path}.{key}" if path else key, value, comments)


def _comment(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]
