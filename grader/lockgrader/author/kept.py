"""What lint has graded is kept, so that a lint that was ended goes on where it was.

Each result is a file below ``LAB-DIGEST``. The digest covers what decides: the lab, its solution
and starter, the engine, the compiler of C, the code that makes the submissions. Where one of them
has changed, the folder has another name, and those of before are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from lockgrader.digests import versions
from lockgrader.lab import Lab
from lockgrader.sandbox import Profile

__all__ = ["Kept"]


class _Result(Protocol):
    @property
    def task(self) -> object: ...


Result = TypeVar("Result", bound=_Result)


class Kept(Generic[Result]):
    """The results of one lab's lint, each by its task.

    Arguments:
        folder: below which they lie; None keeps nothing. lab: the lab. profile: of the sandbox.
        kind: the dataclass of a result; it has its ``task``, a dataclass. again: forget what an
            earlier run has kept.
    """

    def __init__(
        self,
        folder: Path | None,
        lab: Lab,
        profile: Profile,
        kind: type[Result],
        *,
        again: bool = False,
    ) -> None:
        self._adapter: TypeAdapter[Result] = TypeAdapter(kind)
        self._folder = None if folder is None else folder / f"{lab.name}-{_digest(lab, profile)}"
        for old in folder.glob(f"{lab.name}-*") if folder is not None else ():
            if again or old != self._folder:
                shutil.rmtree(old, ignore_errors=True)

    def get(self, task: object) -> Result | None:
        """The result of a task, or None."""
        path = self._path(task)
        if path is None:
            return None
        with contextlib.suppress(OSError, ValidationError):  # cut off, or another version's
            found = self._adapter.validate_json(path.read_bytes())
            return found if found.task == task else None
        return None

    def add(self, task: object, result: Result) -> Result:
        """Keep the result of a task, and return it.

        Raises:
            OSError: the folder cannot be written.
        """
        path = self._path(task)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            made = path.with_suffix(".part")
            made.write_bytes(self._adapter.dump_json(result))
            os.replace(made, path)
        return result

    def _path(self, task: object) -> Path | None:
        if self._folder is None:
            return None
        digest = hashlib.sha256(repr(task).encode()).hexdigest()[:24]
        return self._folder / f"{digest}.json"


def _digest(lab: Lab, profile: Profile) -> str:
    """What decides the results of a lab's own submissions."""
    digest = hashlib.sha256(f"{lab.sha256} {profile}".encode())
    digest.update(json.dumps(versions(lab), sort_keys=True).encode())
    folders = (Path(lab.folder) / name for name in ("solution", "starter"))
    for folder in (*folders, Path(__file__).parent):
        for path in sorted(folder.glob("*.*")):
            digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
