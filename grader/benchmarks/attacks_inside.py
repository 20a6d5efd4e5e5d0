"""Runs in a jail with one grader and one hostile notebook; prints points and effects.

Uses the standard library only, since it runs in the other grader's environment. Prints one JSON
object as its last line.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import exercise
from theirs import RIVALS, RivalError

LOOT = Path("/work/loot")
HONEST = "# an honest fellow student\n" + exercise.SOLUTION


def main() -> None:
    """Grade a notebook: arguments are the grader, its Python, the attack's text, mark, seconds."""
    name, python, text, mark, seconds = sys.argv[1:6]
    calls: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_listen, args=(server, calls), daemon=True).start()
        places = {"LOOT": str(LOOT), "PORT": str(server.getsockname()[1]), "MARK": mark}
        for word, place in places.items():
            text = text.replace(f"@{word}@", place)
        told = _graded(name, python, text, float(seconds))
        told["called"] = len(calls)
    loot = LOOT.read_bytes() if LOOT.exists() else b""
    # A hidden test is known by a right number, which no student has seen.
    told["secret"] = any(repr(v).encode() in loot for v in exercise.expected().values())
    told["code"] = b"ran beside" in loot and _other_process(loot)
    told["survivor"] = _survives(mark)
    theirs = [*Path("/work").rglob("victim*.ipynb"), *Path("/work").rglob("victim/**/*.ipynb")]
    told["file"] = any(mark in path.read_text(errors="replace") for path in theirs)
    print(json.dumps(told))


def _graded(name: str, python: str, text: str, seconds: float) -> dict[str, object]:
    """What a grader says of the hostile notebook, handed in beside an honest one."""
    rival = RIVALS[name](Path(python), Path("/work"))
    rival.prepare(
        {
            "eve": exercise.notebook(exercise.cells(text)),
            "victim": exercise.notebook(exercise.cells(HONEST)),
        }
    )
    try:
        points = rival.grade(longest_s=seconds)[1]
    except subprocess.TimeoutExpired:
        return {"ended": False, "eve": None, "victim": None, "error": ""}
    except RivalError as error:
        return {"ended": True, "eve": None, "victim": None, "error": str(error)[-300:]}
    return {"ended": True, "eve": points.get("eve"), "victim": points.get("victim"), "error": ""}


def _listen(server: socket.socket, calls: list[str]) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return
        calls.append("called")


def _other_process(loot: bytes) -> bool:
    """Whether the pickle ran elsewhere than where it was made."""
    words = loot.split()
    at = words.index(b"beside")
    return words[at + 1] != words[at + 3]


def _survives(mark: str) -> bool:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(mark.encode()):
                return True
        except OSError:
            continue
    return False


if __name__ == "__main__":
    main()
