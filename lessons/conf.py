"""Sphinx configuration of the lessons' site; every lesson is run, without a network."""

from sphinx.application import Sphinx

project = "LockLab"
author = "The LockLab authors"
project_copyright = "The LockLab authors, MIT licence"
extensions = ["myst_nb", "sphinx_design"]
exclude_patterns = ["README.md", "tests", "locklessons", "lessons-notebooks"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 2
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
# A plot with sliders has two forms; a page without a kernel shows the static one.
nb_mime_priority_overrides = [("html", "text/html", 1)]
# No script from another site.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

html_theme = "sphinx_book_theme"
html_title = "LockLab"
html_static_path = ["_static"]
html_css_files = ["lessons.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"use_download_button": False, "show_toc_level": 2}


def setup(app: Sphinx) -> None:
    """Make links to the glossary lead to its page on the site."""

    def here(app: Sphinx, page: str, source: list[str]) -> None:
        source[0] = source[0].replace("](../docs/GLOSSARY.md", "](glossary.md")

    app.connect("source-read", here)
