"""The same program written another way, as editors and habits have it.

A spelling changes no meaning: line ends, the mark at a file's begin, tabs, a formatter's layout,
type hints, names of local variables beyond ASCII. A submission must keep every point in each.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["SPELLINGS", "redefined", "renamed", "spelled"]

Positions = list[tuple[int, int, int, str]]
"""Changes of a text: line from 1, first column, column behind it (in bytes), what stands there."""


def _lines_of_windows(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _begins_with_a_mark(text: str) -> str:
    return "\ufeff" + text


def _indented_by_tabs(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), text, flags=re.M)


def _laid_out_anew(text: str) -> str:
    """Without comments and with another layout, as formatters do it."""
    return ast.unparse(ast.parse(text)) + "\n"


def _with_type_hints(text: str) -> str:
    """Each argument and each result that has no type gets one."""
    places: Positions = []
    lines = text.encode().split(b"\n")
    for made in ast.walk(ast.parse(text)):
        if isinstance(made, ast.FunctionDef):
            given = [*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs]
            for one in given[given[:1] != [] and given[0].arg == "self" :]:
                if one.annotation is None:
                    end = one.end_col_offset or 0
                    places.append((one.end_lineno or 0, end, end, ": int"))
            if made.returns is None:
                line, column = _colon(made, lines)
                gives = any(isinstance(x, ast.Return) and x.value for x in ast.walk(made))
                places.append((line, column, column, " -> int" if gives else " -> None"))
    return _placed(text, places)


def _names_beyond_ascii(text: str) -> str:
    """Local variables in another alphabet; what others can name stays."""
    tree = ast.parse(text)
    inside = [*_inside_functions(tree)]
    local = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    known: set[str] = set()
    for node in ast.walk(tree):
        known |= {value for value in _named(node) if isinstance(value, str)}
        if isinstance(node, ast.JoinedStr):  # Python 3.11 gives no places inside
            known |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    for node in tree.body:
        known |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - local
    return renamed(text, {name: f"値_{name}" for name in local - known})


SPELLINGS: dict[str, tuple[Callable[[str], str], tuple[str, ...]]] = {
    "line ends of Windows": (_lines_of_windows, (".py", ".c", ".json")),
    "a byte order mark": (_begins_with_a_mark, (".py", ".c", ".json")),
    "tabs": (_indented_by_tabs, (".py", ".c")),
    "another layout": (_laid_out_anew, (".py",)),
    "type hints": (_with_type_hints, (".py",)),
    "local names beyond ASCII": (_names_beyond_ascii, (".py",)),
}
"""Name → the change of a text, and the suffixes of the files that it fits."""


def spelled(name: str, files: dict[str, str]) -> dict[str, str]:
    """The files that a spelling changes.

    Arguments:
        name: a key of :data:`SPELLINGS`. files: of a submission, name → text.
    """
    change, suffixes = SPELLINGS[name]
    made = {n: change(text) for n, text in files.items() if Path(n).suffix in suffixes}
    return {n: text for n, text in made.items() if text != files[n]}


def renamed(text: str, names: dict[str, str]) -> str:
    """A Python text with names replaced wherever they are names: variables, fields, methods.

    Arguments:
        text: the source. names: old name → new name.

    Raises:
        SyntaxError: it is not Python.
    """
    places: Positions = []
    lines = text.encode().split(b"\n")
    for node in ast.walk(ast.parse(text)):
        end_line, end = getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0)
        if isinstance(node, ast.Name) and node.id in names:
            places.append((node.lineno, node.col_offset, end or 0, names[node.id]))
        elif isinstance(node, ast.Attribute) and node.attr in names:
            begin = (end or 0) - len(node.attr.encode())
            places.append((end_line, begin, end or 0, names[node.attr]))
        elif isinstance(node, ast.arg | ast.keyword) and node.arg in names:
            begin = node.col_offset
            places.append(
                (node.lineno, begin, begin + len(node.arg.encode()), names[str(node.arg)])
            )
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
            begin = lines[node.lineno - 1].index(node.name.encode(), node.col_offset + 3)
            places.append((node.lineno, begin, begin + len(node.name.encode()), names[node.name]))
    return _placed(text, places)


def redefined(text: str, definitions: str) -> str:
    """A Python text in which some classes, functions and constants are defined another way.

    Arguments:
        text: the source. definitions: each replaces that of the same name; a new one comes before
            the first that is replaced, and an import comes first of all.

    Raises:
        SyntaxError: one of the two is not Python. ValueError: nothing is replaced.
    """
    lines = text.splitlines(keepends=True)
    body = ast.parse(text).body
    places = {name: node for node in body if (name := _defined(node))}
    imports, new = "", ""
    changes: dict[int, tuple[int, str]] = {}
    for node in ast.parse(definitions).body:
        source = "\n".join(definitions.splitlines()[_first(node) - 1 : node.end_lineno]) + "\n"
        old = places.get(_defined(node))
        if old is not None:
            changes[_first(old) - 1] = (old.end_lineno or 0, source)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports += source
        else:
            new += f"{source}\n\n"
    if not changes:
        raise ValueError("none of these definitions is in the file")
    first = min(changes)
    for begin, (end, source) in sorted(changes.items(), reverse=True):
        lines[begin:end] = [new + source if begin == first else source]
    documented = isinstance(body[0], ast.Expr)
    lines.insert((body[0].end_lineno or 0) if documented else 0, imports)
    return "".join(lines)


def _defined(node: ast.stmt) -> str:
    """The name that a statement at the top of a file defines, or ""."""
    match node:
        case ast.ClassDef() | ast.FunctionDef():
            return node.name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _first(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
    return node.lineno


def _placed(text: str, places: Positions) -> str:
    """A text with changes at some places, made from the last to the first."""
    lines = text.encode().split(b"\n")
    for line, begin, end, new in sorted(set(places), reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:begin] + new.encode() + old[end:]
    return b"\n".join(lines).decode()


def _colon(made: ast.FunctionDef, lines: list[bytes]) -> tuple[int, int]:
    """Where the colon of a function's head stands."""
    depth = 0
    for number in range(made.lineno, made.end_lineno or made.lineno + 1):
        line = lines[number - 1]
        for column in range(made.col_offset if number == made.lineno else 0, len(line)):
            depth += {b"(": 1, b"[": 1, b")": -1, b"]": -1}.get(line[column : column + 1], 0)
            if line[column : column + 1] == b":" and not depth:
                return number, column
    raise AssertionError(made.name)  # Python has parsed it


def _inside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    for made in ast.walk(tree):
        if isinstance(made, ast.FunctionDef):
            yield from ast.walk(made)


def _named(node: ast.AST) -> tuple[str | None, ...]:
    """Names that are more than a local variable: of fields, arguments, functions, imports."""
    match node:
        case ast.Attribute():
            return (node.attr,)
        case ast.arg() | ast.keyword():
            return (node.arg,)
        case ast.FunctionDef() | ast.ClassDef():
            return (node.name,)
        case ast.alias():
            return (node.name, node.asname)
        case ast.Global() | ast.Nonlocal():
            return tuple(node.names)
    return ()
