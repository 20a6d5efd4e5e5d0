"""Gather the site's pages in one folder for Sphinx, and write those that are made from code.

    python lessons/site/stage.py FOLDER

A page keeps its path in the repository, so the links between pages hold as they are, and the
address of a page is the path of its source. The pages in ``pages/`` lie at the top. The index of a
folder of ``docs/`` is a list of pages, and so is the menu below it. A link to a file of the
repository that is not a page becomes its text.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

from locklessons.notebooks import BESIDE
from locklessons.playable import links, playable

from locksim.library.registry import entries
from locksim.play.catalogue import library
from lockui.topics import FOLDERS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OWN = HERE / "pages"
LABS = "labs/lab*/handout.md"
GLOBS = ("lessons/[0-9]*.md", "docs/*/*.md", "sim/locksim/papers/*/*.md", LABS)
INDEXES = tuple(f"docs/{folder}/README.md" for folder in FOLDERS)
MODULES = (
    "locksim",
    "locksim.lang",
    "locksim.checker",
    "locksim.machine",
    "locksim.study.simulation",
    "locksim.study.traces",
    "lockdata",
    "locknative.urcu",
    "locklessons.figures",
    "locklessons.diagrams",
    "locklessons.predictions",
    "locklessons.embeds",
)
"""The modules of the Python reference."""

GALLERY = "gallery.md"
_COMMAND = re.compile(r"^```sh\n(?P<command>locklab .*)\n```\n", re.MULTILINE)
_DRAWN = r"""\g<0>
```{code-cell} python
:tags: [remove-input]
drawn("\g<command>")
```
"""
"""Below each command of the gallery comes its plot."""
_ENTRY = re.compile(r"^- \[[^\]]+\]\((?P<target>[^)#]+\.md)\)", re.MULTILINE)
_HEADING = re.compile(r"^# .*\n", re.MULTILINE)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")


def sources() -> dict[str, Path]:
    """Return the pages written by hand: place on the site → file."""
    found = {path.relative_to(OWN).as_posix(): path for path in OWN.rglob("*.md")}
    for pattern in GLOBS:
        found |= {path.relative_to(ROOT).as_posix(): path for path in ROOT.glob(pattern)}
    return found | {name: ROOT / name for index in INDEXES for name in indexed(index)}


def linked(text: str, name: str, pages: dict[str, str]) -> tuple[str, list[str]]:
    """Return a page whose links lead to pages only, and the images that it shows.

    Arguments:
        text: the page. name: its place. pages: all pages, by place.
    """
    images = []

    def here(found: re.Match[str]) -> str:
        target, _, _ = found["target"].partition("#")
        if not target or ":" in target:
            return found[0]
        place = os.path.normpath(os.path.join(os.path.dirname(name), target))
        if found["image"]:
            images.append(place)
            return found[0]
        return found[0] if place in pages else found["text"]

    return _LINK.sub(here, text), images


def downloads(stem: str) -> str:
    """Return the line of a lesson that offers its notebook, and the glossary's to lie beside it."""
    return (
        f'<p class="downloads"><a href="{stem}.ipynb" download>This lesson as a notebook</a>, '
        f'<a href="{BESIDE}" download>its glossary</a> (for the same folder)</p>\n'
    )


def searchable(text: str, name: str) -> str:
    """Return a page with entries of the index for words that are not in its headings.

    A handout is found by its lab's number, a term of the glossary by "Also called …".
    """
    lab = re.match(r"labs/lab(\d+)", name)
    if lab:
        return _HEADING.sub(rf"\g<0>\n{_entries([f'lab {lab[1]}', f'lab{lab[1]}'])}", text, count=1)
    if not name.endswith("/glossary.md"):
        return text
    terms = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    for i, term in enumerate(terms):
        also = re.search(r"Also called ([^.]+)\.", term)
        if also:
            entries = _entries(re.split(r",\s+(?:or\s+)?", also[1]))
            terms[i] = term.replace("\n", f"\n\n{entries}", 1)
    return "".join(terms)


def _entries(words: list[str]) -> str:
    return "".join(f"```{{index}} !single: {' '.join(word.split())}\n```\n" for word in words)


def indexed(index: str) -> list[str]:
    """Return the places of the pages that an index lists, one at the head of each entry."""
    targets = [found["target"] for found in _ENTRY.finditer((ROOT / index).read_text("utf-8"))]
    return [os.path.normpath(os.path.join(os.path.dirname(index), one)) for one in targets]


def menu(places: list[str]) -> str:
    """Return a list for the side bar, which the page itself does not show."""
    lines = "\n".join(f"/{place.removesuffix('.md')}" for place in places)
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{lines}\n```\n"


def stage(folder: Path) -> None:
    """Write all pages into a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    from_code = dict(made())
    pages = {name: path.read_text("utf-8") for name, path in sources().items()} | from_code
    for name, text in pages.items():
        shown, images = linked(text, name, pages)
        shown = playable(shown, name)
        if name.startswith("lessons/"):
            shown = _HEADING.sub(rf"\g<0>\n{downloads(Path(name).stem)}\n", shown, count=1)
        shown = searchable(_COMMAND.sub(_DRAWN, shown) if name == GALLERY else shown, name)
        if name in INDEXES:
            made_here = [one for one in from_code if os.path.dirname(one) == os.path.dirname(name)]
            shown += menu([*indexed(name), *made_here])
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shown, encoding="utf-8")
        for image in images:
            (folder / image).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / image, folder / image)


def made() -> Iterator[tuple[str, str]]:
    """Yield the pages that are made from code, each with its place."""
    yield "docs/teach/lab-goals.md", run_path(str(ROOT / "tools/lab_goals.py"))["page"]()
    yield from labs()
    yield from commands()
    yield from python()
    yield from formats()
    yield from listing()


def labs() -> Iterator[tuple[str, str]]:
    """Yield the list of the handouts."""
    names = sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.glob(LABS))
    text = (
        "What a student is given; `locklab lab start lab02` brings the files. [What the labs teach]"
        "(docs/teach/lab-goals.md) lists their goals."
    )
    yield "labs.md", _list("Labs", text, names)


def commands() -> Iterator[tuple[str, str]]:
    """Yield a page for each command, and their list."""
    import typer
    from typer.cli import get_docs_for_click
    from typer.main import get_command

    from locklab import commands as known

    names = []
    for name, command in known().items():
        shown: Any = get_command(command.load())  # type: ignore[arg-type]
        text = get_docs_for_click(obj=shown, ctx=typer.Context(shown), name=f"locklab {name}")
        place = f"reference/commands/{name.replace(' ', '-')}"
        yield f"{place}.md", text
        names.append(place)
    yield (
        "reference/commands.md",
        _list("Commands", "One page a command, made from its help.", names),
    )


def python() -> Iterator[tuple[str, str]]:
    """Yield a page for each module of the Python reference, and their list."""
    for name in MODULES:
        # What a package gathers from its modules is its own; what a module imports is not.
        module = importlib.import_module(name)
        gathers = hasattr(module, "__all__") and hasattr(module, "__path__")
        options = ["", "   :imported-members:"][gathers]
        # The top package repeats names of the others.
        options += "\n   :no-index:" if name == "locksim" else ""
        yield (
            f"reference/python/{name}.md",
            f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n{options}\n```\n",
        )
    text = "What a notebook or a program imports. Each page is made from the docstrings."
    yield "reference/python.md", _list("Python", text, [f"reference/python/{n}" for n in MODULES])


def formats() -> Iterator[tuple[str, str]]:
    """Yield the formats of files, from the models that read and write them."""
    from lockgrader.kinds import adapter
    from lockgrader.lab.document import Lab
    from lockgrader.result import Result
    from locksim.machine import Machine

    yield (
        "reference/machine-profile.md",
        "# Machine profiles\n\nA profile is a TOML file; `locklab show machine NAME` prints one "
        "with the source of each value. [How to write one](../docs/use/machines.md)."
        f"\n\n{tables(Machine.model_json_schema(by_alias=True), 'A profile')}",
    )
    yield (
        "reference/lab-format.md",
        "# Labs\n\nA lab's `lab.toml`, and the kinds of `[[check]]`. [Writing a lab]"
        f"(../docs/teach/labs.md) explains them.\n\n{tables(Lab.model_json_schema(), 'A lab')}"
        f"\n{tables(adapter().json_schema(), '')}",
    )
    yield (
        "reference/grading-result.md",
        "# Grading results\n\nThe JSON that `locklab grade --json` prints, and batches write.\n\n"
        f"{tables(Result.model_json_schema(mode='serialization'), 'A result')}",
    )


def listing() -> Iterator[tuple[str, str]]:
    """Yield the list of the library's locks, caches and schedulers."""
    place = "reference/library.md"
    opened = links({name: f"?lock={name}" for name in library()}, place)
    rows = [f"| `{one.name}` | {one.kind} | {one.summary} |\n" for one in entries()]
    yield (
        place,
        "# Locks of the library\n\nWhat `locklab check`, `run` and `sweep` know by name; "
        "`locklab show lock NAME` prints one.\n"
        f"{opened}\n"
        f"| name | kind | description |\n|---|---|---|\n{''.join(rows)}",
    )


def tables(schema: dict[str, Any], title: str) -> str:
    """Return a JSON schema as tables, one for each object in it.

    Arguments:
        schema: as pydantic makes it. title: of the outermost object; empty if there is none.
    """
    parts = [(title, schema)] if title else []
    parts += sorted(schema.get("$defs", {}).items())
    text = ""
    for name, part in parts:
        if "properties" not in part:
            continue
        said = part.get("description", "").partition("\n\n")[0].replace("\n", " ")
        text += f"## {name}\n\n{said}\n\n| key | type | default |\n|---|---|---|\n"
        for key, value in part["properties"].items():
            needed = key in part.get("required", ())
            given = f"`{value['default']!r}`" if "default" in value else "empty"
            default = "needed" if needed else given
            text += f"| `{key}` | {_type(value)} | {default} |\n"
        text += "\n"
    return text


def _type(value: dict[str, Any]) -> str:
    """The type of a value in words."""
    if "$ref" in value:
        return str(value["$ref"].rpartition("/")[2])
    if "enum" in value or "const" in value:
        return " or ".join(f"`{one}`" for one in value.get("enum", [value.get("const")]))
    for way in ("anyOf", "oneOf"):
        if way in value:
            return " or ".join(_type(one) for one in value[way])
    if value.get("type") == "array":
        items = value.get("items") or {}
        return f"list of {_type(items)}" if items else "list"
    if value.get("type") == "object":
        inside = value.get("additionalProperties")
        return f"table of {_type(inside)}" if isinstance(inside, dict) else "table"
    limits = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "pattern": "like"}
    words = [f"{word} `{value[key]}`" for key, word in limits.items() if key in value]
    return " ".join([str(value.get("type", "any")), *words]).replace("|", "\\|")


def _list(title: str, text: str, names: list[str]) -> str:
    lines = "\n".join(f"/{name}" for name in names)
    return f"# {title}\n\n{text}\n\n```{{toctree}}\n:maxdepth: 1\n\n{lines}\n```\n"


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
