"""The lessons: found, converted, and run from top to bottom in a kernel of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from locklessons.notebooks import Lesson, LessonError, find, lessons, notebook, plain, run, write


def test_they_are_found() -> None:
    """By number, name and file name, in their order; titles are the first headings."""
    found = lessons()
    assert [1, 8] == [lesson.number for lesson in found]
    assert find("8") == find("rcu") == find("08-rcu") == found[1]
    assert "8 · RCU: reading without writing" == found[1].title


def test_unknown_lesson() -> None:
    """The message names those that there are."""
    with pytest.raises(LessonError, match=r"no lesson '9'; there are: 1 \(why-locks-collapse\)"):
        find("9")


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_runs(lesson: Lesson) -> None:
    """Every cell runs; every figure has a caption, its words and its numbers."""
    done = run(lesson)
    shown = [
        output.data.get("text/html", "")
        for cell in done.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type in ("display_data", "execute_result")
    ]
    figures = [text for text in shown if "<figure>" in text]
    assert len(figures) >= 3
    for text in figures:
        alt = re.search(r'role="img" aria-label="([^"]+)"', text)
        assert alt is not None
        assert len(alt[1]) > 60
        assert [] == [part for part in ("<figcaption", "<table", "<svg") if part not in text]
    assert any("has a slider" in text for text in figures)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_form(lesson: Lesson) -> None:
    """Goals, something to predict before it is run, exercises with folded solutions, the lab."""
    text = lesson.file.read_text("utf-8")
    assert "**After this lesson you can**" in text
    assert text.count("} Predict") >= 2
    assert text.index("} Predict") < text.index("## Explain")
    assert text.count(":::{dropdown} Solution") >= 3
    assert re.search(r"Go on\*\* with lab \d\d", text)


def test_written_once(tmp_path: Path) -> None:
    """The notebook has no outputs; one that somebody works in is not overwritten."""
    lesson = find("1")
    path = write(lesson, tmp_path / "new folder")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert len(notebook(lesson).cells) == len(cells)
    assert all(cell.get("outputs", []) == [] for cell in cells)
    path.write_text("mine")
    assert path == write(lesson, path.parent)
    assert "mine" == path.read_text()


def test_directives_become_plain() -> None:
    """What notebook programs do not know is said in what they do."""
    text = ":::{admonition} Predict\n:class: tip\nHow long?\n\nAnd why?\n:::\n\nMore.\n"
    assert "> **Predict.**\n>\n> How long?\n>\n> And why?\n\nMore.\n" == plain(text)
    folded = plain(":::{dropdown} Solution\n```python\n1 + 1\n```\nTwo.\n:::")
    assert folded.startswith("<details><summary>Solution</summary>\n\n```python\n1 + 1")
    assert not any(":::" in cell.source for cell in notebook(find("1")).cells)
