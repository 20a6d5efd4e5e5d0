"""Run the commands of a page in the order in which they stand there, as a reader would.

A page's programs and README's (blocks of Python that begin with ``# name.py``) are files of the
session. So are those of ``documented.toml``, which stand for the reader's own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from test_documented_commands import ROOT, arguments, written

OURS = tomllib.loads((Path(__file__).parent / "documented.toml").read_text("utf-8"))
PROGRAM = re.compile(r"```python\n(# (?P<name>\w+\.py)\n.*?)```", re.DOTALL)
SHOWN = re.compile(r"^\$ locklab ")
LINK = re.compile(r"https?://\S+#\S+")
LIMIT_S = 300
KEYS = "none\nq\n"
"""A drill's answer, and the end of a watch."""


@dataclass(frozen=True)
class Done:
    """A command that has run.

    Arguments:
        line: of the page. command: what follows ``locklab``. shown: what the page prints below it,
            None: nothing. code: exit code. out, err: what it printed.
    """

    line: int
    command: str
    shown: str | None
    code: int
    out: str
    err: str


def without_times(text: str) -> str:
    """Return what a command prints, with each duration replaced: no two runs take equally long.

    Blanks at the ends of lines are left out: an empty row of a table has some, a page has none.
    """
    lines = re.sub(r"\d+\.\d+ s\b", "… s", text).splitlines()
    return "\n".join(line.rstrip() for line in lines).rstrip()


def reason(page: str, command: str) -> str | None:
    """Return why a command of a page is not run, or None."""
    words = " ".join(arguments(command))
    return next((row["why"] for row in OURS["skip"] if fits(row, page, words)), None)


def fits(row: dict[str, Any], page: str, words: str) -> bool:
    """Whether a row of the table is for a page, and for a command of it."""
    return page.endswith(row.get("page", "")) and re.search(row["command"], words) is not None


def shown(lines: list[str], number: int) -> str | None:
    """Return what a page prints below the command at a line (from 1), None: nothing."""
    if not SHOWN.match(lines[number - 1]):
        return None
    while lines[number - 1].endswith("\\"):
        number += 1
    output = []
    for line in lines[number:]:
        if line.startswith(("```", "$ ")):
            break
        output.append(line)
    return "\n".join(output) if any(output) else None


@dataclass
class Session:
    """A folder in which a page's commands run.

    Arguments:
        folder: an empty one. environment: variables, PATH with ``locklab`` among them.
        before: words of a command that starts another one.
    """

    folder: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    before: tuple[str, ...] = ()

    def run(self, page: str) -> Iterator[Done]:
        """Yield each command of a page that is run."""
        text = (ROOT / page).read_text("utf-8")
        for found in PROGRAM.finditer((ROOT / "README.md").read_text("utf-8") + text):
            (self.folder / found["name"]).write_text(found[1], "utf-8")
        for name, content in OURS["files"].items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(content, "utf-8")
        for name, source in OURS["copies"].items():
            shutil.copy(ROOT / source, self.folder / name)
        here, link, before = self.folder, "LINK", 0
        lines = text.splitlines()
        for number, command, mention in written(text):
            if any(line.startswith("```") for line in lines[before:number]):
                here = self.folder  # another block is another shell
            before = number
            if mention or reason(page, command):
                continue
            done = subprocess.run(
                [*self.before, "bash", "-c", f"locklab {command.replace('LINK', link)}"],
                input=KEYS,
                capture_output=True,
                encoding="utf-8",
                cwd=here,
                env={**self.environment, "COLUMNS": "80"},
                timeout=LIMIT_S,
            )
            link = next(iter(LINK.findall(done.stdout)), link)
            into = re.search(r"&& cd (\S+)", command)
            if into and not done.returncode:
                here = here / into[1]
            below = shown(lines, number)
            yield Done(number, command, below, done.returncode, done.stdout, done.stderr)
