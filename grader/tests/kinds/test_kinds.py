"""The folder is the list of kinds, and no other module asks a check for its kind."""

import ast
import importlib
import pkgutil
from pathlib import Path

import lockgrader
from lockgrader import kinds

ROOT = Path(lockgrader.__file__).parent


def imports(path: Path) -> list[str]:
    """The modules that a file imports when it runs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typed = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if node in typed:
            continue
        if isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{name.name}" for name in node.names]
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
    return found


def test_each_file_is_one_kind() -> None:
    """A file without a kind, or with two, would be lost or named twice."""
    files = [f"{kinds.__name__}.{file.name}" for file in pkgutil.iter_modules(kinds.__path__)]
    assert files == [kind.__module__ for kind in kinds.all_kinds()]
    assert 18 <= len(files)
    for kind in kinds.all_kinds():
        assert kind.decide.__module__ == kind.__module__
        assert importlib.import_module(kind.__module__).__all__


def test_no_other_module_knows_a_kind() -> None:
    """Whoever imports no kind cannot ask a check whether it is one: what differs is a method."""
    outside = [p for p in ROOT.rglob("*.py") if p.parent != ROOT / "kinds"]
    assert 100 < len(outside)
    known = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in outside
        for name in imports(path)
        if name.startswith("lockgrader.kinds.")
    }
    assert set() == known
