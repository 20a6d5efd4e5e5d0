"""The gallery's plots: a command, run as it is printed, and the plot that it saves."""

from __future__ import annotations

import html
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from locklessons.figures import Figure

_PARTS = re.compile(
    r"(?P<svg><svg.*?<desc[^>]*>(?P<alt>.*?)</desc>.*</svg>)\s*<figcaption>(?P<caption>.*?)</figcaption>",
    re.DOTALL,
)


def drawn(command: str) -> Figure:
    """Run a command that saves one plot as a page, and return the plot.

    Arguments:
        command: as it is typed, with ``--plot FILE.html``.

    Raises:
        RuntimeError: it fails, or saves no such page.
    """
    words = shlex.split(command)[1:]
    with TemporaryDirectory() as folder:
        program = [sys.executable, "-m", "locklab", *words]
        done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
        page = Path(folder, words[-1])
        found = _PARTS.search(page.read_text("utf-8")) if page.is_file() else None
    if done.returncode or found is None:
        raise RuntimeError(f"'{command}' saved no plot: {done.stderr.strip()}")
    return Figure(found["svg"], html.unescape(found["alt"]), html.unescape(found["caption"]))
