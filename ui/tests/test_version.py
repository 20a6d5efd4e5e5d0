"""Every file that names LockLab's version names the same one, and a tag must, too."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("tag", "code"), [("", 0), ("v999.0.0", 2)])
def test_the_files_and_the_tag_agree(tag: str, code: int) -> None:
    """Without a tag the files are compared with one another."""
    command = [sys.executable, str(ROOT / "tools/version.py"), *([tag] if tag else [])]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert code == found.returncode, found.stdout
