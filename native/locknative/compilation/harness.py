"""Builds ``locklab-native`` with other kernels: a lock that was changed, or printed as C.

The harness is compiled as it is. A kernel is an adapter (``native/harness/adapter.h``), compiled
once for each loop, each as its own translation unit. CMake does this for the library's kernels
(``native/CMakeLists.txt``); this module does it for a few, in a folder, with the compiler alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from locknative.compilation import toolchain

__all__ = ["Harness"]

COMMON = ("main.c", "run.c", "clock.c", "disturb.c")
WAITS = {
    "validate": ("-DLOCKLAB_POLITE", "-UNDEBUG"),
    "throughput": (),
    "latency": ("-DLOCKLAB_COUNT_WAITS",),
    "torture": ("-DLOCKLAB_ROUGH", "-UNDEBUG"),
}
"""How threads wait in a loop (``native/harness/pause.h``), and whether assertions are checked."""

BUILD_INFO = """\
#define LOCKLAB_COMPILER "unknown"
#define LOCKLAB_FLAGS "{flags}"
#define LOCKLAB_URCU_VERSION ""
"""


class Harness:
    """The object files of the harness in a folder, compiled when they are first needed.

    Args:
        folder: where to build; it must exist.
        flags: for every file and for the linker.
    """

    def __init__(self, folder: Path, flags: Sequence[str] = ()) -> None:
        self._folder, self._flags = folder, [*flags]
        self._objects: list[Path] = []

    def program(
        self,
        kernels: Mapping[str, Path],
        loops: Sequence[str],
        includes: Sequence[str | Path] = (),
        options: Sequence[str] = (),
    ) -> Path:
        """Return an executable with the kernels.

        Args:
            kernels: the files of the adapters, by the names that they define.
            loops: of each kernel: validate, throughput, latency, torture.
            includes: folders that are searched before the library's own.
            options: for the compiler, for the kernels only.

        Raises:
            NativeError: there is no compiler, or a kernel does not compile.
        """
        folder, root = self._folder, toolchain.sources()
        if not self._objects:
            (folder / "build_info.h").write_text(BUILD_INFO.format(flags=" ".join(self._flags)))
            self._objects = [
                self._compile(root / "harness" / name, folder / name, []) for name in COMMON
            ]
        pairs = [(loop, name) for name in kernels for loop in loops]
        (folder / "loops.def").write_text("".join(f"LOOP({loop}, {n})\n" for loop, n in pairs))
        (folder / "kernels.def").write_text("".join(_row(name, loops) for name in kernels))
        named = [*(f"-I{include}" for include in includes), *options]
        made = [
            self._compile(
                kernels[name],
                folder / f"{loop}_{name}.c",
                [f'-DLOCKLAB_LOOP="harness/{loop}.h"', *WAITS[loop], *named],
            )
            for loop, name in pairs
        ]
        table = self._compile(root / "harness/table.c", folder / "table.c", [])
        program = folder / "program"
        arguments: list[str | Path] = [
            *self._flags,
            "-pthread",
            "-o",
            program,
            *self._objects,
            table,
            *made,
        ]
        toolchain.compile_c(arguments, ", ".join(kernels))
        return program

    def _compile(self, source: Path, name: Path, options: Sequence[str]) -> Path:
        made, root = name.with_suffix(".o"), toolchain.sources()
        # Folders in the options come first, since they may hold another version of a header.
        options = ["-pthread", *self._flags, *options]
        folders = [f"-I{folder}" for folder in (root, root / "include", self._folder)]
        standard = ["-std=gnu11", "-O2", "-fno-lto"]
        toolchain.compile_c([*standard, *options, *folders, "-c", source, "-o", made], str(source))
        return made


def _row(name: str, loops: Sequence[str]) -> str:
    table = ", ".join(f"[LOCKLAB_{loop.upper()}] = &locklab_{loop}_{name}" for loop in loops)
    return f"KERNEL({name}, LOCKLAB_LOCK, {table})\n"
