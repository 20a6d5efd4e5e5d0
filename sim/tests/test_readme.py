"""The README's programs give the README's output; test_documented_outputs.py runs the long ones."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documented import without_times

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
PROGRAMS = {
    found["name"]: found["text"]
    for found in re.finditer(r"```python\n(?P<text># (?P<name>\w+\.py)\n.*?)```", TEXT, re.S)
}
# A backslash at the end of a line continues the command.
SESSIONS = re.findall(r"```console\n\$ locklab (.*?)\n(.*?)```", TEXT.replace("\\\n", ""), re.S)


@pytest.mark.parametrize(
    ("command", "shown"),
    [session for session in SESSIONS if session[0].startswith("check")],
)
def test_a_command_prints_what_the_readme_shows(command: str, shown: str, tmp_path: Path) -> None:
    """The README's files, the README's command, in an empty folder."""
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "locklab", *command.split()],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert without_times(shown) == without_times(done.stdout)


def test_the_readme_has_a_wrong_lock_and_a_right_one() -> None:
    """What the tests above read is there."""
    assert {"broken_lock.py", "fixed_lock.py"} <= set(PROGRAMS)
    assert ["check", "check", "sweep"] == [command.split()[0] for command, _ in SESSIONS]


def test_a_mistake_gets_the_message_that_the_readme_shows(tmp_path: Path) -> None:
    """The fixed lock without its yield."""
    (shown,) = re.findall(r"```\n(fixed_lock\.py:.*?)```", TEXT, re.S)
    text = PROGRAMS["fixed_lock.py"].replace(
        "        yield self.held.store", "        self.held.store"
    )
    (tmp_path / "fixed_lock.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "locklab", "check", "fixed_lock.py"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
    )
    assert (2, f"error: {shown}") == (done.returncode, done.stderr)
