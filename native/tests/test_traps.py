"""The traps of native measurement: each is shown, and what the harness does against it holds.

native/README.md lists which test covers which trap.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from locknative.compilation import executable

NATIVE = Path(__file__).parents[1]
KERNEL_FLAGS = ["-O2", "-fno-lto"]

# The lock and the loop that counts under it, both where the compiler sees them.
ONE_UNIT = """
#define LOCKLAB_PAUSE() ((void)0)
#include "locklab/tas.h"

static struct locklab_tas lock;
static uint64_t counter;

static __attribute__((noinline)) void acquire(void) { locklab_tas_acquire(&lock); }
static __attribute__((noinline)) void release(void) { locklab_tas_release(&lock); }
uint64_t counted(void) { return counter; }

void work(uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++) {
        acquire();
        counter++;
        release();
    }
}
"""

READ_SIDE = """
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-qsbr.h>
#include "harness/harness.h"

uint64_t *shared;

void work(uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++) {
        rcu_read_lock();
        READ;
        rcu_read_unlock();
    }
}
"""

REUSED_NODES = """
#include "locklab/clh.h"

int main(void)
{
    static struct locklab_clh lock;
    static struct locklab_clh_node spare, first;
    struct locklab_clh_thread thread;

    locklab_clh_init(&lock, &spare);
    locklab_clh_thread_init(&thread, &first);
    locklab_clh_acquire(&lock, &thread);
    locklab_clh_release(&lock, &thread);
    locklab_clh_init(&lock, &spare); /* the lock anew, but not the thread */
    return atomic_load(&lock.tail) == thread.mine; /* it would wait for itself */
}
"""


def compiler() -> str:
    """Return the C compiler's path."""
    found = shutil.which("cc")
    assert found is not None, "no C compiler 'cc' found: install gcc"
    return found


def assembly(folder: Path, program: str, *flags: str) -> list[str]:
    """Compile to assembly; return the instructions and labels of work()."""
    source, target = folder / "program.c", folder / "program.s"
    source.write_text(program)
    where = [f"-I{NATIVE}", f"-I{NATIVE}/include"]
    command = [compiler(), *KERNEL_FLAGS, *flags, *where, "-S", source, "-o", target]
    subprocess.run(command, check=True)
    body = re.search(r"^work:\n(.*?)\.size\s+work", target.read_text(), re.DOTALL | re.MULTILINE)
    assert body is not None
    return [line.strip() for line in body[1].splitlines()]


def section(lines: list[str]) -> list[str]:
    """Return what lies between the calls of acquire and release."""
    calls = {name: i for i, line in enumerate(lines) for name in ("acquire", "release")
             if re.match(rf"(call|bl)\s+{name}\b", line)}  # fmt: skip
    return lines[calls["acquire"] : calls["release"]]


def reads_the_counter(lines: list[str]) -> bool:
    """Return whether the counter is read there, by a load or an addition to memory."""
    return any(re.match(r"(add|inc|mov\w*\s+counter|ldr)\w*.*", line) and "counter" in line
               for line in lines)  # fmt: skip


def loops(lines: list[str]) -> bool:
    """Return whether a jump leads back to a label before it."""
    seen: set[str] = set()
    for line in lines:
        if label := re.match(r"(\.?\w+):", line):
            seen.add(label[1])
        elif seen & set(re.findall(r"\.?\w+", line)):
            return True
    return False


x86_gcc = pytest.mark.skipif(
    not re.search("x86_64|i686", subprocess.getoutput("cc -dumpmachine")),
    reason="reads x86 assembly",
)


@x86_gcc
def test_one_translation_unit(tmp_path: Path) -> None:
    """With the kernels' flags the counter is read under the lock, though the compiler sees both."""
    lines = assembly(tmp_path, ONE_UNIT, "-fno-ipa-reference")
    assert reads_the_counter(section(lines))


@x86_gcc
def test_one_translation_unit_without_the_flag(tmp_path: Path) -> None:
    """The trap itself, in gcc 12: without the flag the load is moved before the acquire."""
    if not executable.read_build().compiler.startswith("GNU 12."):
        pytest.skip(f"the trap was seen in gcc 12; this is {executable.read_build().compiler}")
    assert not reads_the_counter(section(assembly(tmp_path, ONE_UNIT)))


def test_kernels_are_built_so() -> None:
    """The kernels' flags are those, and no link-time optimisation undoes the separate units."""
    flags = executable.read_build().flags
    assert "-fno-lto" in flags
    if executable.read_build().compiler.startswith("GNU"):
        assert "-fno-ipa-reference" in flags


@x86_gcc
@pytest.mark.parametrize(
    ("read", "stays"), [("(void)0", False), ("locklab_use(*rcu_dereference(shared))", True)]
)
def test_deleted_loop(read: str, stays: bool, tmp_path: Path) -> None:
    """An empty read side is deleted together with its loop; one that uses what it read stays."""
    assert stays == loops(assembly(tmp_path, READ_SIDE.replace("READ", read)))


def test_nodes_that_change_hands(tmp_path: Path) -> None:
    """A CLH lock set up anew without its threads has a thread wait for itself."""
    source, program = tmp_path / "reused.c", tmp_path / "reused"
    source.write_text(REUSED_NODES)
    subprocess.run([compiler(), f"-I{NATIVE}/include", source, "-o", program], check=True)
    assert 1 == subprocess.run([program], check=False).returncode
