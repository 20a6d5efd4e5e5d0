"""One HTML file with the player and its data, which needs no network."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from locksim.study.traces.bundle import script, style

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
  script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}
html {{ color-scheme: light dark; }}
body {{ margin: 0; }}
#player > .locklab {{ max-width: 1400px; margin: 0 auto; border: 0; border-radius: 0; }}
body:has(#player > .locklab[data-theme="dark"]) {{ background: #15191f; }}
h1 {{ position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }}
</style>
</head>
<body>
<main><h1>{title}</h1><div id="player"></div></main>
<noscript>This page needs JavaScript; it loads nothing from the network.</noscript>
<script id="data" type="application/json">{data}</script>
<script type="module">
{script}
const player = document.getElementById("player");
mount(player, JSON.parse(document.getElementById("data").textContent));
// Its keys work before the first click; a page inside a lesson leaves the lesson's keys alone.
if (self === top) player.firstElementChild.focus({{ preventScroll: true }});
</script>
</body>
</html>
"""


def page(path: Path, data: dict[str, Any]) -> Path:
    """Write a page that plays some data.

    Arguments:
        path: the file. data: with a ``kind`` that the player knows (see ``static/player.js``).

    Raises:
        OSError: the file cannot be written.
    """
    path.write_text(document(data), encoding="utf-8")
    return path


def document(data: dict[str, Any]) -> str:
    """The text of that page."""
    return _PAGE.format(
        title=html.escape(str(data["title"])), style=style(), script=script(), data=embedded(data)
    )


def embedded(data: dict[str, Any]) -> str:
    """Data as the content of a script element; no text in it can end the element."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
