"""The system's Chromium, headless, for tests that look at pages."""

from __future__ import annotations

import os
import shutil
from typing import Any

CHROMIUM = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)


def launch(driver: Any) -> Any:
    """Start it; root can not have its sandbox."""
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    return driver.chromium.launch(executable_path=CHROMIUM, args=options)
