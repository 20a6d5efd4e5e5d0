"""Validation finds wrong structures: each header is broken in one place, and must be caught."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import locknative

NATIVE = Path(__file__).parents[1]
HEADERS = Path("include/locklab/structures")
ATTEMPTS = 40
# Kernel, header, what stands there, what shall stand there.
BREAKS = {
    "a check without the slot's lock": (
        "avc_slot",
        "avc_slot.h",
        "locklab_ttas_acquire(lock)\n#define LOCKLAB_AVC_READ_RELEASE(lock) "
        "locklab_ttas_release(lock)",
        "((void)(lock))\n#define LOCKLAB_AVC_READ_RELEASE(lock) ((void)(lock))",
    ),
    "an outdated decision is remembered": (
        "avc_spinlock",
        "avc_pool.h",
        "if (decision->seqno >= avc->latest_seqno)",
        "if (true)",
    ),
    "freed without a grace period": (
        "avc_rcu",
        "avc_rcu.h",
        "urcu_memb_call_rcu(&(entry)->discarded, locklab_avc_discarded_free)",
        "locklab_avc_node_free(&(entry)->node)",
    ),
    "a walk that a rename disturbed is not repeated": (
        "dcache_seqretry",
        "dcache_seqretry.h",
        "return locklab_seqlock_exclusive_read_retry(lock, (uint32_t)token);",
        "return (void)token, false;",
    ),
    "a hit without a reference to its label": (
        "cipso",
        "cipso.h",
        "            locklab_cipso_label_get(label);\n",
        "",
    ),
}


def build(kernel: str, folder: Path) -> Path:
    """Build the executable with one kernel, from a folder that overrides the headers."""
    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler 'cc' found: install gcc"
    (folder / "loops.def").write_text(f"LOOP(validate, {kernel})\n")
    (folder / "kernels.def").write_text(
        f"KERNEL({kernel}, LOCKLAB_STRUCTURE, [LOCKLAB_VALIDATE] = &locklab_validate_{kernel})\n"
    )
    (folder / "build_info.h").write_text(
        '#define LOCKLAB_COMPILER ""\n#define LOCKLAB_FLAGS ""\n#define LOCKLAB_URCU_VERSION ""\n'
    )
    harness = [NATIVE / f"harness/{name}.c" for name in ("main", "run", "table", "clock")]
    done = subprocess.run(
        [
            *(compiler, "-std=gnu11", "-O2", "-I", folder, "-I", NATIVE, "-I", NATIVE / "include"),
            *("-DLOCKLAB_POLITE", '-DLOCKLAB_LOOP="structures/validate.h"'),
            *(NATIVE / f"structures/{kernel}.c", *harness, "-o", folder / "run", "-lpthread"),
            *(["-lurcu-memb"] if kernel.endswith("rcu") else []),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    return folder / "run"


@pytest.mark.parametrize("name", BREAKS)
def test_is_found(name: str, tmp_path: Path) -> None:
    """Within some attempts the broken one gives a wrong answer, or crashes."""
    kernel, header, right, wrong = BREAKS[name]
    if kernel == "avc_rcu" and not locknative.has_urcu:
        pytest.skip("liburcu was not found at build time")
    text = (NATIVE / HEADERS / header).read_text()
    assert 1 == text.count(right)
    (tmp_path / "locklab/structures").mkdir(parents=True)
    (tmp_path / "locklab/structures" / header).write_text(text.replace(right, wrong))
    executable = build(kernel, tmp_path)
    options = ["--loop", "validate", "--threads", "3", "--iterations", "40320"]
    codes = (
        subprocess.run([executable, "run", kernel, *options], capture_output=True).returncode
        for _ in range(ATTEMPTS)
    )
    assert any(code != 0 for code in codes)
