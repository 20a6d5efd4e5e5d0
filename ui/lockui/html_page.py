"""What all our HTML pages share: one frame and style, texts escaped, mistakes in templates told.

A template extends ``page.html.j2``, which has both colour schemes and the style of tables.
"""

from __future__ import annotations

import functools

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

__all__ = ["environment"]


@functools.cache
def environment(*packages: str) -> Environment:
    """Where pages' templates come from.

    Args:
        packages: with a folder ``templates`` each, which is looked into before ours.
    """
    return Environment(
        loader=ChoiceLoader([PackageLoader(p) for p in (*packages, "lockui")]),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
