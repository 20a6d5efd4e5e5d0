"""Nested statements as text: declarations where a variable begins, comments from the source.

Behind each statement stands the place in the source that it comes from. Whole-line comments of the
source come along, above the statement that follows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from locksim.emit.blocks import Assign, Return
from locksim.emit.structure import If, Label, Leave, Loop, Statement
from locksim.emit.terms import Test, is_pointer, reads, shown

WIDTH = 78
"""Columns of a statement; what it comes from stands behind."""
INDENT = "    "


def declared(kind: str, name: str) -> str:
    """A declaration: ``struct q_node *node``."""
    return f"{kind}{name}" if is_pointer(kind) else f"{kind} {name}"


def comment(text: str, indent: str = "") -> list[str]:
    """A block comment."""
    safe = [line.rstrip().replace("*/", "* /") for line in text.strip().splitlines()]
    if len(safe) == 1:
        return [f"{indent}/* {safe[0]} */"]
    return [f"{indent}/*", *(f"{indent} * {line}".rstrip() for line in safe), f"{indent} */"]


@dataclass
class Printer:
    """A method's body.

    Arguments:
        file: the source's name. source: its lines. first: the line of the def.
        types: of the variables that are to be declared.
    """

    file: str
    source: Sequence[str]
    first: int
    types: dict[str, str]
    lines: list[str] = field(default_factory=list)
    shown: int = 0
    named: int = 0

    def body(self, statements: list[Statement]) -> list[str]:
        """The lines between the braces."""
        self.shown = self.named = self.first
        self.at_start = _homes(statements, self.types)
        head = [
            f"{INDENT}{declared(kind, name)};"
            for name, kind in sorted(self.types.items())
            if name not in self.at_start
        ]
        read = {n for s in statements for n in _read(s)}
        head = [line for line, name in zip(head, self._unplaced(), strict=True) if name in read]
        self._list(statements, INDENT)
        return [*head, *([""] if head and self.lines else []), *self.lines]

    def _unplaced(self) -> list[str]:
        return [name for name in sorted(self.types) if name not in self.at_start]

    def _list(self, statements: list[Statement], indent: str) -> None:
        for k, one in enumerate(statements):
            self._statement(one, indent)
            if isinstance(one, Label) and k == len(statements) - 1:
                self.lines.append(f"{indent};")

    def _statement(self, one: Statement, indent: str) -> None:
        match one:
            case Label(name=name):
                self.lines.append(f"{name}:;")
            case Assign():
                self._put(indent, self._assignment(one) + ";", one.line)
            case Return(value=value, line=line):
                self._put(indent, f"return {value.text};" if value.text else "return;", line)
            case Leave(text=text, line=line):
                self._put(indent, f"{text};", line)
            case If():
                self._if(one, indent)
            case Loop():
                self._loop(one, indent)

    def _assignment(self, one: Assign) -> str:
        if not one.variable:
            return one.value.text
        text = f"{one.variable} = {one.value.text}"
        if self.at_start.get(one.variable) is one:
            return declared(self.types[one.variable], text)
        return text

    def _if(self, one: If, indent: str, lead: str = "") -> None:
        braces = not (_is_plain(one.then) and (not one.other or _is_plain(one.other)))
        self._put(indent, f"{lead}if ({shown(one.test)}){' {' * braces}", one.line)
        self._list(one.then, indent + INDENT)
        if one.other:
            close = "} else" if braces else "else"
            nested = one.other[0]
            if len(one.other) == 1 and isinstance(nested, If) and braces:
                self._if(nested, indent, f"{close} ")
                return
            self.lines.append(f"{indent}{close}{' {' * braces}")
            self._list(one.other, indent + INDENT)
        if braces:
            self.lines.append(f"{indent}}}")

    def _loop(self, one: Loop, indent: str) -> None:
        test = shown(one.test) if one.test is not None else ""
        step = self._assignment(one.step) if one.step is not None else ""
        braces = one.at_end or not _is_plain(one.body)
        if one.at_end:
            head, tail = "do", f" while ({step}{', ' * bool(step)}{test});"
        elif one.step is not None or not test:
            first = self._assignment(one.first) if one.first is not None else ""
            head, tail = f"for ({first};{' ' * bool(test)}{test};{' ' * bool(step)}{step})", ""
        else:
            head, tail = f"while ({test})", ""
        self._put(indent, head + " {" * braces, one.line)
        if not one.body:
            self.lines.append(f"{indent}{INDENT};")
        self._list(one.body, indent + INDENT)
        if braces:
            self.lines.append(f"{indent}}}{tail}")

    def _put(self, indent: str, text: str, line: int) -> None:
        """A line of C: the source's comments before it, the source's place behind it."""
        for said in self._comments(line):
            self.lines += comment(said, indent)
        place = f"/* {self.file}:{line} */" if line != self.named else ""
        self.named = line
        rows = _wrapped(indent, text)
        if place:
            rows[0] = f"{rows[0]:<{WIDTH}} {place}"
        self.lines += rows

    def _comments(self, line: int) -> list[str]:
        """The source's comments since the last line that was shown, each block as a text."""
        found: list[list[str]] = []
        last = -1
        for k in range(self.shown, line - 1):
            text = self.source[k].strip() if k < len(self.source) else ""
            if text.startswith("#"):
                if k != last + 1 or not found:
                    found.append([])
                found[-1].append(text.lstrip("#").strip())
                last = k
        self.shown = max(self.shown, line)
        return ["\n".join(block) for block in found]


def _wrapped(indent: str, text: str) -> list[str]:
    """A statement on lines that are not too long: broken behind commas and joining operators."""
    rows = [indent + text]
    while len(rows[-1].rstrip()) > WIDTH:
        row = rows[-1]
        lead = len(indent) + 2 * len(INDENT)
        cuts = [k for k in range(lead + 1, len(row)) if row[:k].endswith((", ", "&& ", "|| "))]
        if not cuts:
            break
        cut = max((k for k in cuts if k <= WIDTH), default=cuts[0])
        rows[-1:] = [row[:cut].rstrip(), f"{indent}{INDENT * 2}{row[cut:]}"]
    return rows


def _is_plain(body: list[Statement]) -> bool:
    """Whether a body needs no braces: one statement, on one line."""
    return len(body) == 1 and isinstance(body[0], Assign | Return | Leave)


def base_name(file: str) -> str:
    """A file's name as comments have it."""
    return PurePath(file).name


# Where variables are declared


def _read(one: Statement) -> Iterator[str]:
    """The variables that a statement, with all inside it, reads or writes."""
    match one:
        case Assign(variable=variable, value=value):
            yield from value.reads
            if variable:
                yield variable
        case Return(value=value):
            yield from value.reads
        case If(test=test, then=then, other=other):
            yield from reads(test)
            for inner in (*then, *other):
                yield from _read(inner)
        case Loop():
            yield from _head(one)
            for inner in one.body:
                yield from _read(inner)


def _head(loop: Loop) -> Iterator[str]:
    for part in (loop.first, loop.step):
        if part is not None:
            yield from _read(part)
    if loop.test is not None:
        yield from _test(loop.test)


def _test(test: Test) -> Iterator[str]:
    yield from reads(test)


def _homes(statements: list[Statement], types: dict[str, str]) -> dict[str, Assign]:
    """The assignment at which each variable can be declared: all else of it follows in its block.

    A variable without one is declared at the method's head.
    """
    found: dict[str, Assign] = {}
    for name in types:
        home = _home(name, statements)
        if home is not None:
            found[name] = home
    return found


def _home(name: str, statements: list[Statement]) -> Assign | None:
    having = [one for one in statements if name in set(_read(one))]
    if not having:
        return None
    first = having[0]
    if isinstance(first, Assign) and first.variable == name and name not in first.value.reads:
        return first
    if len(having) > 1:
        return None
    match first:
        case If(test=test, then=then, other=other) if name not in reads(test):
            sides = [s for s in (then, other) if any(name in set(_read(one)) for one in s)]
            return _home(name, sides[0]) if len(sides) == 1 else None
        case Loop():
            if first.first is not None and first.first.variable == name:
                return first.first
            if name not in set(_head(first)):
                return _home(name, first.body)
    return None
