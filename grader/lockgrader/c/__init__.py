"""C submissions: compiled and run inside, decided outside.

A lock in the language comes out of the sandbox as bytecode and is checked by us. C does not: it is
judged by running it, and what runs shares its process with the submission. Hence three fences.

**Before anything runs** the submission is read three times: as tokens (:mod:`.source`), as assembly
(:mod:`.allowed`) and as an object (:mod:`.elf`). It may call an allow-list of functions by their
names, define what its interface wants, and nothing else: no assembly, no computed calls, no
constructors, no names of a sanitizer's. It is compiled and linked in sandboxes in which nothing of
it runs (:mod:`.tools`, :mod:`.build`).

**What runs** (:mod:`.run`) is a program in a sandbox of its own with nothing beside it. Its exit
code is not a verdict, nor is anything that it prints: out come the explorer's report and the records
of operations, masked with a nonce, which are read as hostile and judged here (:mod:`.explored`,
:mod:`.history`).

**Canaries**: among the runs are some in which the client is wrong on purpose; a tool that stays
silent there earns nothing elsewhere.

What a submission could still forge stands in ``grader/README.md``.
"""

from lockgrader.c.build import Compiled, compile_c
from lockgrader.c.interfaces import interface
from lockgrader.c.run import judge as judge_c

__all__ = ["Compiled", "compile_c", "interface", "judge_c"]
