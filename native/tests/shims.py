"""C headers for ctypes: a shim is compiled round them, strictly, and loaded."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

NATIVE = Path(__file__).parents[1]


def load(folder: Path, shim: str, defines: Sequence[str] = (), urcu: bool = False) -> ctypes.CDLL:
    """Compile ``SHIM_shim.c`` in ``folder`` and return it as a library."""
    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler 'cc' found: install gcc"
    library = folder / f"{shim}{abs(hash(tuple(defines)))}.so"
    strict = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    done = subprocess.run(
        [
            *(compiler, *strict, "-shared", "-fPIC", "-I", NATIVE / "include"),
            *(f"-D{define}" for define in defines),
            *(NATIVE / f"tests/{shim}_shim.c", "-o", library, "-lpthread"),
            *(["-lurcu-memb"] if urcu else []),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    return ctypes.CDLL(str(library))
