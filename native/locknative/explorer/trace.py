"""A run in the words of the program: the shape of the checker's counterexample."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

from locknative.explorer.names import STACK_SIZE, STACKS, Names
from locksim.checker.replay.counterexample import Counterexample, Step


def tell(program: Path, raw: dict[str, Any]) -> Counterexample:
    """Return the run that the runtime has reported.

    Args:
        program: the executable.
        raw: the runtime's report.
    """
    names = Names(program, [tuple(block) for block in raw["blocks"]])
    pcs = [step["pc"] for step in raw["path"]]
    pcs += [int(number, 16) for number in re.findall(r"\{pc:(\w+)\}", raw["message"])]
    names.learn(pcs)
    buffers: list[list[tuple[str, int, str]]] = [[] for _ in range(raw["threads"])]
    steps = [_step(names, buffers, step) for step in raw["path"] if not _is_private(step)]
    return Counterexample(raw["found"], message(names, raw["message"]), steps, raw["threads"])


def _is_private(step: dict[str, Any]) -> bool:
    """Whether a step is a plain access of a thread to its own stack."""
    own = STACKS + step["thread"] * STACK_SIZE
    return step["operation"] in ("read", "write") and own <= step["at"] < own + STACK_SIZE


def reason(program: Path, text: str) -> str:
    """Return why a search is unfinished, with the places named."""
    if "{pc:" not in text:
        return text
    names = Names(program)
    names.learn([int(number, 16) for number in re.findall(r"\{pc:(\w+)\}", text)])
    return message(names, text)


def message(names: Names, text: str) -> str:
    """Return a message of the runtime with its numbers named."""

    def named(found: re.Match[str]) -> str:
        number = int(found[2], 16)
        if found[1] == "at":
            return names.word(number)
        return place(names, number)

    return re.sub(r"\{(pc|at):(\w+)\}", named, text)


def place(names: Names, pc: int) -> str:
    """Return where a return address came from, as file and line."""
    found = names.place(pc)
    return f"{Path(found.file).name}:{found.line}" if found.line else f"{pc:#x}"


def _step(names: Names, buffers: list[list[tuple[str, int, str]]], raw: dict[str, Any]) -> Step:
    size, thread = raw["size"], raw["thread"]
    where = names.place(raw["pc"])
    word = names.word(raw["at"], size) if raw["at"] else ""
    old, new = names.value(raw["old"], size), names.value(raw["new"], size)
    if not raw["size"]:
        old = new = ""
    if raw["operation"] == "alloc":
        new = word
    elif raw["operation"] in ("create", "join"):
        word = f"thread {raw['new']}"
    if raw["operation"] == "flush":
        buffers[thread].pop(0)
    elif raw["held"]:
        buffers[thread].append((word, raw["new"], new))
    return Step(
        thread=thread,
        action="flush" if raw["operation"] == "flush" else "run",
        choice=raw["new"] if raw["operation"] == "any" else 0,
        operation=raw["operation"],
        word=word,
        address=raw["at"],
        old=raw["old"],
        new=raw["new"],
        was=old,
        becomes=new,
        file=where.file,
        line=where.line,
        method=where.function,
        source=linecache.getline(where.file, where.line).strip(),
        behind=raw["behind"],
        marks=[raw["mark"]] if raw["mark"] else [],
        buffers=[list(buffer) for buffer in buffers],
    )
