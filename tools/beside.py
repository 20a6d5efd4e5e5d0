"""Make the environment of a product that ours is measured beside; print its Python.

    .venv/bin/python tools/beside.py NAME [--folder build/beside]

NAME is a file of ``requirements/beside``. The environment is made anew when that file changes, from
wheels where there are, with the hashes that stand there.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Make the environment unless it is there; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    known = sorted(path.stem for path in (ROOT / "requirements" / "beside").glob("*.txt"))
    parser.add_argument("name", choices=known)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "beside")
    options = parser.parse_args()
    wanted = ROOT / "requirements" / "beside" / f"{options.name}.txt"
    home, text = (options.folder / options.name).resolve(), wanted.read_text(encoding="utf-8")
    stamp, python = home / ".stamp", home / "bin" / "python"
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == text):
        shutil.rmtree(home, ignore_errors=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for command in (
            [sys.executable, "-m", "venv", str(home)],
            [*install, "--prefer-binary", "--require-hashes", "-r", str(wanted)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                reason = done.stderr.strip()[-2000:]
                print(f"error: {options.name} cannot be installed:\n{reason}", file=sys.stderr)
                return 2
        stamp.write_text(text, encoding="utf-8")
    print(python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
