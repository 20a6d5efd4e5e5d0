#!/usr/bin/env python3
"""Write the lock language's reference into docs/use/language.md, from the code's docstrings.

tools/language_reference.py           print it
tools/language_reference.py --write   put it between its two marks in the page
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import locksim.lang as language
from locksim.compiler.calls import FUNCTIONS
from locksim.compiler.mistakes import mistakes
from locksim.compiler.operations import FREE_FORMS, WORD_FORMS
from locksim.lang import fields, ops, struct

PAGE = Path(__file__).resolve().parents[1] / "docs/use/language.md"
BEGIN = "<!-- made by tools/language_reference.py --write -->"
END = "<!-- end of what tools/language_reference.py wrote -->"

FIELDS: tuple[type, ...] = (
    *(fields.word, fields.pointer, fields.array, fields.percpu, fields.pernode),
    *(fields.perthread, fields.part, fields.param),
)
_SECTIONS = re.compile(r"^(Arguments|Raises|Attributes):$", re.MULTILINE)


def main() -> int:
    """Print the reference, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write it into docs/use/language.md")
    if not parser.parse_args().write:
        print(reference())
        return 0
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{reference()}\n{END}{after}", encoding="utf-8")
    return 0


def written() -> str:
    """The reference that the page holds."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip("\n")


def reference() -> str:
    """The reference as Markdown."""
    free = [getattr(ops, name) for name in FREE_FORMS]
    functions: list[Any] = [f for f in FUNCTIONS if getattr(f, "__module__", "") == ops.__name__]
    parts = [
        "### Fields of a struct",
        *(_entry(cls.__name__, cls, cls.__doc__) for cls in FIELDS),
        "### Operations on a word",
        *(_word(name) for name in WORD_FORMS),
        "### Other operations",
        *(_entry(f.__name__, f, f.__doc__, _orders(FREE_FORMS[f.__name__])) for f in free),
        "### Functions that take no time",
        *(_entry(f.__name__, f, f.__doc__) for f in functions),
        "Python's `int`, `abs`, `min`, `max` (of two numbers) and `range` (in a `for`) work as "
        "usual.",
        "### Orders, units, constants",
        "`RELAXED`, `ACQUIRE`, `RELEASE`, `ACQ_REL`, `SEQ_CST`; `NULL`; `PS`, `NS`, `US`, `MS`: "
        f"{ops.PS:,}, {ops.NS:,}, {ops.US:,} and {ops.MS:,} picoseconds. `Program` is the type of "
        "a program, for annotations; the compiler ignores it.",
        "### Structs to derive from",
        *(_struct(cls) for cls in struct.KINDS),
        "### Every message",
        "In the words of the compiler; what stands in braces depends on the program.",
        _messages(),
    ]
    missing = _missing(parts)
    if missing:
        raise SystemExit(f"the reference leaves out {', '.join(missing)}: add it to reference()")
    return "\n\n".join(parts)


def _missing(parts: Iterable[str]) -> list[str]:
    """What the language offers and the reference does not mention."""
    text = "\n".join(parts)
    return [name for name in language.__all__ if not re.search(rf"`{name}\b", text)]


def _word(name: str) -> str:
    method: Callable[..., Any] = getattr(fields.WordRef, name)
    return _entry(name, method, method.__doc__, _orders(WORD_FORMS[name]))


def _orders(form: Any) -> str:
    """The orders that an operation may have; the default is the last."""
    if not form.orders:
        return ""
    return f"Orders: {', '.join(f'`{order.name}`' for order in form.orders)}."


def _entry(name: str, made: Any, doc: str | None, more: str = "") -> str:
    """A callable: its form, its docstring, and what else there is to say."""
    texts = [f"**`{name}{_signature(made)}`** {_prose(doc or '')}", more]
    return "\n\n".join([text for text in texts if text])


def _signature(made: Any) -> str:
    """Arguments and defaults, without types; an order is written by its name."""
    shown = []
    star = False
    for one in list(inspect.signature(made).parameters.values()):
        if one.name == "self":
            continue
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            star = True
            shown.append("*")
        default = one.default
        if default is inspect.Parameter.empty:
            shown.append(one.name)
        else:
            shown.append(f"{one.name}={getattr(default, 'name', repr(default))}")
    return f"({', '.join(shown)})"


def _struct(cls: type[struct.Struct]) -> str:
    metered = [
        f"`{name}`" + ("" if name == role else f" (as {role})")
        for name, role in cls.METERED.items()
    ]
    more = f"Metered: {', '.join(metered)}." if metered else ""
    return "\n\n".join(filter(None, [f"**`{cls.__name__}`** {_prose(cls.__doc__ or '')}", more]))


def _prose(doc: str) -> str:
    """A docstring as Markdown: its paragraphs, then a list for each section of names."""
    text = inspect.cleandoc(doc)
    text = re.sub(r":(?:class|func|mod|meth|attr):`~?([^`]*)`", r"`\1`", text)
    head, *sections = _SECTIONS.split(text)
    paragraphs = [" ".join(p.split()) for p in head.replace("``", "`").split("\n\n") if p.strip()]
    shown = "\n\n".join(paragraphs)
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        named = re.split(r"^    (?=\S)", body.replace("``", "`"), flags=re.MULTILINE)
        lines = [" ".join(part.split()) for part in named if part.strip()]
        lead = "Raises " if title == "Raises" else ""
        shown += "\n\n" + "\n".join(f"- {lead}{_named(line)}" for line in lines)
    return shown


def _named(line: str) -> str:
    """``name: text`` with the names as code."""
    names, colon, text = line.partition(":")
    return f"`{names}`{colon}{text}" if colon else line


def _messages() -> str:
    rows = ["| message | help |", "|---|---|"]
    for mistake in mistakes().values():
        rows.append(f"| {_cell(mistake.message)} | {_cell(mistake.help)} |")
    return "\n".join(rows)


def _cell(text: str) -> str:
    """A message in a table: what it quotes is code, what it fills in stands in braces."""
    text = re.sub(r"(?<!\w)'([^']*)'(?!\w)", r"`\1`", text.replace("|", "\\|"))
    return re.sub(r"`[^`]*`|[*]", lambda m: m[0] if len(m[0]) > 1 else "\\*", text)


if __name__ == "__main__":
    raise SystemExit(main())
