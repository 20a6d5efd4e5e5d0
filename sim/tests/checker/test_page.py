"""docs/explain/checker.md: its programs compile, its commands give the verdicts it says."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locksim.cli.check import app
from locksim.library.registry import specifications

PAGE = (Path(__file__).parents[3] / "docs/explain/checker.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
COMMANDS = [line for line in PAGE.splitlines() if line.startswith("locklab check ")]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The page's classes, each in the file that its commands name."""
    monkeypatch.chdir(tmp_path)
    for cls, file in (
        ("StoreBuffering", "sb.py"),
        ("MessagePassing", "mp.py"),
        ("Register", "my_register.py"),
    ):
        block = next(b for b in BLOCKS if f"class {cls}(" in b)
        head = "" if "import" in block else "from locksim.lang import *\n\n\n"
        (tmp_path / file).write_text(head + block)


@pytest.mark.parametrize(("file", "exit_code"), [("sb.py", 1), ("mp.py", 0)])
def test_the_commands_on_the_page_work(files, file, exit_code):
    """Store buffering is broken under tso; message passing is right under c11."""
    command = next(line for line in COMMANDS if file in line)
    found = CliRunner().invoke(app, shlex.split(command)[2:])
    assert exit_code == found.exit_code


def test_the_specification_on_the_page_is_one(files):
    """A register whose operations are one step each is right by itself."""
    register = "my_register.py:Register"
    found = CliRunner().invoke(app, [register, "--spec", register, "--threads", "3"])
    assert 0 == found.exit_code


def test_the_page_names_every_specification_of_the_library():
    """Where a reader looks for them."""
    listed = PAGE.partition("**Specifications of the library**")[2].partition("\n\n")[0]
    assert {*specifications()} == {*re.findall(r"`([A-Z]\w+)`", listed)}
