"""C submissions: compiled and run inside, decided outside.

A lock in the language leaves the sandbox as bytecode, which the checker explores. C is judged by
running it, and the client that runs it shares a process with the submission. So there are three
fences.

**Before anything runs** the submission is read three times: as tokens (:mod:`.source`), as assembly
(:mod:`.allowed`) and as an object (:mod:`.elf`). It may call an allow-list of functions by their
names, define what its interface requires, and nothing else: no assembly, no computed calls, no
constructors, no names of a sanitizer's. It is compiled and linked in sandboxes in which nothing of
it runs (:mod:`.tools`, :mod:`.build`).

**What runs** (:mod:`.run`) is a program alone in a sandbox of its own. No verdict depends on its
exit code or on printed text. Its output is the explorer's report and the records of operations,
masked with a nonce. Both are treated as untrusted input and judged outside (:mod:`.explored`,
:mod:`.history`).

**Canaries** are runs in which the client is wrong on purpose. A tool that stays silent there earns
nothing elsewhere.

``grader/README.md`` lists what a submission could still forge.
"""

from lockgrader.c.build import Compiled, compile_c
from lockgrader.c.interfaces import interface
from lockgrader.c.run import judge as judge_c

__all__ = ["Compiled", "compile_c", "interface", "judge_c"]
