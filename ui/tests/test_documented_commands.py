"""Every command that is written down exists, with its options and values.

Read are the README files, docs, handouts, hints, lessons, slides, the editor's extension and the
playground. A command is what follows ``locklab`` in code: a line of a block, or a text between
backticks. It is parsed as the command line parses it, and not run.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from lockui.command import options
from lockui.schema import command_tree

ROOT = Path(__file__).resolve().parents[2]
PLACES = [
    "*.md",
    "datasets/*.md",
    "docs/**/*.md",
    "editors/**/*.js",
    "editors/**/*.json",
    "editors/**/*.md",
    "grader/README.md",
    "labs/**/*.md",
    "labs/**/*.toml",
    "lessons/*.md",
    "native/**/*.md",
    "playground/**/*.html",
    "playground/**/*.js",
    "sim/**/*.md",
]
BLOCK = re.compile(r"^\s*(?:[$!%>] ?)?(?:[\w./]*/)?locklab (?P<rest>[a-z-].*)$")
INLINE = re.compile(r"`(?:[\w./]*/)?locklab (?P<rest>[a-z-][^`]*)`|'locklab (?P<said>[a-z][^']*)'")
ENDS = ("|", ">", ">>", "<", ";", "&&", "&", "#", "2>&1", "2>")
EXAMPLES = {"number": "1", "time": "1us", "share": "50%", "size": "1GiB", "frequency": "2GHz"}
"""What stands for a placeholder such as CPUS, by the type of its option; HOLDns becomes 1ns."""
OWN = ("help", "--help", "-h", "--version", "-V", "--install-completion", "--show-completion")


def written(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the commands of a text: the line, what follows ``locklab``, whether it is a mention.

    A mention (``locklab run --trace``) names an option and may leave out the rest.
    """
    lines = text.splitlines()
    skip = 0
    for number, line in enumerate(lines, start=1):
        if skip:
            skip -= 1
            continue
        block = BLOCK.match(line)
        if block:
            rest = block["rest"]
            while rest.endswith("\\") and number + skip < len(lines):
                rest = rest[:-1] + " " + lines[number + skip].strip().lstrip("> ")
                skip += 1
            yield number, rest, False
        else:
            yield from ((number, m["rest"] or m["said"], True) for m in INLINE.finditer(line))


def arguments(command: str) -> list[str]:
    """Return the words of a command up to a pipe or a comment; none that stand for others."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()
    end = next((k for k, word in enumerate(words) if word in ENDS), len(words))
    return [word for one in words[:end] if (word := re.sub(r"…|\.\.\.", "", one).rstrip(";,"))]


@cache
def tree() -> dict[str, Any]:
    """Return all commands."""
    return dict(command_tree())


def wrong(words: list[str], mention: bool = False) -> str:
    """Return what the command line says about a command, or an empty text."""
    if not words or words[0] in OWN:
        return ""
    known = tree()
    name = next((n for k in (3, 2, 1) if (n := " ".join(words[:k])) in known), "")
    rest = words[len(name.split()) :]
    if not name:
        groups = {" ".join(one.split()[:k]) for one in known for k in (1, 2)}
        if " ".join(word for word in words if not word.startswith("-")) in groups:
            return ""
        return f"there is no command '{' '.join(words[:2])}'"
    if not rest or any(word in ("--help", "--help-all") for word in rest):
        return ""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            known[name].make_context(name, list(filled(rest)))
    except (typer.Exit, typer.TyperException) as end:
        message = said.getvalue().strip() or str(end)
        return "" if mention and re.search("missing|requires an argument", message) else message
    return ""


def filled(words: list[str]) -> Iterator[str]:
    """Yield words with a value for each placeholder (CPUS) that stands behind an option."""
    for before, word in itertools.pairwise(["", *words]):
        row = options().get(before.removeprefix("--"))
        if row is not None and row.type in EXAMPLES and re.fullmatch("[A-Z][A-Z_]*", word):
            yield EXAMPLES[row.type]
        elif row is not None and row.type in EXAMPLES:
            yield re.sub("[A-Z][A-Z_]+(?=ns|us|ms|s|%)", "1", word)
        else:
            yield word


def files() -> list[Path]:
    """Return the files that are read."""
    found = {path for place in PLACES for path in ROOT.glob(place) if path.is_file()}
    return sorted(p for p in found if not {"out", "node_modules", ".venv"} & set(p.parts))


@pytest.mark.parametrize("file", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_exist(file: Path) -> None:
    """Each command of a file is one that the command line takes."""
    problems = []
    for line, command, mention in written(file.read_text(encoding="utf-8")):
        said = wrong(arguments(command), mention)
        if said:
            problems.append(f"{file.relative_to(ROOT)}:{line}: locklab {command}: {said}")
    assert [] == problems


def test_commands_are_found() -> None:
    """In blocks with their continuation, and between backticks; up to a pipe or a comment."""
    text = "```sh\n$ locklab run mcs \\\n    --cpus 4  # four\n```\nuse `locklab lab check 3` | x\n"
    found = [(line, arguments(rest)) for line, rest, _ in written(text)]
    assert [(2, ["run", "mcs", "--cpus", "4"]), (5, ["lab", "check", "3"])] == found


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("run mcs --cpus 4", ""),
        ("rnu mcs", "there is no command 'rnu mcs'"),
        ("run mcs --cpu 3", "error: unknown option '--cpu'; did you mean '--cpus'?"),
        ("lab", ""),
    ],
)
def test_wrong_commands_are_found(command: str, message: str) -> None:
    """A command or an option that is not there is one; a group of commands alone is none."""
    assert message == wrong(command.split())
