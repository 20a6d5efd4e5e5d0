"""The C compiler, and where the C sources and the built libraries of this package are.

The explorer compiles a student's file, the sanitizers and the emitter every lock that they check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from locknative.errors import NativeError
from lockui import files, installation

__all__ = ["CompileError", "compile_c", "compiler", "find_built", "is_gcc", "sources", "tool"]


class CompileError(NativeError):
    """A C file that does not compile; the message is the compiler's."""


@cache
def sources() -> Path:
    """Return the folder that holds ``include``, ``kernels``, ``harness`` and ``explorer``."""
    folder = files.home() / "native"
    if (folder / "include/locklab/arch.h").is_file():
        return folder
    raise NativeError(f"the C sources are not in {folder}: install LockLab again")


def find_built(name: str) -> Path:
    """Return a file that the build has installed, such as a library.

    Raises:
        NativeError: it was not built.
    """
    # An editable install keeps what was built away from the sources: the package has two folders.
    package = find_spec("locknative")
    for folder in (package and package.submodule_search_locations) or ():
        if (path := Path(folder) / name).is_file():
            return path
    raise NativeError(
        f"{name} is not built; it needs Linux on x86-64 or aarch64, and a C compiler\n"
        f"help: {installation.again(build=True)}"
    )


@cache
def compiler() -> str:
    """Return the C compiler: ``$CC``, or the first of cc, gcc and clang.

    Raises:
        NativeError: there is none.
    """
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        if name and (path := shutil.which(name)):
            return path
    raise NativeError("there is no C compiler (cc, gcc or clang): install gcc, or set CC")


@cache
def is_gcc() -> bool:
    """Return whether the C compiler is gcc, and not clang."""
    return "__clang__" not in compile_c(["-dM", "-E", "-x", "c", os.devnull], "nothing")


def tool(name: str) -> str:
    """Return the path of a tool of the binutils.

    Raises:
        NativeError: it is not installed.
    """
    if path := shutil.which(name):
        return path
    raise NativeError(f"there is no '{name}': install the binutils, which come with gcc")


def compile_c(arguments: Sequence[str | Path], what: str) -> str:
    """Run the compiler and return its output.

    Args:
        arguments: for it.
        what: the thing to compile, for the message.

    Raises:
        CompileError: it does not compile.
    """
    return run([compiler(), *arguments], what)


def run(command: Iterable[str | Path], what: str) -> str:
    """Run a tool and return its output on both streams.

    Raises:
        CompileError: it fails.
    """
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise CompileError(f"{what} does not compile:\n{done.stdout.strip()}")
    return done.stdout
