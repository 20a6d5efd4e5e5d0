"""Locks with a mistake in them, as text that a user might hand to the commands."""

from pathlib import Path

HEAD = "from locksim.lang import *\n\n\nclass Mine(Lock):\n    flag = word({first})\n\n"

#: The mistake, and what the user wrote.
TEXTS = {
    "deadlock": (
        HEAD.format(first=0)
        + "    def acquire(self):\n"
        + "        while (yield self.flag.swap(1)) != 0:\n"
        + "            while (yield self.flag.load()) != 0:\n"
        + "                yield pause()\n\n"
        + "    def release(self):\n        yield self.flag.store(1)\n"
    ),
    "livelock": (
        HEAD.format(first=1)
        + "    def acquire(self):\n"
        + "        while (yield self.flag.fetch_add(1)) != 0:\n"
        + "            yield pause()\n\n"
        + "    def release(self):\n        yield self.flag.store(0)\n"
    ),
    "no exclusion": (
        HEAD.format(first=0)
        + "    def acquire(self):\n        yield self.flag.load()\n\n"
        + "    def release(self):\n        yield self.flag.store(0)\n"
    ),
    "typo": (
        HEAD.format(first=0)
        + "    def acquire(self):\n        yield self.flg.swap(1)\n\n"
        + "    def release(self):\n        yield self.flag.store(0)\n"
    ),
    "empty": "",
}


def write(folder: Path, name: str) -> str:
    """Write one of the texts to a file and return what to name it by."""
    path = folder / "mine.py"
    path.write_text(TEXTS[name])
    return str(path)
