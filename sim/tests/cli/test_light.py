"""Commands import only what they use; asserted on modules, since times depend on the machine."""

import json
import subprocess
import sys

PROGRAM = """
import contextlib, io, json, sys
import locklab

found = []
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()):
        locklab.main(arguments)
    found.append(sorted({name.partition(".")[0] for name in sys.modules}))
    found[-1] += [name for name in sys.modules if name.startswith("locksim.")]
print(json.dumps(found))
"""


def loaded(*commands: list[str]) -> list[set[str]]:
    """Run commands in one new interpreter; the modules that are loaded after each."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [set(modules) for modules in json.loads(done.stdout)]


def test_commands_import_what_they_use() -> None:
    """The help imports no package, a list no checker and no array, a small run no compiler."""
    overview, listed, checked, ran = loaded(
        ["--help"],
        ["lock", "list"],
        ["check", "tas", "--threads", "2"],
        ["run", "tas", "--cpus", "2", "--operations", "9"],
    )
    assert set() == overview & {"locksim", "lockui", "typer", "rich", "numpy", "tomlkit"}
    assert set() == listed & {"locksim.checker", "locksim.compiler", "locksim.machine", "numpy"}
    heavy = {"numba", "pandas", "scipy", "matplotlib", "pyarrow", "sqlalchemy", "simpy", "tomlkit"}
    assert set() == checked & (heavy | {"locksim.engine"})
    assert set() == ran & heavy
