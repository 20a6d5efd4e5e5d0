"""``locklab-native`` with one kernel that is given as text, and its validation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

NATIVE = Path(__file__).parents[1]
HARNESS = [NATIVE / f"harness/{name}.c" for name in ("main", "run", "table", "clock")]


def build(folder: Path, program: str, loop: str, *libraries: str) -> Path:
    """Compile locklab-native with one kernel, `wrong`, that has one loop."""
    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler 'cc' found: install gcc"
    (folder / "wrong.c").write_text(program)
    (folder / "loops.def").write_text("LOOP(validate, wrong)\n")
    (folder / "kernels.def").write_text(
        "KERNEL(wrong, LOCKLAB_LOCK, [LOCKLAB_VALIDATE] = &locklab_validate_wrong)\n"
    )
    (folder / "build_info.h").write_text(
        '#define LOCKLAB_COMPILER ""\n#define LOCKLAB_FLAGS ""\n#define LOCKLAB_URCU_VERSION ""\n'
    )
    flags = ["-O2", "-fno-lto", "-pthread", f"-I{folder}", f"-I{NATIVE}", f"-I{NATIVE}/include"]
    one = [f'-DLOCKLAB_LOOP="{loop}"', "-DLOCKLAB_POLITE", "-c", folder / "wrong.c"]
    executable, kernel = folder / "wrong", folder / "wrong.o"
    for command in (
        [compiler, "-std=c11", *flags, *one, "-o", kernel],
        [compiler, *flags, *HARNESS, kernel, "-o", executable, *libraries],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (0, "") == (done.returncode, done.stderr)
    return executable


def validate(executable: Path, *iterations: int) -> subprocess.CompletedProcess[str]:
    """Let four threads fight, again for longer as long as nothing is found."""
    request = ["run", "wrong", "--loop", "validate", "--threads", "4"]
    for number in iterations:
        done = subprocess.run(
            [executable, *request, "--iterations", str(number)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode != 0:
            break
    return done
