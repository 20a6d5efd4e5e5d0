"""The common frame and style of all HTML pages.

A template extends ``page.html.j2``, which has both colour schemes and the table style. Texts are
escaped, and an undefined name in a template raises an error.
"""

from __future__ import annotations

import functools

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


@functools.cache
def environment(*packages: str) -> Environment:
    """Return the template environment for pages.

    Arguments:
        packages: packages with a folder ``templates``, searched before lockui's own.
    """
    return Environment(
        loader=ChoiceLoader([PackageLoader(p) for p in (*packages, "lockui")]),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
