"""Random programs: the reference engine and printed C leave the same memory.

The program is one thread of straight lines, branches, loops and calls (``random_programs``). Its C
is compiled and run, and prints every word of the struct; the reference engine's memory must hold
the same.
"""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_programs import sources
from tiny_machine import tables

from locknative.compilation import toolchain
from locksim.compiler import compile_source
from locksim.compiler.ir import ClassCode
from locksim.core.memory import build
from locksim.emit import emit
from locksim.engine.reference import engine as reference
from locksim.lang import Workload

MAIN = """

class Main(Workload):
    it = part(Random)
    result = word()

    def thread(self):
        result = yield from self.it.run({x}, {y})
        yield self.result.store(result)
"""
PROGRAM = """
#include <stdio.h>
{headers}
static void show(const void *from, size_t size)
{{
    for (size_t i = 0; i < size / sizeof(int64_t); i++)
        printf("%lld ", (long long)((const int64_t *)from)[i]);
    printf("\\n");
}}

int main(void)
{{
    struct locklab_thread thread;

    locklab_thread_init(&thread, 0, 1);
{runs}
    return 0;
}}
"""
few = functools.partial(settings, suppress_health_check=list(HealthCheck))
"""Settings of a test whose examples are expensive, by their number."""


def simulated(code: ClassCode) -> list[int]:
    """The words of the workload when the reference engine has run it."""
    machine = tables(1)
    workload = code.struct()
    assert isinstance(workload, Workload)
    memory = build(workload, machine, [])
    base = int(memory.root)
    size = memory.space.layout(memory.root).size
    run = reference.run(memory, machine, seed=1, until_ps=10**12)
    assert 1 == run.finished
    return [int(word) for word in run.memory[base : base + size]]


def compiled(texts: list[str]) -> list[list[int]]:
    """The words of each workload when its C has run; all in one program."""
    headers, runs = [], []
    for k, text in enumerate(texts):
        renamed = text.replace("class Main(", f"class Main{k}(")
        renamed = renamed.replace("class Random(", f"class Random{k}(")
        renamed = renamed.replace("part(Random)", f"part(Random{k})")
        made = emit(compile_source(renamed, "r.py")[f"Main{k}"])
        headers.append(made.text)
        function = made.methods["thread"]
        thread = ", &thread" if function.thread else ""
        runs.append(
            f"    static {made.struct} main_{k};\n    {made.init.name}(&main_{k});\n"
            f"    {function.name}(&main_{k}{thread});\n    show(&main_{k}, sizeof main_{k});\n"
        )
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.c")
        program.write_text(PROGRAM.format(headers="\n".join(headers), runs="".join(runs)))
        include = toolchain.sources() / "include"
        # Without warnings: nobody writes such programs, and what they say is often plainly idle.
        flags = ["-std=c11", "-O1", "-fwrapv", "-w", f"-I{include}"]
        toolchain.compile_c([*flags, program, "-o", Path(folder, "program")], "the program")
        done = subprocess.run(
            [Path(folder, "program")], capture_output=True, text=True, timeout=120, check=True
        )
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def programs() -> st.SearchStrategy[str]:
    """A random program, with the workload that runs it."""

    def whole(text: str, x: int, y: int) -> str:
        # With an operation at its head it is a program, whatever the rest is.
        begun = text.replace("run(self, x, y):\n", "run(self, x, y):\n        yield pause()\n")
        return begun + MAIN.format(x=x, y=y)

    numbers = st.integers(0, 20)
    return st.builds(whole, sources(), numbers, numbers)


def same(texts: list[str]) -> None:
    """Each text has the same memory at its end, both ways."""
    expected = [simulated(compile_source(text, "r.py")["Main"]) for text in texts]
    assert expected == compiled(texts)


@few(max_examples=4)
@given(st.lists(programs(), min_size=5, max_size=5))
def test_programs(texts: list[str]) -> None:
    """Five in each C program: a compiler's start costs more than they do."""
    same(texts)


@pytest.mark.slow
@few(max_examples=30)
@given(st.lists(programs(), min_size=20, max_size=20))
def test_many_programs(texts: list[str]) -> None:
    """Twenty in each C program."""
    same(texts)
