"""Sphinx configuration of the site; every lesson is run, without a network."""

import re
from typing import Any

from sphinx.application import Sphinx

project = "LockLab"
author = "The LockLab authors"
project_copyright = "The LockLab authors, MIT licence"
extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
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
html_js_files = ["site.js"]
html_favicon = "_static/icon.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "use_download_button": False,
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


def setup(app: Sphinx) -> None:
    """Read docstrings as they are written."""
    app.connect("autodoc-process-docstring", as_restructured_text, priority=100)
