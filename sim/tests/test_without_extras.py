"""The core does without the modules that only extras bring: what docs/start/install.md promises."""

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

HIDING = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {modules!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
import locklab
sys.exit(locklab.main())
"""
"""The command in a process of its own, in which the modules cannot be found."""


def needed(distribution: str, extra: str = "") -> set[str]:
    """The distributions that one needs by itself, or that one of its extras adds."""
    try:
        lines = requires(distribution) or []
    except PackageNotFoundError:  # of another system
        return set()
    of = {line: re.search(r"extra == .([\w-]+)", line) for line in lines}
    return {
        re.split(r"[^\w.-]", line)[0].lower().replace("_", "-")
        for line, named in of.items()
        if (named[1] if named else "") == extra
    }


def brought_by_extras() -> set[str]:
    """The modules that an extra brings, and that nothing else needs."""
    core, beyond = {"locklab"}, needed("locklab")
    while beyond:
        core |= beyond
        beyond = set().union(*map(needed, beyond)) - core
    extras = {"plot", "native", "notebook", "cluster", "course", "sensitivity", "grade"}
    brought = set().union(*(needed("locklab", extra) for extra in extras)) - core
    return {
        module
        for module, names in packages_distributions().items()
        if brought & {name.lower().replace("_", "-") for name in names}
    }


def locklab(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command without these modules."""
    program = HIDING.format(modules=brought_by_extras())
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_modules_of_extras_are_known() -> None:
    """None of the core's is among them."""
    hidden = brought_by_extras()
    assert {"scipy", "pandas", "pyarrow", "matplotlib", "elftools", "sqlalchemy"} <= hidden
    assert not {"numpy", "numba", "simpy", "typer", "rich", "pydantic", "jinja2"} & hidden


@pytest.mark.parametrize(
    "command",
    [
        "sweep ticket --machine ideal-4 --cpus 1,2",
        "run ticket --machine ideal-4 --sensitivity --report lockmeter",
    ],
)
def test_commands_of_the_core(command: str, tmp_path: Path) -> None:
    """Write, check and simulate locks."""
    done = locklab(tmp_path, *command.split())
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.covering("command", every=2)
@pytest.mark.parametrize(
    ("command", "module", "extra"),
    [
        ("sweep ticket --out curve.csv", "pandas", "plot"),
        ("sweep ticket --out curve", "pyarrow", "plot"),
        ("paper reproduce kaigai-2004", "pandas", "plot"),
        ("machine calibrate", "scipy", "native"),
        ("native bench ticket --out trials.parquet", "pyarrow", "native"),
    ],
)
def test_a_missing_module_is_named_before_anything_runs(
    command: str, module: str, extra: str, tmp_path: Path
) -> None:
    """With the extra that brings it; nothing was simulated or measured, and nothing is left."""
    done = locklab(tmp_path, *command.split())
    said = f"needs the Python module {module}, which is not installed\nhelp: pip install "
    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.endswith(f"{said}'locklab[{extra}]'\n")
    assert [] == [*tmp_path.iterdir()]
