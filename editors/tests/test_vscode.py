"""The extension for VS Code: its own tests in Node, and its whole way in an editor in a browser."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from study.traces.chromium import CHROMIUM, launch

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
PACKED = ROOT / "out" / "vscode" / "locklab.vsix"
NODE, SERVER = shutil.which("node"), shutil.which("code-server")
GUARD_MS = 120_000

BROKEN = """from locksim.lang import *

class Broken(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.load()):
            yield pause()
        yield self.held.store(1)

    def release(self):
        yield self.held.store(0)
"""


@pytest.mark.skipif(NODE is None, reason="no Node on this machine")
def test_parts_that_do_not_know_the_editor():
    """Node's own test runner passes."""
    files = [str(file) for file in sorted((EXTENSION / "tests").glob("*.test.js"))]
    done = subprocess.run([str(NODE), "--test", *files], capture_output=True, text=True)
    assert 0 == done.returncode, done.stdout


def test_every_button_and_setting_is_declared():
    """The commands that the code registers are those of the manifest; so are the settings."""
    manifest = json.loads((EXTENSION / "package.json").read_text())
    source = (EXTENSION / "src" / "extension.js").read_text()
    declared = manifest["contributes"]
    for command in declared["commands"]:
        assert f'"{command["command"]}": (' in source
    for setting in declared["configuration"]["properties"]:
        assert f'get("{setting.removeprefix("locklab.")}")' in source


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """VS Code as a server (code-server) with the packed extension and a folder with a lock."""
    if CHROMIUM is None or SERVER is None or not PACKED.exists():
        pytest.skip("needs Chromium, code-server, and the extension (make vscode)")
    home = tmp_path_factory.mktemp("editor")
    folder = home / "my locks"
    (home / "data" / "User").mkdir(parents=True)
    folder.mkdir()
    (folder / "broken.py").write_text(BROKEN)
    settings = {
        "locklab.command": str(Path(sys.executable).with_name("locklab")),
        "security.workspace.trust.enabled": False,
        "workbench.startupEditor": "none",
    }
    (home / "data" / "User" / "settings.json").write_text(json.dumps(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ["--user-data-dir", str(home / "data"), "--extensions-dir", str(home / "extensions")]
    subprocess.run([str(SERVER), *where, "--install-extension", str(PACKED)], check=True)
    quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check"]
    command = [str(SERVER), *where, *quiet, "--bind-addr", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as serving:
        url = f"http://127.0.0.1:{port}/"
        for _ in range(600):
            try:
                urllib.request.urlopen(url + "healthz").close()
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        yield f"{url}?folder={folder}", folder
        serving.terminate()


@pytest.mark.slow
def test_lock_in_an_editor(editor: tuple[str, Path]) -> None:
    """Prove underlines the counterexample, a mistake moves to its place, a page opens and plays."""
    url, folder = editor
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as driver:
        page: Any = launch(driver).new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(GUARD_MS)
        page.goto(url)
        page.get_by_role("treeitem", name="broken.py").dblclick()
        page.get_by_role("button", name="Prove").click()
        page.locator(".squiggly-error").first.wait_for()
        page.keyboard.press("Control+Shift+M")
        problems = page.locator(".markers-panel")
        problems.get_by_text("two threads hold the lock").first.wait_for()
        problems.get_by_text("step 1, thread 0").first.wait_for()
        page.get_by_role("button", name="You schedule").click()
        inside = page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")
        inside.get_by_role("button", name="thread 0").first.click()
        page.screenshot(path=str(folder.parent / "editor.png"))
        (folder / "broken.py").write_text(BROKEN.replace("yield pause()", "print()"))
        page.get_by_role("button", name="Prove").click()
        problems.get_by_text("'print()' is Python").first.wait_for()
