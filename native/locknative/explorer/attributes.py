"""Attributes, pragmas and names for the assembler in preprocessed C, and which are harmless.

They reach behind the language: ``no_sanitize`` switches the announcements of a function off, an
``optimize`` leaves accesses out, a section's or symbol's name can hold whole lines of assembly. So
only those on the lists below are harmless, each for a reason that a test checks.

The text is what the preprocessor writes, so no macro, joined line, comment or ``_Pragma`` can hide
one. All of it is read, system headers too: a ``#line`` can name any file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["ATTRIBUTES", "DROPPED", "HARMLESS_ASSEMBLY", "Use", "uses"]

ATTRIBUTES = frozenset(
    {
        # Where objects lie and how they are linked. Accesses to them are announced as to any other.
        *("aligned", "packed", "mode", "vector_size", "may_alias", "transparent_union", "section"),
        *("alias", "weak", "visibility", "externally_visible", "used", "retain", "common"),
        *("nocommon", "tls_model"),
        # Which functions run before main() and after it: they run in each run (sections.py).
        *("constructor", "destructor"),
        # How a function is compiled: its accesses are announced there, or where it is put in.
        *("always_inline", "noinline", "gnu_inline", "artificial", "flatten", "noclone", "noipa"),
        *("hot", "cold", "target", "cleanup"),
        # What callers may assume. Without optimisation no access is left out for that.
        *("noreturn", "returns_twice", "nothrow", "leaf", "malloc", "nonnull", "returns_nonnull"),
        *("alloc_size", "alloc_align", "assume_aligned", "access"),
        # Warnings.
        *("unused", "maybe_unused", "warn_unused_result", "nodiscard", "deprecated", "unavailable"),
        *("warning", "error", "format", "format_arg", "sentinel", "fallthrough", "nonstring"),
        "designated_init",
    }
)
"""Attributes that hide no access."""

DROPPED = frozenset({"const", "pure"})
"""Attributes that headers need, and that are harmless only once they were taken out: even without
optimisation, gcc leaves out a call of such a function if nothing uses its result."""

_NAME = r"[\w.$@]*"
_ARGUMENTS = {
    # Functions in these would run before the first run, without the explorer.
    "section": re.compile(r"(?!\.(preinit|init|fini|ctors|dtors))" + _NAME),
    "alias": re.compile(_NAME),
}
"""What the text in quotes may be: it is copied into the assembly as it stands."""

_PRAGMAS = re.compile(
    r"""
    (once|STDC|pack|push_macro|pop_macro|message)\b.*
    | GCC\ +(push_options|pop_options|target|visibility|unroll|ivdep)\b.*
    | GCC\ +(system_header|poison|warning|error)\b.*
    | (GCC|clang)\ +diagnostic\ +(push|pop|(ignored|warning|error)\ *"-W[\w+=-]+")
    """,
    re.VERBOSE,
)
"""Pragmas that hide no access."""

_VENDORS = ("", "gnu", "clang")
HARMLESS_ASSEMBLY = re.compile(
    r"(#.*|\.loc.*|pause|rep;? ?nop|yield|nop|isb|((cpuid|rdtscp?)\s*;?\s*)+)?"
)
"""Lines of assembly that touch no memory. (A clock makes runs differ, which is noticed.)"""

_TEXT = r'"(?:[^"\\\n]|\\.)*"'
_SCAN = re.compile(
    rf"""
    (?P<directive>^[ \t]*(?:\#|%:).*)
    | (?<![\w$])(?:u8|[uUL])?R"(?P<end>[^ ()\\\t\v\f\n]{{0,16}})\((?s:.*?)\)(?P=end)"
    | {_TEXT} | '(?:[^'\\\n]|\\.)*'
    | (?<![\w$])(?P<word>__attribute(?:__)?|__declspec|_Pragma|asm|__asm(?:__)?)(?![\w$])
    | (?P<open>\[|<:)
    """,
    re.VERBOSE | re.MULTILINE,
)
_TOKEN = re.compile(
    rf"""
    (?P<between>(?:\s|^[ ]*\#.*)+)
    | (?P<text>{_TEXT}) | '(?:[^'\\\n]|\\.)*' | (?P<word>[\w$]+) | ::|<:|:>|(?s:.)
    """,
    re.VERBOSE | re.MULTILINE,
)
_OPEN, _CLOSE = {"(", "[", "{", "<:"}, {")", "]", "}", ":>"}


@dataclass(frozen=True)
class Use:
    """An attribute, a pragma, another directive, or a name for the assembler.

    Args:
        kind: ``attribute``, ``pragma``, ``directive`` or ``assembly``.
        name: an attribute's without underscores and vendor; else the whole text. None: its form
            is unknown.
        argument: what stands in the attribute's parentheses.
        file: the name of the file, as line markers have it. line: in this file.
        start: where it begins in the text. end: behind its last character.
    """

    kind: str
    name: str | None
    argument: str
    file: str
    line: int
    start: int
    end: int

    @property
    def harmless(self) -> bool:
        """Whether it can hide no access."""
        if self.name is None:
            return False
        if self.kind == "attribute":
            allowed = _ARGUMENTS.get(self.name)
            if allowed is not None:
                name = _quoted(self.argument)
                return name is not None and allowed.fullmatch(name) is not None
            return self.name in ATTRIBUTES or self.name in DROPPED
        if self.kind == "pragma":
            return _PRAGMAS.fullmatch(self.name) is not None
        if self.kind == "assembly":
            lines = self.name.replace(r"\t", " ").split(r"\n")
            named = re.fullmatch(_NAME, self.name) is not None
            return named or all(HARMLESS_ASSEMBLY.fullmatch(one.strip()) for one in lines)
        return False

    def __str__(self) -> str:
        """Return its kind and its name."""
        if self.name is None:
            return f"an {self.kind} of an unknown form"
        argument = f"({' '.join(self.argument.split())})" if self.argument else ""
        said = {
            "attribute": f"the attribute {self.name}{argument}",
            "pragma": f"#pragma {self.name}",
            "directive": str(self.name),
            "assembly": f'asm("{self.name}")',
        }
        return said[self.kind][:80]


def uses(preprocessed: str) -> Iterator[Use]:
    """Yield what stands in preprocessed C, in order.

    Args:
        preprocessed: the output of ``gcc -E``, with line markers.
    """
    file, line, at = "", 1, 0  # the line on which the character at `at` stands
    for found in _SCAN.finditer(preprocessed):
        kind = found.lastgroup
        if kind not in ("directive", "word", "open"):
            continue
        line, at = line + preprocessed.count("\n", at, found.start()), found.start()
        text = found[0].strip()
        if kind == "directive":
            if marker := re.match(r'#[ \t]*(\d+)[ \t]+"((?:[^"\\]|\\.)*)"', text):
                # The line behind this one has the number.
                file, line = re.sub(r"\\(.)", r"\1", marker[2]), int(marker[1]) - 1
            elif pragma := re.match(r"#[ \t]*pragma\b[ \t]*(.*)", text):
                yield Use("pragma", pragma[1].strip(), "", file, line, *found.span())
            else:
                yield Use("directive", text, "", file, line, *found.span())
        else:
            reader = _Reader(preprocessed, found.end())
            for name, argument, start, end in _read(kind, text, reader):
                what = "assembly" if text.strip("_") == "asm" else "attribute"
                yield Use(what, name, argument, file, line, start, end)


Part = tuple[str | None, str, int, int]


class _Reader:
    """The tokens behind a place, of which the next one can be looked at."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.end = at
        self._step()

    def _step(self) -> None:
        self.behind = self.end
        while True:
            found = _TOKEN.match(self.text, self.end)
            self.start = self.end
            self.end = found.end() if found else self.end
            self.kind = found.lastgroup if found else None
            self.next = found[0] if found else ""
            if self.kind != "between":
                return

    def take(self, *wanted: str) -> bool:
        """Go on behind the next token if it is one of those."""
        if self.next not in wanted or not self.next:
            return False
        self._step()
        return True

    def word(self) -> str:
        """Go on behind a word; empty if there is none."""
        word = self.next if self.kind == "word" else ""
        if word:
            self._step()
        return word

    def balanced(self) -> str | None:
        """Go on behind what an open parenthesis closes, and return what is inside."""
        start, depth = self.start, 1
        while self.next:
            depth += (self.next in _OPEN) - (self.next in _CLOSE)
            inside = self.text[start : self.start]
            self._step()
            if not depth:
                return inside
        return None


def _read(kind: str, word: str, at: _Reader) -> Iterator[Part]:
    """The attributes that a word or a bracket begins."""
    unknown = (None, "", at.start, at.start)
    if kind == "open":
        if at.take("[", "<:"):
            yield from _list(at, ("]", ":>"), unknown)
    elif word in ("__attribute", "__attribute__"):
        if at.take("(") and at.take("("):
            yield from _list(at, (")",), unknown)
        else:
            yield unknown
    elif word.strip("_") == "asm":
        while at.word():  # volatile, inline, goto
            pass
        start = at.start
        inside = at.balanced() if at.take("(") else None
        if inside is None:
            yield unknown
        elif (name := _quoted(inside)) is not None:
            yield name, "", start, at.behind
        # Else it has operands, so it is a statement, which is judged in the assembly.
    else:
        yield word, "", at.start, at.start


def _list(at: _Reader, close: tuple[str, ...], unknown: Part) -> Iterator[Part]:
    """The attributes up to the two closing tokens."""
    while True:
        while at.take(","):
            pass
        if at.take(*close):
            if not at.take(*close):
                yield unknown
            return
        start, vendor, name = at.start, "", at.word()
        if at.take("::") or (at.next == ":" and at.take(":") and at.take(":")):
            vendor, name = name, at.word()
        argument = at.balanced() if at.take("(") else ""
        if not name or argument is None or _plain(vendor) not in _VENDORS:
            yield (f"{vendor}::{name}" if name and vendor else None, "", start, at.behind)
            return
        yield _plain(name), argument, start, at.behind
        if at.next not in (",", *close):
            yield unknown
            return


def _plain(name: str) -> str:
    """An attribute's name without the underscores around it."""
    plain = re.fullmatch(r"__(\w+)__", name)
    return plain[1] if plain else name


def _quoted(text: str) -> str | None:
    """What stands in quotation marks, if it is nothing else; the parts of several as one."""
    parts = re.sub(r"(?m)^ *#.*", "", text).strip()
    if not parts or not re.fullmatch(rf"(?:{_TEXT}\s*)+", parts):
        return None
    return "".join(one[1:-1] for one in re.findall(_TEXT, parts))
