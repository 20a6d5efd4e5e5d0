"""Programs of a drill: text in the lock language, parsed as a reader's own would be."""

from __future__ import annotations

from locksim.checker import check_workload
from locksim.compiler.frontend import compile_source
from locksim.lang.struct import Workload

_FILE = "drill.py"


def workload(words: dict[str, str], threads: list[list[str]]) -> Workload:
    """A workload with some words and, for each thread, the lines of its program.

    Arguments:
        words: name → declaration, such as ``"word(3)"``. threads: lines without indentation.
    """
    lines = ["from locksim.lang import *", "class Drill(Workload):"]
    lines += [f"    {name} = {declared}" for name, declared in words.items()]
    lines += ["    def thread(self):"]
    for number, program in enumerate(threads):
        lines += [f"        if thread() == {number}:"]
        lines += [f"            {line}" for line in program]
    made = compile_source("\n".join(lines) + "\n", _FILE)["Drill"].struct()
    assert isinstance(made, Workload)
    return made


def way_to(made: Workload, ends: str, memory: str, unshown: str = "") -> str:
    """A shortest order of two threads' steps that ends so, as a line: "0 0 1 0".

    Arguments:
        ends: a condition on final values that holds at the end of some order.
        unshown: steps on words whose names begin so are left out, as the question does.
    """
    asked = f"not ({ends})"
    found = check_workload(made, threads=2, expect=asked, memory=memory, simplest=False)
    assert found.counterexample is not None
    steps = found.counterexample.steps
    shown = [step for step in steps if not (unshown and step.word.startswith(unshown))]
    return " ".join(f"{step.thread}{'f' * (step.action == 'flush')}" for step in shown)
