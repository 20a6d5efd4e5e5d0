"""Check a C file before any compiler reads it, and again behind the preprocessor.

First the file is split as the standard does (C11 5.1.1.2, phases 2 and 3): joined lines, comments,
preprocessing tokens. So a word is found even if it is split over lines, and text in a string does
not count. Refused is whatever reaches beyond the language: other files, the assembler, options of
the compiler, attributes. A word that ``##`` makes must begin with text that no refused word begins
with. A macro can still put an attribute together, so the preprocessor's output is examined too, and
that output is compiled. Each refusal names its line. Further filters check the
assembly (:mod:`.allowed`) and the object (:mod:`.elf`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lockgrader.read.artefact import MalformedError
from lockgrader.read.refused import Refused
from locknative.explorer.attributes import uses

__all__ = ["HEADERS", "MAX_SOURCE", "examine", "examine_preprocessed"]

MAX_SOURCE = 64 << 10
MAX_PREPROCESSED = 4 << 20
HEADERS = frozenset(
    {
        "assert.h",
        "pthread.h",
        "stdatomic.h",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdlib.h",
        "string.h",
        "urcu.h",
        "urcu-call-rcu.h",
        "urcu-pointer.h",
        "urcu/call-rcu.h",
        "urcu/list.h",
        "urcu/pointer.h",
        "urcu/rculist.h",
        "urcu/uatomic.h",
        "urcu/urcu-memb.h",
    }
)
DIRECTIVES = frozenset(
    {"", "define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "undef"}
)
RESERVED = frozenset(
    {
        *("_Alignas", "_Alignof", "_Atomic", "_Bool", "_Generic", "_Noreturn", "_Static_assert"),
        *("__ATOMIC_ACQUIRE", "__ATOMIC_ACQ_REL", "__ATOMIC_CONSUME", "__ATOMIC_RELAXED"),
        *("__ATOMIC_RELEASE", "__ATOMIC_SEQ_CST", "__FILE__", "__LINE__", "__VA_ARGS__"),
        *("__func__", "__builtin_expect", "__typeof__", "_LGPL_SOURCE"),
    }
)
"""Reserved names that a submission may use; it may use __atomic_* too."""
REFUSED = frozenset({"asm", "alloca", "fortran"})
ATTRIBUTE = "leave attributes, pragmas and assembly out"
LOCAL = frozenset({"_Thread_local", "__thread"})
"""Words for variables of one thread: the instructions that reach these are refused (allowed.py)."""
BEGINNINGS = REFUSED | LOCAL | {f"{prefix}R" for prefix in ("", "u8", "u", "U", "L")}
"""Words, and marks before a raw string, that ## must not make."""

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\f\v\r]+) | (?P<newline>\n) | (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<raw>(?:u8|[uUL])?R")
    | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*" | [uUL]?'(?:[^'\\\n]|\\.)*')
    | (?P<number>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
    | (?P<word>[A-Za-z_$][A-Za-z0-9_$]*)
    | (?P<paste>\#\#|%:%:) | (?P<hash>\#|%:) | (?P<bracket>\[|<:) | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


def examine(text: str, file: str, own_headers: tuple[str, ...]) -> None:
    """Refuse a C file that uses more than the language.

    Arguments:
        text: the file. file: its name. own_headers: headers of the lab's interface.

    Raises:
        Refused: with the line and what to do.
    """
    if len(text.encode("utf-8", errors="surrogatepass")) > MAX_SOURCE:
        raise Refused("ungradable", f"{file} is longer than {MAX_SOURCE >> 10} KiB")
    before = ""
    for token in _plain(text, file):
        if token.kind == before == "bracket":
            raise _forbidden(file, token, f"[[: {ATTRIBUTE}")
        before = token.kind
        if token.kind == "raw":
            raise _forbidden(file, token, f"{token.text}: write the string without R")
        if token.kind == "other" and not token.text.isascii():
            raise _forbidden(
                file, token, "a character outside ASCII: write it only in a comment or a string"
            )
        if token.kind == "other" and token.text in "\"'\\":
            raise Refused("student_error", f"{file}:{token.line}: an unterminated quotation")
        if token.kind == "word":
            _examine_word(file, token)
    pastes = sum(token.kind == "paste" for token in _plain(text, file))
    for line in _directives(text, file):
        _examine_directive(file, line, own_headers)
        pastes -= _examine_pastes(file, line)
    if pastes:
        raise Refused("forbidden_operation", f"{file}: '##' is only allowed in a #define")


def examine_preprocessed(text: str, file: str) -> None:
    """Refuse attributes and pragmas that macros have put together.

    Arguments:
        text: the preprocessor's output. file: the submission's name.

    Raises:
        Refused: with the line and what to do.
        MalformedError: no headers and no 64 KiB of C are so long.
    """
    if len(text) > MAX_PREPROCESSED:
        raise MalformedError(f"{len(text)} characters behind the preprocessor")
    for use in uses(text):
        if use.file == file or not use.harmless:
            raise Refused("forbidden_operation", f"{use.file}:{use.line}: {use}: {ATTRIBUTE}")


def _examine_word(file: str, token: _Token) -> None:
    word = token.text
    if word in REFUSED:
        raise _forbidden(file, token, f"'{word}': use C11 atomics, and memory from malloc")
    if "$" in word:
        raise _forbidden(file, token, f"'{word}': a name is made of letters, digits and _")
    if word in LOCAL:
        raise _forbidden(file, token, f"'{word}': use an array with an element for each thread")
    reserved = word.startswith("__") or re.match(r"_[A-Z]", word)
    if reserved and word not in RESERVED and not word.startswith("__atomic_"):
        raise _forbidden(
            file, token, f"'{word}': names like this belong to the compiler; choose another name"
        )


def _examine_directive(file: str, line: list[_Token], own_headers: tuple[str, ...]) -> None:
    first = line[1] if len(line) > 1 else line[0]
    name = "" if len(line) == 1 else first.text
    if name not in DIRECTIVES:
        raise _forbidden(file, first, f"#{name[:20]}: the directives are #include, #define and #if")
    if name == "include":
        wanted = "".join(t.text for t in line[2:])
        plain = wanted[1:-1]
        allowed = (wanted == f"<{plain}>" and plain in HEADERS) or (
            wanted == f'"{plain}"' and plain in own_headers
        )
        if not allowed:
            own = ", ".join(f'"{h}"' for h in own_headers)
            given = wanted[:60] or "nothing"
            message = f"#include {given}: there are {own}, <{'>, <'.join(sorted(HEADERS))}>"
            raise _forbidden(file, first, message)


def _examine_pastes(file: str, line: list[_Token]) -> int:
    """Refuse a ## whose word is not known to be harmless; the number of all in a #define.

    The word begins with what stands before the ##. If that is no parameter, no argument changes
    it. So the word is refused unless no refused one begins alike.
    """
    if len(line) < 3 or line[1].text != "define":
        return 0
    parameters = _parameters(line)
    pastes = [k for k, token in enumerate(line) if token.kind == "paste"]
    for k in pastes:
        before, behind = line[k - 1], line[k + 1].kind if k + 1 < len(line) else ""
        if problem := _paste_problem(before, behind, parameters):
            raise _forbidden(file, line[k], f"{before.text[:40]} ##: {problem}")
    return len(pastes)


def _paste_problem(before: _Token, behind: str, parameters: set[str]) -> str:
    """Return why a ## is refused, and what to do; empty if it is not."""
    start = before.text
    if (before.kind, behind) != ("word", "word"):
        return "'##' must stand between two words, as in memory_order_##x"
    if start in parameters:
        return (
            "a macro's parameter must not stand before '##': write a fixed beginning, as in "
            "memory_order_##x"
        )
    if start.startswith("_"):
        return "a word made by '##' must not begin with '_': choose another beginning"
    if refused := sorted(word for word in BEGINNINGS if word.startswith(start)):
        return (
            f"the word could become '{refused[0]}': begin with other letters, or write the whole "
            "word"
        )
    return ""


def _parameters(line: list[_Token]) -> set[str]:
    """The words in parentheses behind a macro's name, which are its parameters if it has any."""
    if len(line) < 4 or line[3].text != "(":
        return set()
    end = next((k for k, token in enumerate(line) if token.text == ")"), len(line))
    return {token.text for token in line[4:end] if token.kind == "word"}


def _forbidden(file: str, token: _Token, what: str) -> Refused:
    return Refused("forbidden_operation", f"{file}:{token.line}: {what}")


def _plain(text: str, file: str) -> Iterator[_Token]:
    """The tokens without spaces and comments."""
    return (t for t in _tokens(text, file) if t.kind not in ("space", "comment", "newline"))


def _directives(text: str, file: str) -> Iterator[list[_Token]]:
    """The lines that begin with a #, from that on."""
    line: list[_Token] = []
    for token in _tokens(text, file):
        if token.kind == "newline":
            if line and line[0].kind == "hash":
                yield line
            line = []
        elif token.kind not in ("space", "comment"):
            line.append(token)
    if line and line[0].kind == "hash":
        yield line


def _tokens(text: str, file: str) -> Iterator[_Token]:
    """Phases 2 and 3. Tokens of a joined line keep their original line numbers."""
    if "\0" in text:
        raise Refused("forbidden_operation", f"{file}: a NUL byte; remove it")
    if joined := re.search(r"\\[ \t\f\v]+\r?\n", text):
        line = text.count("\n", 0, joined.start()) + 1
        raise Refused(
            "forbidden_operation",
            f"{file}:{line}: spaces after the backslash at the end of the line: remove them",
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    starts, length = [], 0
    for dropped, part in enumerate(text.split("\\\n")):
        starts.append((length, dropped))
        length += len(part)
    whole = text.replace("\\\n", "")
    line, at, splice = 1, 0, 0
    while at < len(whole):
        found = _TOKEN.match(whole, at)
        assert found is not None  # the last kind is any character
        while splice < len(starts) and starts[splice][0] <= at:
            splice += 1
        kind = found.lastgroup or "other"
        if kind == "other" and whole.startswith("/*", at):
            raise Refused("student_error", f"{file}:{line}: an unterminated comment")
        yield _Token(kind, found[0], line + starts[splice - 1][1])
        line += found[0].count("\n")
        at = found.end()
