"""The player's JavaScript as one module, and its style.

The sources in ``static/`` are plain ES modules that import one another. A notebook widget and a
page without a server need one module. So the sources are joined, without their import lines and
without the word ``export``. Nothing else is changed, and each file also works alone.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
MODULES = ("dom", "replay", "timeline", "trace_view", "steps_view", "moves", "game_view", "player")
"""The modules in the order of their dependencies."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


@functools.cache
def script() -> str:
    """The module: it exports ``default {render}`` and has a function ``mount(element, data)``."""
    parts = []
    for name in MODULES:
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        parts.append(f"// {name}.js\n" + _EXPORT.sub("", _IMPORT.sub("", text)))
    return "\n".join(parts)


@functools.cache
def style() -> str:
    """The style sheet; everything in it is below ``.locklab``."""
    return (STATIC / "player.css").read_text(encoding="utf-8")
