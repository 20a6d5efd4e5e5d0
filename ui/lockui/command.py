"""Commands whose options come from one table.

An option means one thing in every command. ``options.toml`` has its meaning, its unit and the
heading under which help shows it; a command names the option as a parameter, with a type and a
default, and says in :class:`Detail` only what is particular to it::

    @command(app)
    def run(lock: LockName, load: Load, replications: int = 5) -> Chart[RunAnswer]:

``Load`` is a dataclass: its fields are options, and several commands share them. A command that
returns a :class:`~lockui.report.Report` has ``--json``; one that returns a ``Chart`` has ``--plot``
and ``--latex``, too. The first help of a command shows what most readers need; options that the
table calls rare are shown by ``--help-all``. A command that prints as it goes has its own ``json``
and names the type of what it prints: ``@command(app, answer=DrillAnswer)``.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import tomllib
import types
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption
from typer.models import ArgumentInfo

from lockui.errors import UsageError, reported
from lockui.report import Chart, Report, check_output
from lockui.suggest import did_you_mean

__all__ = ["Command", "Detail", "Option", "command", "options"]

F = TypeVar("F", bound=Callable[..., Any])


class Option(NamedTuple):
    """A row of the table: one option, and what it means wherever it stands.

    Attributes:
        meaning: one line, without a full stop. unit: of its value, or "".
        group: the heading under which help shows it. rare: shown by ``--help-all`` only.
        type: "flag", "text", "number", "time" …, for a reader; the parameter's type decides.
        short: a letter for the short form, such as "o", or "".
    """

    meaning: str
    type: str
    group: str
    unit: str = ""
    rare: bool = False
    short: str = ""


class Detail(NamedTuple):
    """What a command adds to the meaning of one of its options.

    Attributes:
        text: stands behind the meaning, in brackets. values: completes a value for a shell.
        rare: whether only ``--help-all`` shows it, where this command differs from the table.
        default: what holds without the option, in words.
    """

    text: str = ""
    values: Callable[[str], list[str]] | None = None
    rare: bool | None = None
    default: str = ""


@cache
def options() -> dict[str, Option]:
    """Return the table: an option's name without dashes → its row, in the order of the file."""
    text = files("lockui").joinpath("options.toml").read_text(encoding="utf-8")
    return {
        name: Option(group=group, **row)
        for group, rows in tomllib.loads(text).items()
        for name, row in rows.items()
    }


def command(app: typer.Typer, name: str | None = None, *, answer: Any = None) -> Callable[[F], F]:
    """Return a decorator that makes a function a command of an app.

    Arguments:
        app: the app. name: of the command; by default the function's.
        answer: the type of the document that a function without a report prints for ``--json``.

    Raises:
        LookupError: a parameter is an option that the table does not have.
    """

    def register(function: F) -> F:
        hints = get_type_hints(function, include_extras=True)
        groups: dict[str, type] = {}
        made: list[_Made] = []
        for parameter in inspect.signature(function).parameters.values():
            hint = hints[parameter.name]
            if isinstance(hint, type) and dataclasses.is_dataclass(hint):
                groups[parameter.name] = hint
                made += _fields(hint, parameter.default)
            else:
                made.append(_made(parameter.name, hint, parameter.default))

        report = _report(hints.get("return"))
        output = _output(report)
        made += output

        def call(help_all: bool, **given: Any) -> None:
            how = {one.parameter.name: given.pop(one.parameter.name) for one in output}
            check_output(**how)
            for parameter, group in groups.items():
                own = {f.name: given.pop(f.name) for f in dataclasses.fields(group)}
                given[parameter] = group(**own)
            said = function(**given)
            if report is not None:
                said.emit(**how)
                if said.after is not None:
                    said.after()
                raise typer.Exit(said.exit_code)

        call.__name__, call.__doc__ = function.__name__, function.__doc__
        call.__module__ = function.__module__
        parameters = [*(one.parameter for one in made), _help_all()]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        rare = frozenset(one.parameter.name for one in made if one.rare)
        document = answer if report is None else get_args(hints["return"])[0]
        kind = type("Command", (Command,), {"rare": rare, "answer": document})
        app.command(name, cls=kind)(reported()(call))
        return function

    return register


class Command(TyperCommand):
    """A command whose first help leaves out what is rarely needed; completion offers it all.

    Attributes:
        rare: options that only ``--help-all`` shows. answer: the type of the document that
            ``--json`` prints, or None.
    """

    rare: frozenset[str] = frozenset()
    answer: Any = None

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings | {"rich_markup_mode": None})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; one that cannot be read is one message and exit code 2."""
        with reported():
            try:
                return super().parse_args(ctx, args)
            except typer.TyperException as error:
                raise UsageError(self._message(error, ctx)) from error

    def _message(self, error: typer.TyperException, ctx: Any) -> str:
        """Return what was wrong with the command line, and what to do about it."""
        unknown = getattr(error, "option_name", None)
        known = [name for p in self.get_params(ctx) for name in p.opts if name.startswith("-")]
        if unknown and unknown not in known:
            hint = did_you_mean(unknown, known, f"see '{ctx.command_path} --help-all'")
            return f"unknown option '{unknown}'; {hint}"
        said = error.format_message().rstrip(".")
        return f"{said[:1].lower()}{said[1:]}; see '{ctx.command_path} --help'"

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options under the headings of the table, in its order."""
        every = ctx.meta.get(_ALL)
        shown: list[Any] = [p for p in self.get_params(ctx) if every or p.name not in self.rare]
        arguments = [p for p in shown if p.param_type_name == "argument"]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([_with_name(*p.get_help_record(ctx)) for p in arguments])
        for heading in dict.fromkeys(row.group for row in options().values()):
            rows = [p for p in shown if isinstance(p, TyperOption) and p.rich_help_panel == heading]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl([p.get_help_record(ctx) for p in rows])
        if self.rare and not every:
            n = len(self.rare)
            formatter.write_paragraph()
            formatter.write_text(f"{n} more option{'s' * (n != 1)}: --help-all")


def _with_name(argument: str, about: str) -> tuple[str, str]:
    """Return an argument's row of a help; a text that is written is a name."""
    return re.sub(r"<(list\[)?str\]?>", "<name>", argument), about


_ALL = "lockui.command.all"


def _help_all() -> inspect.Parameter:
    def show(ctx: typer.Context, asked: bool) -> None:
        if asked:
            ctx.meta[_ALL] = True
            print(ctx.get_help())
            raise typer.Exit

    info = typer.Option("--help-all", help="Show all options.", is_eager=True, callback=show)
    return inspect.Parameter(
        "help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, info]
    )


class _Made(NamedTuple):
    """A parameter as Typer takes it, and whether the first help leaves it out."""

    parameter: inspect.Parameter
    rare: bool = False


def _report(hint: Any) -> type[Report[Any]] | None:
    """Return the class of the report that a command returns, if it returns one."""
    kind = get_origin(hint) or hint
    return kind if isinstance(kind, type) and issubclass(kind, Report) else None


def _output(report: type[Report[Any]] | None) -> list[_Made]:
    """Return the options that say how a report comes out."""
    if report is None:
        return []
    chart = [_made("plot", list[Path], []), _made("latex", bool, False)]
    return [*(chart if issubclass(report, Chart) else []), _made("json", bool, False)]


def _fields(group: type, default: Any) -> list[_Made]:
    """Return the options of a group; a command may give defaults by giving an instance."""
    hints = get_type_hints(group, include_extras=True)
    made = []
    for field in dataclasses.fields(group):
        value = field.default
        if field.default_factory is not dataclasses.MISSING:
            value = field.default_factory()
        if default is not inspect.Parameter.empty:
            value = getattr(default, field.name)
        if value is dataclasses.MISSING:
            value = inspect.Parameter.empty
        made.append(_made(field.name, hints[field.name], value))
    return made


def _made(name: str, hint: Any, default: Any) -> _Made:
    """Return a parameter for Typer: an argument as it is, an option with its row of the table."""
    parameter = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
    kind, extras = (get_args(hint)[0], get_args(hint)[1:]) if _annotated(hint) else (hint, ())
    if any(isinstance(extra, ArgumentInfo) for extra in extras):
        return _Made(parameter.replace(annotation=hint))
    spoken = name.strip("_").replace("_", "-")
    row = options().get(spoken)
    if row is None:
        raise LookupError(f"option --{spoken} is not in lockui/options.toml: add it, or reuse one")
    details = [extra for extra in extras if isinstance(extra, Detail)]
    detail = Detail(
        "; ".join(d.text for d in details if d.text),
        next((d.values for d in details if d.values), None),
        next((d.rare for d in details if d.rare is not None), None),
        next((d.default for d in details if d.default), ""),
    )
    plain = _bare(kind)
    parse = _whole if plain is int else getattr(plain, "parse", None)
    rare = row.rare if detail.rare is None else detail.rare
    info = typer.Option(
        *[f"--{spoken}", *([f"-{row.short}"] if row.short else [])],
        help=row.meaning
        + (f" ({detail.text})" if detail.text else "")
        + (f"  [default: {detail.default}]" if detail.default else ""),
        show_default=not detail.default,
        rich_help_panel=row.group,
        autocompletion=detail.values,
        metavar=None if row.type == "flag" else f"<{getattr(plain, 'WRITTEN', row.type)}>",
        parser=_parser(f"--{spoken}", parse) if parse else None,
    )
    return _Made(parameter.replace(annotation=Annotated[kind, info]), rare)


def _annotated(hint: Any) -> bool:
    return get_origin(hint) is Annotated


def _bare(kind: Any) -> Any:
    """Return the type beside None of ``X | None``."""
    if get_origin(kind) in (Union, types.UnionType):
        return next(one for one in get_args(kind) if one is not type(None))
    return kind


def _whole(text: str | int) -> int:
    """Return the integer of a text.

    Raises:
        UsageError: it is none.
    """
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text}: write a whole number") from None


def _parser(option: str, parse: Callable[[str], object]) -> Callable[[str], object]:
    """Return what reads an option's value, and names the option where that fails."""

    def read(text: str) -> object:
        try:
            return parse(text)
        except UsageError as error:
            raise UsageError(f"{option} {error}") from None

    return read
