"""The lessons: found, converted, and run from top to bottom in a kernel of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from locklessons.notebooks import (
    FOLDER,
    Lesson,
    LessonError,
    find,
    lessons,
    notebook,
    plain,
    run,
    write,
)


def test_they_are_found() -> None:
    """By number, name and file name, in their order; titles are the first headings."""
    found = lessons()
    assert sorted(lesson.number for lesson in found) == [lesson.number for lesson in found]
    assert find("8") == find("rcu") == find("08-rcu")
    assert "8 · RCU: reading without writing" == find("8").title


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_the_first_page_names_it(lesson: Lesson) -> None:
    """In the list of pages, and in the table, with the reading time that the lesson promises."""
    contents = (FOLDER / "site" / "pages" / "index.md").read_text("utf-8")
    minutes = re.search(r"Reading\s+takes\s+(\d+)\s+minutes", lesson.file.read_text("utf-8"))
    assert minutes is not None
    assert f"\nlessons/{lesson.file.stem}\n" in contents
    row = rf"\| \[{lesson.number} · [^]]+\]\(lessons/{lesson.file.name}\) \| [^|]+\? \| (\d+) \|"
    assert [minutes[1]] == re.findall(row, contents)


def test_unknown_lesson() -> None:
    """The message names those that there are."""
    with pytest.raises(LessonError, match=r"unknown lesson '99'; known: 1 \(why-locks-collapse\)"):
        find("99")


def each(*, quick: tuple[int, ...]) -> list[ParameterSet]:
    """All lessons; those that are not among the quick ones run in ``make slow``."""
    return [
        pytest.param(
            lesson,
            id=lesson.name,
            marks=() if lesson.number in quick else pytest.mark.slow,
        )
        for lesson in lessons()
    ]


@pytest.mark.covering("lesson", every=3)
@pytest.mark.parametrize("lesson", each(quick=(1, 8)))
def test_runs(lesson: Lesson) -> None:
    """Every cell runs; every figure has caption and words; a diagram, sliders, predictions."""
    done = run(lesson)
    shown = [
        output.data.get("text/html", "")
        for cell in done.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type in ("display_data", "execute_result")
    ]
    figures = [text for text in shown if "<figcaption" in text and "<svg" in text]
    assert len(figures) >= 3
    for text in figures:
        alt = re.search(r'role="img" aria-label="([^"]+)"', text)
        assert alt is not None
        assert len(alt[1]) > 60
    drawn = [text for text in figures if "<table" not in text]
    assert len(drawn) >= 1
    assert len(figures) - len(drawn) >= 2
    assert any("has a slider" in text for text in figures)
    assert sum("<strong>Predict.</strong>" in text for text in shown) >= 2


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_form(lesson: Lesson) -> None:
    """All that a reader may rely on."""
    check_form(lesson)


def check_form(lesson: Lesson) -> None:
    """Goals, times, predictions, folded plots, quizzes, exercises, the lab, sources."""
    text = lesson.file.read_text("utf-8")
    assert "**After this lesson you can**" in text
    assert re.search(r"Reading\s+takes\s+\d+\s+minutes,\s+all\s+cells\s+together\s+run\s+in", text)
    names = re.findall(r'= predict\(\s*"(\d+)/', text)
    assert len(names) >= 2
    assert {str(lesson.number)} == {*names}
    asked = re.findall(r"(\w+) = predict\(", text)
    assert [] == [variable for variable in asked if not re.search(rf"[{{ ]{variable}: ", text)]
    assert text.index("predict(") < text.index("## Explain")
    assert 3 <= text.count(":::{dropdown} Quick quiz: ") <= 5
    assert 3 == text.count(":::{dropdown} Solution")
    assert re.search(r"^(?:pose|exercise)\(", text, re.M)
    visible = re.findall(r"^```\{code-cell\} python\n(?!:tags:)(.*?)^```$", text, re.M | re.S)
    assert [] == re.findall(r"\b(?:bars|curves|explore|reveal)\(", "".join(visible))
    assert "## Where to read on" in text
    assert re.search(r"Go on\*\* with (lab \d\d|lesson \d+)", text)


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


def test_terms_lead_to_the_glossary_beside_it(tmp_path: Path) -> None:
    """A notebook links to no file of the repository; its terms are cells of the glossary's."""
    for lesson in lessons():
        write(lesson, tmp_path)
    cells = json.loads((tmp_path / "glossary.ipynb").read_text("utf-8"))["cells"]
    linked = {
        target
        for path in tmp_path.glob("*.ipynb")
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "markdown"
        for target in re.findall(r"\]\(([^)\s]+)\)", "".join(cell["source"]))
        if "//" not in target
    }
    assert len(linked) > 60
    assert set() == linked - {f"glossary.ipynb#cell-id={cell['id']}" for cell in cells}


def test_hidden_cells_are_folded() -> None:
    """JupyterLab shows no source of a cell that the site does not show."""
    cells = [cell for lesson in lessons() for cell in notebook(lesson).cells]
    hidden = [
        cell for cell in cells if {"hide-input", "remove-input"} & {*cell.metadata.get("tags", ())}
    ]
    folded = [cell for cell in cells if cell.metadata.get("jupyter", {}).get("source_hidden")]
    assert len(lessons()) < len(hidden)
    assert hidden == folded


def test_directives_become_plain() -> None:
    """What notebook programs do not know is said in what they do."""
    text = ":::{admonition} Predict\n:class: tip\nHow long?\n\nAnd why?\n:::\n\nMore.\n"
    assert "> **Predict.**\n>\n> How long?\n>\n> And why?\n\nMore.\n" == plain(text)
    folded = plain(":::{dropdown} Solution\n```python\n1 + 1\n```\nTwo.\n:::")
    assert folded.startswith("<details><summary>Solution</summary>\n\n```python\n1 + 1")
    assert not any(":::" in cell.source for cell in notebook(find("1")).cells)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_cells_parse_and_links_resolve(lesson: Lesson) -> None:
    """Every cell is Python, every file that is linked to is there; nothing is run."""
    for cell in notebook(lesson).cells:
        if cell.cell_type == "code":
            compile(cell.source, lesson.file.name, "exec")
    targets = re.findall(r"\]\(([^)#\s]+)", lesson.file.read_text("utf-8"))
    assert [] == [t for t in targets if "//" not in t and not (FOLDER / t).exists()]
