"""The system's Chromium, headless, for tests that look at pages."""

from __future__ import annotations

import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

CHROMIUM = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)

AXE = Path(__file__).parents[4] / "build/playground/node_modules/axe-core/axe.min.js"
"""axe-core; `make playground` brings it."""


def launch(driver: Any) -> Any:
    """Start it; root can not have its sandbox."""
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    return driver.chromium.launch(executable_path=CHROMIUM, args=options)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A handler that prints nothing."""

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; its address, with a slash at the end."""
    handler = partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()


def violations(page: Any) -> list[str]:
    """What axe-core finds on a page: rule, and first place."""
    page.evaluate(AXE.read_text("utf-8") + ";0")
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


def too_wide(page: Any) -> int:
    """By how many pixels the page is wider than its window."""
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(page.evaluate(wide))
