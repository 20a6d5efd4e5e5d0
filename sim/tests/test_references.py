"""What docstrings name exists: each ``:mod:`` of every package."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "datasets/lockdata",
    "grader/lockgrader",
    "labs/locklabs",
    "lessons/locklessons",
    "native/locknative",
    "sim/locksim",
    "ui/lockui",
)


def modules() -> dict[str, Path]:
    """Every module of the checkout by its name."""
    found = {}
    for package in map(ROOT.joinpath, PACKAGES):
        for path in package.rglob("*.py"):
            name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def test_modules_that_docstrings_name_exist() -> None:
    """By the whole name, or by one from the package of the module that names it."""
    known = modules()
    missing = []
    for name, path in sorted(known.items()):
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for named in re.findall(r":mod:`~?([^`]+)`", path.read_text(encoding="utf-8")):
            if not {named, f"{package}.{named.lstrip('.')}"} & {*known}:
                missing.append(f"{path.relative_to(ROOT)}: {named}")
    assert [] == missing
