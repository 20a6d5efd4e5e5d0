"""Validation finds wrong structures: each header is broken in one place, and must be caught."""

from __future__ import annotations

from pathlib import Path

import pytest
from one_kernel import build, validate

import locknative

NATIVE = Path(__file__).parents[2]
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


@pytest.mark.covering("name", every=2)
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
    program = (NATIVE / f"structures/{kernel}.c").read_text()
    libraries = ["-lurcu-memb", "-lurcu-common"] if kernel == "avc_rcu" else []
    executable = build(
        tmp_path,
        program.replace(f"#define KERNEL {kernel}", "#define KERNEL wrong"),
        "structures/validate.h",
        *libraries,
    )
    assert 0 != validate(executable, *[20_000] * ATTEMPTS).returncode
