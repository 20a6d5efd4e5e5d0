"""``python tools/version.py [vX.Y.Z]``: do all files name the same version, and the tag too?

Exit code 2 with one line for each file that differs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "pyproject.toml": r'^version = "(.+)"',
    "labs/pyproject.toml": r'^version = "(.+)"|locklab\[grade\]==([\d.]+)',
    "CITATION.cff": r"^version: (.+)",
    "CHANGELOG.md": r"\A(?:.*\n)*?## (\d\S*)",
}
"""Where a version stands; of the changelog the first heading."""
UNRELEASED = ("CHANGELOG.md", "docs/start/install.md")
"""Pages that must not say "not released yet" where there is a tag."""


def main(arguments: Sequence[str]) -> int:
    """Compare, and print what differs."""
    found = {
        (name, version)
        for name, pattern in PLACES.items()
        for groups in re.findall(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)
        for version in ([groups] if isinstance(groups, str) else filter(None, groups))
    }
    (wanted,) = {version for name, version in found if name == "pyproject.toml"}
    tags = [tag for tag in arguments if tag != f"v{wanted}"]
    wrong = [f"{name}: {version}, not {wanted}" for name, version in found if version != wanted]
    wrong += [f"{name}: no version" for name in PLACES if name not in {one for one, _ in found}]
    wrong += [f"the tag is {tag}, and pyproject.toml says {wanted}: tag v{wanted}" for tag in tags]
    wrong += [
        f"{name} says 'not released yet'"
        for name in UNRELEASED
        if arguments and "not released yet" in (ROOT / name).read_text("utf-8")
    ]
    print(*(sorted(wrong) or [wanted]), sep="\n")
    return 2 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
