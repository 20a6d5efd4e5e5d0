"""The C headers: each stands alone, is strict C11, and has its adapter and its essay."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import locknative

NATIVE = Path(__file__).parents[2]
HEADERS = sorted((NATIVE / "include/locklab").glob("*.h"))
STRUCTURES = sorted((NATIVE / "include/locklab/structures").glob("*.h"))
# These say themselves through which headers they are to be included.
PARTS = {"avc_pool", "avc_slots", "dcache"}


@pytest.mark.parametrize(
    "header",
    [header for header in HEADERS + STRUCTURES if header.stem not in PARTS],
    ids=lambda header: header.stem,
)
def test_stands_alone(header: Path, tmp_path: Path) -> None:
    """A program of nothing but the header, included twice, compiles without a warning."""
    if header.stem == "avc_rcu" and not locknative.has_urcu:
        pytest.skip("liburcu was not found at build time")
    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler 'cc' found: install gcc"
    program = tmp_path / "alone.c"
    include = f'#include "{header.relative_to(NATIVE / "include")}"\n'
    program.write_text(include * 2 + "int main(void) { return 0; }\n")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function"]
    done = subprocess.run(
        [compiler, *strict, "-I", NATIVE / "include", "-fsyntax-only", program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)


LOCKS = [lock for lock in locknative.locks() if not lock.startswith("rcu_")]  # liburcu's


def test_every_lock_has_its_files() -> None:
    """One header and one adapter a lock, under the lock's name, and none that is not built."""
    built = set(LOCKS)
    assert built == {header.stem for header in HEADERS} - {"arch", "language", "sleep"}
    assert built == {adapter.stem for adapter in (NATIVE / "kernels").glob("*.c")} - {"none"}


@pytest.mark.parametrize("lock", LOCKS)
def test_essay(lock: str) -> None:
    """A header says where the mechanism is explained, what is special in C, and the source."""
    essay = (NATIVE / f"include/locklab/{lock}.h").read_text().split("#ifndef")[0]
    assert [] == [
        part
        for part in (f"locks/{lock}.py", "In C.", "What it is not.", "Source:")
        if part not in essay
    ]


def test_lines_of_their_own() -> None:
    """The essay of arch.h names the locks whose parts begin on lines of their own, and no other."""
    essay = (NATIVE / "include/locklab/arch.h").read_text().split("#ifndef")[0]
    aligned = {header.stem for header in HEADERS if "_Alignas" in header.read_text()}
    assert aligned - {"arch"} == set(re.findall(r"(\w+)\.h", essay))
