"""List the locks, decision caches and schedulers; show one.

The language that they are written in is described in docs/use/language.md.
"""

from __future__ import annotations

import inspect
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import values
from locksim.kinds import kind_of
from locksim.lang.fields import Field, array, param, part, pointer, word
from locksim.lang.struct import Struct
from locksim.library.registry import Entry, entries, essay, resolve
from lockui import tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.errors import UsageError
from lockui.report import Report
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)

FORMS = ("source", "bytecode", "c")

LockEntry = TypedDict(
    "LockEntry",
    {"name": str, "kind": str, "class": str, "summary": str, "checked": NotRequired[bool]},
)
"""A lock, decision cache or scheduler; ``checked``: whether ``locklab check`` has test clients."""


class LockAnswer(LockEntry):
    """One of them; ``bytecode`` with its ``listing``, or ``c``, if that form was asked for."""

    essay: str
    fields: list[dict[str, Any]]
    source: str
    bytecode: NotRequired[dict[str, Any]]
    listing: NotRequired[str]
    c: NotRequired[str]


@command(app)
def lock(
    name: Annotated[
        str,
        typer.Argument(
            help="one of them, or FILE.py:CLASS; without a name, all are listed",
            autocompletion=among(values.locks()),
        ),
    ] = "",
    as_: Annotated[str, Detail("source, bytecode, or c: a C11 header", among(FORMS))] = "source",
) -> Report[LockAnswer | list[LockEntry]]:
    """List the locks, decision caches and schedulers of the library, or show one."""
    if as_ not in FORMS:
        raise UsageError(f"--as {as_}: {did_you_mean(as_, FORMS)}")
    if name:
        return _one(resolve(name), as_)
    return Report([_head(entry) | {"checked": checked(entry)} for entry in entries()], _list)


def _list(view: Console) -> None:
    """Print the library, its kinds apart."""
    table = tables.table()
    tables.add(table, "name")
    tables.add(table, "description", fold=True)
    for kind, found in groupby(entries(), key=lambda entry: entry.kind):
        table.add_section()
        table.add_row(f"[bold]{kind}s[/bold]")
        for entry in found:
            table.add_row(f"  {entry.name}", escape(entry.summary.rstrip(".")))
    tables.print_table(view, table)


def _one(entry: Entry, form: str) -> Report[LockAnswer | list[LockEntry]]:
    """Return an entry in a form; the document has its source besides."""
    from locksim.compiler.disassemble import disassemble
    from locksim.compiler.portable import code_to_json
    from locksim.emit import emit

    code = entry.compiled()
    fields = [_field(f) for f in entry.struct.FIELDS.values()]
    text = source(entry)
    own = {"essay": essay(entry), "fields": fields, "source": text}
    document = cast("LockAnswer", _head(entry) | own)
    title = f"{entry.name}  {entry.struct.__name__}: {entry.summary}"
    if form == "bytecode":
        document |= {"bytecode": code_to_json(code), "listing": disassemble(code)}
        parts = [title, document["listing"]]
    elif form == "c":
        document["c"] = emit(code).text
        parts = [document["c"]]
    else:
        parts = [title, document["essay"], _fields(entry.struct), text]
    said = "\n\n".join(part.rstrip() for part in parts if part)
    return Report(document, lambda view: say(said, view))


def checked(entry: Entry) -> bool:
    """Whether `locklab check` has test clients for an entry."""
    kind = kind_of(entry.struct)
    return kind is not None and bool(kind.clients(entry.struct, 2, 1))


def source(entry: Entry) -> str:
    """Return the source text of the class."""
    if entry.code is None:
        return inspect.getsource(entry.struct)
    return entry.code.source


def _head(entry: Entry) -> LockEntry:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "class": entry.struct.__name__,
        "summary": entry.summary,
    }


def _fields(cls: type[Struct]) -> str:
    rows = [(f.name, _declared(f)) for f in cls.FIELDS.values()]
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"  {name:<{width}}  {declared}" for name, declared in rows)


def _field(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "kind": type(field).__name__,
        "declared": _declared(field),
        "class": field.owner.__name__ if field.owner else None,
    }


def _declared(field: Field) -> str:
    """Return a description of a field."""
    padded = ", on a line of its own" if getattr(field, "padded", False) else ""
    match field:
        case pointer():
            return f"pointer to {field.target().__name__}{padded}"
        case word():
            return f"word, initially {field.init}{padded}"
        case param():
            return f"param, {field.default} by default"
        case part():
            return f"part, {_described(field.of)}{padded}"
        case array():
            of = "words"
            if isinstance(field.of, pointer):
                of = f"pointers to {field.of.target().__name__}"
            elif not isinstance(field.of, word):
                of = _described(field.of)
            if field.per:
                each = "CPU" if field.per == "cpu" else field.per
                return f"one for each {each}, on its own cache lines: {of}"
            return f"array of {field.n} {of}{padded and ', each on a line of its own'}"
    return type(field).__name__


def _described(of: type[Struct] | Struct) -> str:
    return of.__name__ if isinstance(of, type) else repr(of)
