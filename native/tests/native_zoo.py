"""The zoo: locks with one change that makes them wrong.

``zoo/LOCK.toml`` lists the changes to ``include/locklab/LOCK.h``, as texts to replace; there is no
second copy of a lock. :meth:`Bug.folder` writes the changed header where the compiler finds it
before the right one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ZOO = Path(__file__).parent / "zoo"
HEADERS = Path(__file__).parents[1] / "include/locklab"


@dataclass(frozen=True)
class Bug:
    """A change of a lock's header.

    Attributes:
        lock: whose.
        name: what it is called.
        what: what is wrong. shows: how it shows.
        changes: texts, each of which stands once in the header, and what replaces them.
        threads: how many it takes. rounds: how often each goes in.
    """

    lock: str
    name: str
    what: str
    shows: str
    changes: tuple[tuple[str, str], ...]
    threads: int = 3
    rounds: int = 1

    def header(self) -> str:
        """Return the changed header's text."""
        text = (HEADERS / f"{self.lock}.h").read_text()
        for old, new in self.changes:
            found = text.count(old)
            if found != 1:
                raise ValueError(f"{self}: {found} times in the header instead of once: {old!r}")
            text = text.replace(old, new)
        return text

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield a folder to search for headers first; it goes away afterwards."""
        with TemporaryDirectory(prefix="locklab-zoo-") as name:
            header = Path(name, "locklab", f"{self.lock}.h")
            header.parent.mkdir()
            header.write_text(self.header())
            yield Path(name)

    def __str__(self) -> str:
        return f"{self.lock}/{self.name}"


def bugs() -> list[Bug]:
    """Return the whole zoo, by lock."""
    return [bug for file in sorted(ZOO.glob("*.toml")) for bug in _read(file)]


def _read(file: Path) -> Iterator[Bug]:
    for entry in tomllib.loads(file.read_text())["bug"]:
        changes = [(entry.pop("old"), entry.pop("new")), *map(tuple, entry.pop("also", []))]
        yield Bug(lock=file.stem, changes=tuple(changes), **entry)
