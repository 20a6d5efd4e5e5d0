"""Links from a page's locks to the playground."""

from __future__ import annotations

import re

from locklessons.playable import playable, programs

from locksim.play.argument import Argument, opened

PAGE = """# A page

```{code-cell} python
:tags: [hide-input]
from locksim.lang import *
from locksim.library.locks.tas import TASLock as Spin

LIMIT = 3


class Racy(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.load()) >= LIMIT:
            yield pause()
        yield self.held.store(LIMIT)

    def release(self):
        yield self.held.store(0)
```

::::{dropdown} Solution
```python
class Fixed(Racy):
    inner = part(Spin)

    def acquire(self):
        yield from self.inner.acquire()


class Numbers(Workload):
    spin = part(Spin)

    def thread(self):
        yield from self.spin.acquire()
        yield from self.spin.release()
```
::::

```python
class Wrong(Lock):
    held = nothing()
```
"""


def test_a_pages_own_locks() -> None:
    """Each link holds the lock with what it needs of the page, and claims nothing."""
    shown = playable(PAGE, "lessons/tests/page.md")
    places = re.findall(r'<a href="([^"]+)">(\w+)</a>', shown)
    assert [("../../playground/index.html?lock=tas", "tas")] == places[:1]
    assert ["Racy", "Fixed"] == [name for _, name in places[1:]]
    racy, fixed = (opened(address) for address, _ in places[1:])
    assert Argument(text=racy.text, lock="Racy") == racy
    assert ["from locksim.lang import *", "LIMIT = 3"] == racy.text.splitlines()[:2]
    assert "from locksim.library.locks.tas import TASLock as Spin" in fixed.text
    assert "Fixed" == fixed.entry().struct.__name__
    assert PAGE == re.sub(r"\n```\{only\} playground\n.*\n```\n", "", shown)


def test_blocks_without_a_lock() -> None:
    """Neither a command of a notebook, nor a part of a class, nor a benchmark has a link."""
    benchmark = (
        "class Reads(Workload):\n    held = word()\n\n"
        "    def thread(self):\n        yield self.held.load()\n"
    )
    for code in ("%time f()\n", "    yield pause()\n", benchmark):
        assert [] == programs(code, {})
    asserts = benchmark.replace("yield self.held.load()", "assert (yield self.held.load()) == 0")
    assert ["Reads"] == [one.lock for one in programs(asserts, {})]
