"""A counterexample as a table for the terminal: a column a thread, time from top to bottom.

A call of the client stands above the steps that it is made of, and what it returned below them.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata

from locksim.checker.client import TEST_CLIENT
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.replay.invocations import Invocation
from locksim.core.faults import place

MIN_COLUMN = 16
"""Characters that a thread's column has at least."""
WIDEST = 100
"""Characters in a line, unless another width is asked for."""


def table(counterexample: Counterexample, width: int = WIDEST) -> str:
    """The steps as text.

    Each step shows the call that it begins, the source line, what it did to which word, what the
    thread does to locks right after, what the call returned if it is over, and the thread's store
    buffer if something is in it.

    Arguments:
        counterexample: what to show.
        width: characters in a line, if the threads' columns fit.
    """
    n = counterexample.threads
    digits = max(4, len(str(len(counterexample.steps))))
    column = max(MIN_COLUMN, (width - digits) // n - 3)
    head = ["step", *(f"thread {i}" for i in range(n))]
    widths = [digits] + [column] * n
    rule = "-+-".join("-" * w for w in widths)
    lines = [f"client: {counterexample.client}"] if counterexample.client else []
    if counterexample.steps:
        lines += [_line(head, widths), rule]
    begun = {call.steps[0]: call.text for call in counterexample.calls if call.steps}
    over = {call.ended: returned(call) for call in counterexample.calls if call.ended is not None}
    for number, step in enumerate(counterexample.steps, start=1):
        if number - 1 == counterexample.cycle:
            lines.append("from here on, again and again:")
            lines.append(rule)
        calls = begun.get(number - 1, ""), over.get(number - 1, "")
        cell = _cell(step, *calls, column)
        for i, text in enumerate(cell):
            cells = [""] * (n + 1)
            cells[0] = str(number).rjust(digits) if i == 0 else ""
            cells[step.thread + 1] = text
            lines.append(_line(cells, widths))
        lines.append(rule)
    message = f"{counterexample.found}: {counterexample.message}".splitlines()
    wrapped_message = [wrapped for line in message for wrapped in _wrap(line, width)]
    return "\n".join([*lines, *wrapped_message])


def _line(cells: list[str], widths: list[int]) -> str:
    padded = (c + " " * (w - _places(c)) for c, w in zip(cells, widths, strict=True))
    return " | ".join(padded).rstrip()


def _places(text: str) -> int:
    """The columns of a terminal that a text takes: names may be Japanese."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _cell(step: Step, begun: str, over: str, width: int) -> list[str]:
    parts = [begun] if begun else []
    if step.action == "run" and not step.client:
        parts.append(f"{at(step)}  {step.source}".rstrip())
    whose = f"{TEST_CLIENT}: " if step.action == "run" and step.client else ""
    parts.append(whose + did(step) + behind(step))
    parts += [f"=> {mark}" for mark in step.marks]
    parts += [f"=> {over}"] if over else []
    buffer = step.buffers[step.thread]
    if buffer:
        parts.append("buffer: " + ", ".join(f"{name}={shown}" for name, _, shown in buffer))
    return [line for part in parts for line in _wrap(part, width)]


def at(step: Step) -> str:
    """Where a step is in the program: file and line, or the library's test client."""
    return TEST_CLIENT if step.client else place(step.file, step.line)


def returned(call: Invocation) -> str:
    """What a call has returned; "" if it returns nothing."""
    return "" if call.result is None else f"{call.text} returned {call.result}"


def behind(step: Step) -> str:
    """Under C11: how far a step was from the word's last value, as an addition to ``did``."""
    if not step.behind:
        return ""
    values = "a newer value" if step.behind == 1 else f"{step.behind} newer values"
    return f" (there {'is' if step.behind == 1 else 'are'} {values})"


def _wrap(text: str, width: int) -> list[str]:
    """Lines of a text; what is longer than a line is broken before a dot or behind a bracket."""
    room = width - 2
    breakable = [
        re.sub(r"(?<=[(])|(?=[.]\w)", " \0", word) if len(word) > room else word
        for word in text.split(" ")
    ]
    lines = textwrap.wrap(" ".join(breakable), width, subsequent_indent="  ")
    return [re.sub(r"(?<=\S) \0|\0", "", line) for line in lines]


def did(step: Step) -> str:
    """What a step did, in one line: ``swap lock.locked: 0 -> 1``."""
    match step.operation:
        case "load" | "read":
            return f"{step.operation} {step.word}: {step.was}"
        case "store" if any(step.buffers[step.thread]):
            return f"store {step.word}: {step.becomes}, into its buffer"
        case "flush":
            return f"{step.word} becomes {step.becomes} for all ({at(step)})"
        case "fence" | "block" | "pause" | "start":
            return step.operation
        case "wake":
            return f"wake thread {step.new}"
        case "random":
            return f"chooses {step.choice}"
        case "alloc":
            return f"alloc: {step.becomes}"
        case "free":
            return f"free {step.word}"
        case "compare_swap" if step.old == step.new:
            return f"compare_swap {step.word}: {step.was}, unchanged"
    if not step.was:
        return f"{step.operation} {step.word}".rstrip()
    return f"{step.operation} {step.word}: {step.was} -> {step.becomes}"
