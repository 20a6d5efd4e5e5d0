"""Every command that is written down exists, with its options and values.

Read are the README files, docs, handouts, hints, lessons, slides, the editor's extension, the
playground, make's targets and the workflows. A command is what follows ``locklab`` in code: a line
of a block, or a text between backticks. It is parsed as the command line parses it, and not run. So
is what Python programs start, slow tests among them; and messages name no other options.
"""

from __future__ import annotations

import ast
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
    ".github/**/*.yml",
    "Makefile",
    "datasets/*.md",
    "docs/**/*.md",
    "editors/**/*.js",
    "editors/**/*.json",
    "editors/**/*.md",
    "grader/README.md",
    "grader/lockgrader/platforms/files/**/*.*",
    "labs/**/*.md",
    "labs/**/*.toml",
    "lessons/*.md",
    "lessons/site/pages/*.md",
    "native/**/*.md",
    "playground/**/*.html",
    "playground/**/*.js",
    "sim/**/*.md",
]
PACKAGES = ("datasets", "grader", "labs", "lessons", "native", "sim", "ui")
THEIRS = re.compile(r"(pip|pipx|uv) |core-to-core-latency ")
"""Where a message shows a command of another program."""
BLOCK = re.compile(r"^\s*(?:[$!%>@] ?|- run: |run: )?(?:[\w./]*/)?locklab (?P<rest>[a-z-].*)$")
INLINE = re.compile(r"`(?:[\w./]*/)?locklab (?P<rest>[a-z-][^`]*)`|'locklab (?P<said>[a-z][^']*)'")
ENDS = ("|", ">", ">>", "<", ";", "&&", "&", "#", "2>&1", "2>")
GAP = re.compile(r"…|\.\.\.|\$\(ARGS\)")
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
    return [word for one in words[:end] if (word := re.sub(GAP, "", one).rstrip(";,"))]


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


def programs(part: str) -> Iterator[tuple[Path, ast.AST]]:
    """Yield the Python files of all packages and of the tools in which a text occurs, parsed."""
    for folder in (*PACKAGES, "editors", "playground", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "node_modules" not in path.parts and part in (text := path.read_text("utf-8")):
                yield path, ast.parse(text)


def started(tree: ast.AST) -> Iterator[list[str]]:
    """Yield what a program gives to ``python -m locklab``, up to the first value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            words = [one.value if isinstance(one, ast.Constant) else None for one in node.elts]
            for k, pair in enumerate(itertools.pairwise(words)):
                if pair == ("-m", "locklab"):
                    yield list(itertools.takewhile(lambda w: isinstance(w, str), words[k + 2 :]))


def messages(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that are no documentation."""
    said = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in said:
            yield node.value


def test_programs_start_commands_that_exist() -> None:
    """Benchmarks, tools and tests, those too that run once a night."""
    calls = [
        (file.name, words)
        for file, tree in programs('"locklab"')
        for words in started(tree)
        if len(words) > 1  # a misspelt word alone is another test's
    ]
    assert len(calls) > 5
    assert [] == [(name, words, said) for name, words in calls if (said := wrong(words, True))]


def test_messages_name_options_that_exist() -> None:
    """A text with blanks that names an option, in a package."""
    known = {*options(), "help", "help-all"}
    unknown = [
        (file.name, option, text)
        for file, tree in programs("--")
        if file.relative_to(ROOT).parts[1].startswith("lock")
        for text in messages(tree)
        if " " in text.strip() and not THEIRS.search(text)
        for option in re.findall(r"(?<![\w-])--([a-z][a-z-]+)", text)
        if option not in known
    ]
    assert [] == unknown


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
