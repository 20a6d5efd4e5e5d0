"""See a lock broken, proven, swept and shared, in three minutes.

The tour is the beginning of README: its sentences are shown, its programs are written to a folder
that goes away, and its commands run there.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import typer

from lockui import files
from lockui.command import command
from lockui.console import console, say

app = typer.Typer(add_completion=False)

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHARE = """\
A link can hold all of it: the program, the question, the counterexample. Nothing is uploaded. Who
opens the link proves it again, in a browser (the playground) or with `locklab play open`.

```console
$ locklab play share broken_lock.py
```

Next: `locklab lesson open 1` is the first lesson, `locklab lab start lab00` the first lab,
`locklab show lock` names the locks that you can compare.
"""


@command(app)
def tour() -> None:
    """See a lock broken, proven, swept and shared, in three minutes.

    Enter runs the next command, Ctrl-C ends the tour. If stdin or stdout is no terminal, the tour
    runs through.
    """
    readme = (files.home() / "README.md").read_text(encoding="utf-8")
    _, title, text = readme.partition("\nHere is a lock")
    sessions = text.partition("\n## ")[0].rpartition("\n```\n")[0]
    with tempfile.TemporaryDirectory(prefix="locklab-tour-") as folder:
        _show(f"{title.strip()}{sessions}\n```\n\n{SHARE}", Path(folder))


def _show(text: str, folder: Path) -> None:
    """Show a page: its sentences, its programs as files, its commands run in ``folder``.

    Raises:
        typer.Exit: a command found its input bad, or was stopped.
    """
    waits = sys.stdin.isatty() and sys.stdout.isatty()
    parts = FENCE.split(text)
    columns = parts[::3], [*parts[1::3], ""], [*parts[2::3], ""]
    for prose, language, block in zip(*columns, strict=True):
        for paragraph in prose.split("\n\n"):
            if paragraph.strip():
                console().print(" ".join(paragraph.split()), "\n", markup=False, sep="")
        if language == "python":
            (folder / block.split()[1]).write_text(block, encoding="utf-8")
            say(block)
        elif language == "console":
            _run(block.replace("\\\n", " ").splitlines()[0], folder, waits)


def _run(line: str, folder: Path, waits: bool) -> None:
    """Run what follows ``$ locklab``; its output is this command's."""
    words = shlex.split(line)[2:]
    say(f"$ {shlex.join(['locklab', *words])}")
    if waits:
        try:
            input("[Enter]")
        except EOFError:  # Ctrl-D
            raise typer.Exit from None
    sys.stdout.flush()
    environment = {**os.environ, "COLUMNS": str(console().width)}
    program = [sys.executable, "-m", "locklab", *words]
    done = subprocess.run(program, cwd=folder, env=environment, check=False)
    if done.returncode not in (0, 1):  # 1: violated, as the first lock is
        raise typer.Exit(done.returncode)
    say("")
