"""`locklab lesson tour`: the beginning of README, run in a folder that goes away."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from locklessons.cli import lesson_tour

PAGE = """\
Some `words` that a page
breaks.

```python
# mine.py
from locksim.lang import *

class Mine(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.load()):
            yield pause()
        yield self.held.store(1)

    def release(self):
        yield self.held.store(0)
```

```console
$ locklab check mine.py \\
    --threads 2
what the page shows
```
"""


def test_a_page_is_shown_and_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Sentences in the terminal's width, programs, commands with what they print today."""
    lesson_tour._show(PAGE, tmp_path)
    said = capfd.readouterr().out
    assert said.startswith("Some `words` that a page breaks.\n\n# mine.py\n")
    assert "\n$ locklab check mine.py --threads 2\nexclusion: two threads hold the lock" in said
    assert "what the page shows" not in said


def test_a_command_waits_for_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal; the end of the input ends the tour, and nothing is run."""

    def ended(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    monkeypatch.setattr(subprocess, "run", None)
    with pytest.raises(typer.Exit) as end:
        lesson_tour._run("$ locklab check mine.py", tmp_path, True)
    assert 0 == end.value.exit_code


def test_a_failing_command_ends_the_tour(tmp_path: Path) -> None:
    """With its exit code."""
    with pytest.raises(typer.Exit) as end:
        lesson_tour._run("$ locklab check missing.py", tmp_path, False)
    assert 2 == end.value.exit_code


@pytest.mark.slow
def test_the_tour_runs_through(tmp_path: Path) -> None:
    """Broken, proven, swept, shared; the folder in which it runs stays empty."""
    program = [sys.executable, "-m", "locklab", "lesson", "tour"]
    done = subprocess.run(
        program,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert 0 == done.returncode, done.stderr
    for part in (": violated (", ": proven (", "32 CPUs: mcs, ", "/#1."):
        assert part in done.stdout
    assert [] == list(tmp_path.iterdir())
