"""A profile as TOML text, from the document that :func:`tomllib.loads` would give of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unicodedata import category


def toml(document: Mapping[str, Any], head: str, comments: Mapping[str, str] | None = None) -> str:
    """Return a document as TOML text: a table's values first, then the tables in it.

    The layout is ours, so that each table has its comment above it; tomlkit spells the keys and
    the values.

    Arguments:
        document: tables of tables, strings, numbers, booleans and lists of them.
        head: comment above the whole file.
        comments: dotted name of a table (``cost.transfer``, ``cost.transfer.node``) → comment above
            it. A table that holds only tables has its comment above the first of them.

    Raises:
        ValueError: a value that TOML does not have, such as ``None``.
    """
    lines = _comment(head)
    _table(lines, (), document, comments or {})
    return "\n".join(lines) + "\n"


def _table(
    lines: list[str],
    path: tuple[str, ...],
    table: Mapping[str, Any],
    comments: Mapping[str, str],
    *,
    in_array: bool = False,
) -> None:
    # Loaded here, since most commands read profiles and write none.
    import tomlkit

    plain = {k: v for k, v in table.items() if not isinstance(v, Mapping) and not _is_array(v)}
    name = ".".join(path)
    above = _comment(comments[name]) if path and name in comments else []
    titled = path and (plain or not table or in_array)
    if titled or above:
        lines += ["", *above]
    if titled:
        title = tomlkit.key(path).as_string()
        lines.append(f"[[{title}]]" if in_array else f"[{title}]")
    lines += [f"{tomlkit.key(k).as_string()} = {_value(v)}" for k, v in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            _table(lines, (*path, key), value, comments)
        elif _is_array(value):
            for one in value:
                _table(lines, (*path, key), one, comments, in_array=True)


def _is_array(value: Any) -> bool:
    """Whether a value is a list of tables, which is written as ``[[name]]``."""
    return isinstance(value, list) and value != [] and all(isinstance(v, Mapping) for v in value)


def _value(value: Any) -> str:
    """Return a value on one line; a table in a mixed list is an inline table."""
    import tomlkit

    if isinstance(value, Mapping):
        pairs = (f"{tomlkit.key(k).as_string()} = {_value(v)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    text: str = tomlkit.item(value).as_string()
    return text


def _comment(text: str) -> list[str]:
    """Return comment lines; TOML allows no control character in them but the tab."""
    lines = text.splitlines()
    plain = ("".join(c if c == "\t" or category(c) != "Cc" else " " for c in x) for x in lines)
    return [f"# {line}".rstrip() for line in plain]
