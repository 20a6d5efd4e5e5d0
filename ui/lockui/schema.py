"""Print the JSON schema of what a command prints, or all commands as JSON.

``locklab show schema`` lists the commands that have a schema; ``locklab show schema run`` prints
that of ``locklab run --json`` (JSON Schema 2020-12). ``--commands`` prints the tree: a list of
``{"command", "help", "arguments": [name], "options": [{"name", "type", "unit", "meaning", "rare",
"default"}]}``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lockui.command import Command, command, options
from lockui.completion import among
from lockui.console import console
from lockui.document import print_json
from lockui.errors import UsageError
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from typer.core import TyperCommand

__all__ = ["app", "command_tree", "schema_of"]

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)


def command_tree() -> Iterator[tuple[str, TyperCommand]]:
    """Yield each command of ``locklab``, sorted: its words, and what Typer made of it."""
    from typer.main import get_command

    from locklab import commands

    for name, found in commands().items():
        yield from _below(name, get_command(found.load()))  # type: ignore[arg-type]


def _below(name: str, whole: Any) -> Iterator[tuple[str, TyperCommand]]:
    below = getattr(whole, "commands", None)
    if below is None:
        yield name, whole
    else:
        for word, part in sorted(below.items()):
            yield from _below(f"{name} {word}", part)


def schema_of(made: TyperCommand) -> dict[str, Any] | None:
    """Return the JSON schema of what a command prints with ``--json``, if it publishes one."""
    from pydantic import TypeAdapter

    if not isinstance(made, Command) or made.answer is None:
        return None
    return TypeAdapter(made.answer).json_schema(mode="serialization")


def _names() -> list[str]:
    return [name for name, made in command_tree() if schema_of(made) is not None]


@command(app)
def schema(
    name: Annotated[
        str, typer.Argument(help="a command, such as run", autocompletion=among(_names))
    ] = "",
    commands: bool = False,
) -> None:
    """Print the JSON schema of what a command prints, or all commands as JSON.

    Without a name it lists the commands that have a schema.
    """
    if commands:
        print_json([_row(words, made) for words, made in command_tree()])
    elif not name:
        console().print("\n".join(_names()), markup=False)
    else:
        known = dict(command_tree())
        found = schema_of(known[name]) if name in known else None
        if found is None:
            raise UsageError(f"no command '{name}' with a schema; {did_you_mean(name, _names())}")
        print_json({"$schema": "https://json-schema.org/draft/2020-12/schema"} | found)


def _row(words: str, made: TyperCommand) -> dict[str, Any]:
    parameters = [p for p in made.params if p.name not in ("help", "help_all")]
    table = options()
    rows = []
    for parameter in parameters:
        if parameter.param_type_name == "option":
            name = parameter.opts[0].removeprefix("--")
            row = table.get(name)
            rows.append(
                {
                    "name": parameter.opts[0],
                    "type": row.type if row else "",
                    "unit": row.unit if row else "",
                    "meaning": row.meaning if row else "",
                    "rare": parameter.name in getattr(made, "rare", ()),
                    "default": _said(parameter.default),
                }
            )
    arguments = [p.name for p in parameters if p.param_type_name == "argument"]
    about = (made.help or "").partition("\n")[0]
    return {"command": words, "help": about, "arguments": arguments, "options": rows}


def _said(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
