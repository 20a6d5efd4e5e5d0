"""Printed locks as C: compiled without a warning, in memory where the simulator has them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from locknative.compilation import toolchain
from locksim.emit import emit
from locksim.lang.fields import param
from locksim.library.registry import entries, resolve

STRICT = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fwrapv"]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
SLEEP = {"futex", "futex_rwlock", "mutex", "percpu_rwsem", "rwsem", "semaphore"}
"""Locks whose waiters sleep: a header has no scheduler that would wake them."""
NAMES = [e.name for e in entries() if e.kind != "scheduler" and e.name not in SLEEP]
LAID_OUT = ["ticket", "mcs", "clh", "qspinlock", "rwlock", "seqlock", "rcu", "lockref"]


def compiled(compiler: str, text: str, folder: Path, name: str) -> str:
    """What a compiler says about a program that includes a printed lock."""
    (folder / f"{name}.h").write_text(emit(resolve(name).compiled()).text)
    program = folder / "program.c"
    program.write_text(f'#include "{name}.h"\n{text}\nint main(void) {{ return 0; }}\n')
    include = toolchain.sources() / "include"
    command = [compiler, *STRICT, f"-I{include}", "-c", program, "-o", folder / "program.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr or ("" if done.returncode == 0 else f"status {done.returncode}")


@pytest.mark.covering("name", "compiler")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_warning(compiler: str, name: str, tmp_path: Path) -> None:
    """Every lock and cache of the library, by each compiler that is here."""
    assert "" == compiled(compiler, "", tmp_path, name)


@pytest.mark.parametrize("name", LAID_OUT)
def test_layout(name: str, tmp_path: Path) -> None:
    """Fields, and elements of arrays, have the offsets that the simulator's layout gives them."""
    from locksim.lang.layout import Space

    entry = resolve(name)
    spec, made = entry.struct(), emit(entry.compiled())
    layout = Space(8, 64).layout(spec)
    checks = []
    for field_name, field in entry.struct.FIELDS.items():
        if isinstance(field, param):
            continue
        slot = layout.slot(field_name)
        checks.append(f"offsetof({made.struct}, {field_name}) == {8 * slot.offset}")
        size = f"sizeof((({made.struct} *)0)->{field_name})"
        if slot.count > 1:
            checks.append(f"{size} == {8 * slot.count * slot.stride}")
    text = "\n".join(f'_Static_assert({check}, "{check}");' for check in checks)
    assert "" == compiled(toolchain.compiler(), text, tmp_path, name)
