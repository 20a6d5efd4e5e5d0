"""Sphinx configuration of the site; every lesson is run, without a network."""

import os
import re
import textwrap
import tomllib
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from docutils import nodes
from locklessons.figures import EVERY
from locklessons.notebooks import BESIDE, lessons, write
from sphinx.application import Sphinx

from lockdata import load
from lockui.plots import Axis, Curves, Line, Plot, Point, save

_URLS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"][
    "urls"
]

CARD = "card.png"
"""The picture beside a link to the site."""

project = "LockLab"
author = "The LockLab authors"
project_copyright = "The LockLab authors, MIT licence"
extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # a handout's JSON has words for what is missing
os.environ[EVERY] = "1"
nb_execution_mode = "force"
# A guard against a cell that hangs; how long a lesson may take is another test's business.
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_output_stderr = "remove"  # "compiling …" is of this build, not of the lesson
# A plot with sliders has two forms; a page without a kernel shows the static one.
nb_mime_priority_overrides = [("html", "text/html", 1)]
# No script from another site.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "exclude-members": "model_config",
}
autodoc_typehints = "none"
python_use_unqualified_type_names = True

html_theme = "sphinx_book_theme"
html_title = "LockLab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js", "lessons.js"]
html_favicon = "_static/icon.svg"
html_copy_source = False
html_baseurl = _URLS.get("Homepage", "")
html_show_sourcelink = False
html_theme_options = {
    "use_download_button": False,
    "repository_url": _URLS.get("Repository", ""),
    "use_repository_button": "Repository" in _URLS,
    "show_toc_level": 2,
    "show_navbar_depth": 1,
    "search_as_you_type": False,
    "navbar_persistent": [],  # the sidebar has the search
}
html_context = {"default_mode": "auto"}


def as_restructured_text(
    app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]
) -> None:
    """Mark the indented examples of a docstring as code, before Sphinx reads it."""
    section = re.compile(r"(Arguments|Returns|Raises|Yields|Attributes):$")
    marked: list[str] = []
    for before, line in zip(["", "", *lines], lines, strict=False):
        began = line.startswith("    ") and bool(marked) and not marked[-1].strip()
        text = before.strip() and not before.startswith(" ") and not before.endswith("::")
        if began and text and not section.match(before):
            marked += ["::", ""]
        marked.append(line)
    lines[:] = marked


def describe(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the description and the card that searches and messengers show for a link to a page."""
    first = None if doctree is None else next(doctree.findall(nodes.paragraph), None)
    if first is None:
        return
    text = textwrap.shorten(first.astext(), 200, placeholder=" …")
    picture = urljoin(html_baseurl, CARD) if html_baseurl else context["pathto"](CARD, 1)
    card = {"title": re.sub("<[^>]+>", "", context["title"]), "description": text}
    card |= {"image": picture, "type": "website", "site_name": project}
    metas = {"name": {"description": text}, "property": {f"og:{k}": v for k, v in card.items()}}
    for kind, values in metas.items():
        for key, value in values.items():
            context["metatags"] += f'<meta {kind}="{key}" content="{escape(value)}">\n'


def add_files(app: Sphinx, error: Exception | None) -> None:
    """Write the card's picture, and the notebooks that the lessons' pages offer."""
    if error is not None:
        return
    out = Path(app.outdir)
    save(collapse(), out / CARD)
    for old in [*out.glob("lessons/[0-9]*.ipynb"), out / "lessons" / BESIDE]:
        old.unlink(missing_ok=True)
    for lesson in lessons():
        write(lesson, out / "lessons")


def collapse() -> Plot:
    """Return the plot of the card: three locks, as measured in 2004."""
    names = {"rcu": "RCU", "rwlock": "reader-writer lock", "spinlock": "spinlock"}
    wall = load("kaigai-2004/rcutest").query("measure == 'wall' and value == value")
    lines = [
        Line(name, [Point(row.cpus, 5 * row.cpus / row.value) for row in rows.itertuples()])
        for kernel, name in names.items()
        for rows in [wall[wall.kernel == kernel]]
    ]
    axes = Axis("CPUs", True), Axis("million writes per second, whole machine", True)
    title = "LockLab: why more CPUs can do less work"
    return Plot(title, [Curves(lines, *axes)], "One kernel, three locks, measured in 2004.")


def setup(app: Sphinx) -> None:
    """Read docstrings as they are written, describe pages, and add the files that they offer."""
    app.connect("autodoc-process-docstring", as_restructured_text, priority=100)
    app.connect("html-page-context", describe)
    app.connect("build-finished", add_files)
