"""Machine code that is kept on disk belongs to the sources of today."""

import ast
from pathlib import Path

import pytest

import locksim
from locksim.checker.search import compiled

PACKAGE = Path(locksim.__file__).parent


def imported(source):
    """The files of the package that a file takes names from."""
    tree = ast.parse((PACKAGE / source).read_text(encoding="utf-8"))
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("locksim."):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            paths = [m.removeprefix("locksim.").replace(".", "/") + ".py" for m in inner]
            found = [p for p in paths if (PACKAGE / p).is_file()]
            outer = node.module.removeprefix("locksim.").replace(".", "/") + ".py"
            modules |= set(found) or {outer}
    return modules


COMPILED = [
    source
    for source in compiled.SOURCES
    if source.startswith(("checker/", "lang/randomness"))
    and not source.endswith(("compiled.py", "layout.py"))
]


@pytest.mark.parametrize("name", COMPILED)
def test_every_source_is_in_the_digest(name):
    """What a compiled file takes from other files counts too."""
    assert imported(name) | {name} <= set(compiled.SOURCES)
