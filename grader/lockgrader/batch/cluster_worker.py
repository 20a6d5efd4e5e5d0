"""A process beside a Dask worker that grades one submission after the other.

Reads two lines of JSON for each (:mod:`lockgrader.batch.cluster` writes them), the submission
and the lab's files, and writes one. It has one thread and is not a daemon, so it may fork.
When the worker is gone, however it went, standard input ends, and so does this process.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

from pydantic import TypeAdapter

from lockgrader.grade import grade
from lockgrader.judging.evaluate import warm
from lockgrader.lab import Lab

VALUES: TypeAdapter[dict[str, str | int]] = TypeAdapter(dict[str, str | int])


def main() -> None:
    """Grade until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other printed text must not mix with the answers
    warm()
    with tempfile.TemporaryDirectory(prefix="locklab-cluster-") as made:
        for given in sys.stdin:
            files = sys.stdin.readline()
            answers.write(json.dumps(_answer(json.loads(given), files, Path(made))) + "\n")
            answers.flush()


def _answer(given: dict[str, object], files: str, folder: Path) -> dict[str, object]:
    try:
        lab = Lab.model_validate_json(json.dumps(given["lab"]))
        home = folder / hashlib.sha256(files.encode()).hexdigest()
        if not home.exists():
            _written(home, json.loads(files))
        with tempfile.TemporaryDirectory(dir=folder) as made:
            path = Path(made) / "submission"
            _written(path, json.loads(json.dumps(given["files"])))
            result = grade(
                lab.model_copy(update={"folder": str(home)}),
                path,
                student=str(given["student"]),
                key=b"",  # it stays with the caller, who has sent the values
                values=VALUES.validate_python(given["values"]),
                profile="platform" if given["profile"] == "platform" else "namespaces",
                attempt=int(str(given["attempt"])),
            )
        return {"result": result.model_dump(mode="json")}
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise
        return {"refused": str(error)}


def _written(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(base64.b64decode(text))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the worker no longer waits for the answer
