"""Classes that the language allows and the grader does not take are refused one by one."""

import pytest

from lockgrader.compile.bytecode import accept
from lockgrader.compile.inside import not_taken
from locksim.compiler import compile_source
from locksim.compiler.portable import codes_to_json

HEAD = "from locksim.lang import *\n"
RELEASE = "    def release(self):\n        yield self.held.store(0, RELEASE)\n"
PLAIN = """class Plain(Lock):
    held = word()
    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
"""
COUNTS = PLAIN.replace("Plain", "Counts") + "        yield done()\n"
NOTES = PLAIN.replace("Plain", "Counts") + "        yield note(1)\n"
METERED = PLAIN.replace("Plain", "Counts").replace("word()\n", "word()\n    METERED = {}\n")
HOLDS = """class Holds(Lock):
    inner = part(Counts)
    def acquire(self):
        yield from self.inner.acquire()
    def release(self):
        yield from self.inner.release()
"""
DOORWAY = """class Doorway(Lock):
    held = word()
    mine = perthread(word())
    def acquire(self):
        yield self.mine[thread()].store(1, RELAXED)
        yield doorway()
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
"""


@pytest.mark.parametrize(
    ("text", "says"), [(COUNTS, ":14: "), (NOTES, ":14: "), (METERED, ":11: ")]
)
def test_the_other_classes_stay(text: str, says: str) -> None:
    """A class with a mark or meters of its own is refused with its line; so is what holds it."""
    codes = compile_source(f"{HEAD}{PLAIN}{RELEASE}{text}{RELEASE}{HOLDS}", "<l.py>")
    found = not_taken(codes)
    assert {"Counts", "Holds"} == {*found}
    assert found["Counts"].startswith(f"l.py{says}")
    assert "\nhelp: remove " in found["Counts"]
    assert "Holds uses the class Counts" in found["Holds"]


def test_a_doorway_and_a_node_for_each_thread_pass() -> None:
    """Both are of the language; the doorway's mark does not reach the checker."""
    text = f"{HEAD}{DOORWAY}{RELEASE}"
    codes = compile_source(text, "<l.py>")
    assert {} == not_taken(codes)
    taken = accept(codes_to_json(codes), text, "l.py")["Doorway"].methods["acquire"].instrs
    plain = codes["Doorway"].methods["acquire"].instrs
    changed = [(a.op, b.op, b.args) for a, b in zip(plain, taken, strict=True)
               if (a.op, a.args) != (b.op, b.args)]  # fmt: skip
    (at,) = (k for k, i in enumerate(plain) if i.op == "MARK" and i.args == (11, 0))
    assert [("MARK", "JMP", (at + 1,))] == changed
