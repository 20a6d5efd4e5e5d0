"""Locks from the language on real cores: printed as C, joined to the harness, compiled, cached.

A name is ``FILE.py:CLASS`` (a file is parsed, never run) or ``emitted:NAME`` for a lock of the
library. :mod:`locksim.emit` prints the header; the adapter is written here, from the methods of the
class. Programs are cached below ``$XDG_CACHE_HOME/locklab/native``, in a folder named by a hash of
all their sources.

>>> from locknative.compilation.emitted import compile_locks
>>> compile_locks(["emitted:ticket"], threads=2)["emitted:ticket"].kernel  # doctest: +SKIP
'emitted_0_ticket_lock'
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from locknative.compilation import executable, toolchain
from locknative.compilation.harness import Harness
from locknative.errors import NativeError
from locksim.compiler.ir import ClassCode
from locksim.emit import Emitted, Function, emit
from locksim.lang.struct import CountedRef
from locksim.library.registry import resolve

__all__ = ["PREFIX", "CompiledLock", "adapter", "compile_locks", "is_emitted", "write"]

PREFIX = "emitted:"
LOOPS = ("validate", "throughput", "latency", "torture")
DEFAULT_TURN_NS = 0.33


@dataclass(frozen=True)
class CompiledLock:
    """A compiled lock.

    Attributes:
        name: as the user wrote it. kind, loops, has_read: as :func:`locknative.kernels` has them.
        program: an executable that knows the lock as ``kernel``.
    """

    name: str
    kernel: str
    program: Path
    has_read: bool
    kind: str = "lock"
    loops: tuple[str, ...] = LOOPS


def is_emitted(name: str) -> bool:
    """Whether a name stands for a lock in the language, not for a kernel in C."""
    return name.startswith(PREFIX) or name.partition(":")[0].endswith(".py")


def compile_locks(
    names: Sequence[str],
    threads: int = 1,
    turn_ns: float = DEFAULT_TURN_NS,
    loops: Sequence[str] = LOOPS,
) -> dict[str, CompiledLock]:
    """Compile locks into one program, or find it in the cache.

    Args:
        names: ``FILE.py:CLASS`` or ``emitted:NAME``.
        threads: the largest number of threads.
        turn_ns: time of one iteration of private work, of which ``compute()`` is made.
        loops: those of the harness that are needed.

    Raises:
        NativeError: there is no compiler, or the harness cannot call a lock's methods.
        UnknownNameError, CompileError, EmitError: there is no such lock, or none for C.
    """
    if not names:
        return {}
    sources: dict[str, tuple[str, str, str]] = {}
    kernels: dict[str, tuple[str, bool]] = {}
    for number, name in enumerate(dict.fromkeys(names)):
        code, made = _emitted(name)
        kernel = f"emitted_{number}_{made.struct.removeprefix('struct ')}"
        text, has_read = adapter(code, made, kernel, f"{kernel}.h")
        sources[kernel] = (kernel, text, made.text)
        kernels[name] = (kernel, has_read)
    places = 1 << max(3, (threads - 1).bit_length())
    options = [
        *("-fwrapv", f"-DLOCKLAB_CPUS={places}"),
        f"-DLOCKLAB_TURN_PS={max(1, round(1000 * turn_ns / 10) * 10)}",
    ]
    built = _program([*sources.values()], loops, options)
    return {
        name: CompiledLock(name, kernel, built, has_read, loops=tuple(loops))
        for name, (kernel, has_read) in kernels.items()
    }


def write(name: str, folder: Path) -> Path:
    """Write a lock's header and adapter into a folder; return the adapter's path.

    Raises:
        as :func:`compile_locks`.
    """
    code, made = _emitted(name)
    kernel = made.struct.removeprefix("struct ")
    text, _ = adapter(code, made, kernel, f"{kernel}.h")
    (folder / f"{kernel}.h").write_text(made.text)
    (folder / f"{kernel}.c").write_text(text)
    return folder / f"{kernel}.c"


def adapter(code: ClassCode, made: Emitted, kernel: str, header: str) -> tuple[str, bool]:
    """Return the adapter between a printed lock and the harness, and whether it has a read side.

    Args:
        code: the class. made: the class as C. kernel: the adapter's name. header: the file's.

    Raises:
        NativeError: it has no pair of methods that the harness can call.
    """
    calls = _calls(code, made)
    for function in calls.values():
        if function.arguments and function is not made.methods.get("read_retry"):
            raise NativeError(
                f"{code.name}: {function.name}() takes arguments, so the harness cannot call it; "
                "help: let the lock find what it needs by cpu()"
            )
    thread = made.init.thread or any(function.thread for function in calls.values())
    lines = [
        f"/* {code.name}, printed as C, joined to the harness. */",
        '#include "harness/pause.h"',
        f'#include "{header}"',
        "",
        f"#define KERNEL {kernel}",
        f"#define LOCK {made.struct}",
    ]
    if thread:
        lines += [
            "#define NODE struct locklab_thread",
            "#define NODE_SEAT(node, seat, threads) locklab_thread_init(node, seat, threads)",
        ]
    if made.init.thread:
        lines += [
            "static inline void init_for(LOCK *lock, int64_t threads)",
            "{",
            "    struct locklab_thread first;",
            "",
            "    locklab_thread_init(&first, 0, threads);",
            f"    {made.init.name}(lock, &first);",
            "}",
            "#define INIT_FOR(lock, threads) init_for(lock, threads)",
        ]
    else:
        lines.append(f"#define INIT(lock) {made.init.name}(lock)")
    for macro, function in calls.items():
        lines.append(_macro(macro, function, made))
    return "\n".join([*lines, "", "#include LOCKLAB_LOOP", ""]), "READ_ACQUIRE" in calls


def _calls(code: ClassCode, made: Emitted) -> dict[str, Function]:
    """Return the adapter's macros (``native/harness/adapter.h``) with their functions."""
    has = made.methods
    if issubclass(code.struct, CountedRef):
        wanted = {
            **{"ACQUIRE": "get", "RELEASE": "put", "REFERENCES": "references"},
            **{"EXCLUSIVE_ACQUIRE": "acquire", "EXCLUSIVE_RELEASE": "release"},
        }
    elif "write_acquire" in has:
        wanted = {"ACQUIRE": "write_acquire", "RELEASE": "write_release"}
        if "read_acquire" in has:
            wanted |= {"READ_ACQUIRE": "read_acquire", "READ_RELEASE": "read_release"}
        if "read_begin" in has:
            side = "OPTIMISTIC" if "READ_ACQUIRE" in wanted else "READ"
            wanted |= {f"{side}_ACQUIRE": "read_begin", f"{side}_RELEASE": "read_retry"}
    else:
        wanted = {"ACQUIRE": "acquire", "RELEASE": "release"}
    missing = [name for name in wanted.values() if name not in has]
    if missing:
        raise NativeError(
            f"{code.name} has no {missing[0]}(): the harness runs locks with acquire() and "
            "release(), or with write_acquire(), write_release() and a read side"
        )
    return {macro: has[name] for macro, name in wanted.items()}


def _macro(macro: str, function: Function, made: Emitted) -> str:
    if macro == "REFERENCES":
        return f"#define REFERENCES(lock) {function.name}(lock)"
    arguments = "lock, node" if function.thread else "lock"
    if function is made.methods.get("read_begin"):
        return f"#define {macro}(lock, node) LOCKLAB_OPTIMISTIC({function.name}({arguments}))"
    if function is made.methods.get("read_retry"):
        if function.thread:
            raise NativeError(f"{function.name}() calls cpu(), which the harness cannot provide")
        return f"#define {macro}(lock, node) LOCKLAB_UNTIL_NOT({function.name}, lock)"
    return f"#define {macro}(lock, node) {function.name}({arguments})"


def _emitted(name: str) -> tuple[ClassCode, Emitted]:
    code = resolve(name.removeprefix(PREFIX)).compiled()
    return code, emit(code)


def _program(
    sources: Sequence[tuple[str, str, str]], loops: Sequence[str], options: Sequence[str]
) -> Path:
    """Return an executable with kernels (name, adapter, header), built or from the cache."""
    flags = executable.read_build().flags.split()
    key = hashlib.sha256()
    for part in (
        _surroundings(),
        *flags,
        *loops,
        *options,
        *(text for row in sources for text in row),
    ):
        key.update(f"{len(part)} {part}".encode())
    kept = _cache() / key.hexdigest()[:32]
    if (kept / "program").is_file():
        return kept / "program"
    kept.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="building-", dir=kept.parent))
    try:
        adapters = {}
        for kernel, text, header in sources:
            (folder / f"{kernel}.h").write_text(header)
            adapters[kernel] = folder / f"{kernel}.adapter.c"
            adapters[kernel].write_text(text)
        Harness(folder, ["-fPIC", *flags]).program(adapters, loops, [folder], options)
        try:
            folder.rename(kept)
        except OSError:
            # Another process was faster, with the same result.
            if not (kept / "program").is_file():
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return kept / "program"


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "locklab/native"


@cache
def _surroundings() -> str:
    """Return what else a program is made of: the compiler, the harness and the headers."""
    root = toolchain.sources()
    files = sorted([*(root / "harness").iterdir(), *(root / "include/locklab").glob("*.h")])
    version = toolchain.run([toolchain.compiler(), "--version"], "the compiler")
    return version + "".join(path.read_text() for path in files if path.suffix in (".c", ".h"))
