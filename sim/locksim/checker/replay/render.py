"""A counterexample as text: what is wrong, the client's calls with their results, and the steps.

Whoever prints one prints this: the commands, the grader's messages and its pages. Each line has the
number of a step, its thread, its place and what it did, so any number of threads fits. Steps inside
one call of the library are one line.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

from locksim.checker.client import TEST_CLIENT
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.replay.invocations import Invocation
from locksim.checker.replay.names import numeral
from locksim.core.faults import place

WIDTH = 80
"""Characters in a line, unless another width is asked for."""
WIDEST_PLACE = 24
"""Characters of the column of places; a longer one has a line of its own."""
LEAST_TEXT = 24
"""Characters that the last column needs to stand beside the others."""

CLIENT, CALLS, STEPS = "client: ", "calls:", "steps"
"""How the first lines of the parts of a way begin."""

_Row = tuple[str, str, str, str]
"""Numbers of steps, thread, place, and what happened."""


def text(counterexample: Counterexample, width: int = WIDTH) -> str:
    """What is wrong, and the way there.

    Arguments:
        counterexample: what to show. width: characters in a line.
    """
    message = wrapped(f"{counterexample.found}: {counterexample.message}", width)
    return f"{message}\n{way(counterexample, width)}".rstrip()


def brief(counterexample: Counterexample) -> str:
    """What is wrong in a few words: the property, and each thread's calls or the message.

    ``race: acquire(); release() | acquire()``.
    """
    threads = sorted({call.thread for call in counterexample.calls})
    calls = [[c.text for c in counterexample.calls if c.thread == who] for who in threads]
    objects = {text.rpartition("(")[0].rpartition(".")[0] for own in calls for text in own}
    shorter = f"{objects.pop()}." if len(objects) == 1 else ""
    way = " | ".join("; ".join(text.removeprefix(shorter) for text in own) for own in calls)
    return f"{counterexample.found}: {way or counterexample.message.splitlines()[0]}"


def wrapped(says: str, width: int = WIDTH) -> str:
    """A text whose lines fit; a line's indentation stays, and its continuation has more.

    Arguments:
        says: the text. width: characters in a line.
    """
    return "\n".join(part for line in says.splitlines() for part in _wrap(line, width))


def way(counterexample: Counterexample, width: int = WIDTH, most: int = 0) -> str:
    """The way there: the client's calls with their results, then the steps.

    Arguments:
        counterexample: what to show. width: characters in a line.
        most: steps that are shown, the last ones; 0: all.
    """
    lines = _wrap(f"{CLIENT}{counterexample.client}", width) if counterexample.client else []
    if counterexample.calls:
        calls = sorted(counterexample.calls, key=lambda call: (*call.steps, call.began)[0])
        rows = [_called(call) for call in calls]
        lines += [CALLS, *(line for block in _blocks(rows, width) for line in block)]
    if counterexample.steps:
        under = f" ({counterexample.memory.upper()})" if counterexample.memory else ""
        lines += [f"{STEPS}{under}:", *_steps(counterexample, width, most)]
    return "\n".join(lines)


def divided(says: str) -> tuple[str, str]:
    """What is wrong, and the way there, of a text that has both; "" for a way that is not there.

    Arguments:
        says: as :func:`text` gives it, perhaps with another beginning.
    """
    found = re.search(rf"^({CLIENT}|{CALLS}$|{STEPS}( [(]|:$))", says, re.MULTILINE)
    return (says[: found.start()].rstrip(), says[found.start() :]) if found else (says, "")


def at(step: Step) -> str:
    """Where a step is in the program: file and line, or the library's test client."""
    return TEST_CLIENT if step.client else place(step.file, step.line)


def behind(step: Step) -> str:
    """Under C11: how far a step was from the word's last value, as an addition to ``did``."""
    if not step.behind:
        return ""
    values = "a newer value" if step.behind == 1 else f"{step.behind} newer values"
    return f" (there {'is' if step.behind == 1 else 'are'} {values})"


def did(step: Step) -> str:
    """What a step did, in one line: ``swap lock.locked: 0 -> 1``."""
    match step.operation:
        case "load" | "read":
            return f"{step.operation} {step.word}: {step.was}"
        case "store" if any(step.buffers[step.thread]):
            return f"store {step.word}: {step.becomes}, into its buffer"
        case "flush":
            return f"{step.word} becomes {step.becomes} for all"
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


def _called(call: Invocation) -> _Row:
    """The row of a call: all its steps, and what it has returned."""
    steps = _numbers(call.steps[0], call.steps[-1]) if call.steps else ""
    says = f"{call.text}, not over" if call.ended is None else _returned(call)
    return steps, f"thread {call.thread}", "", says


def _returned(call: Invocation) -> str:
    return call.text if call.result is None else f"{call.text} returned {numeral(call.result)}"


def _steps(counterexample: Counterexample, width: int, most: int) -> list[str]:
    """The lines of the steps; where they go round, a line says so."""
    rows = list(_rows(counterexample))
    blocks = _blocks([row for _, row in rows], width)
    left_out = max(0, len(rows) - most) if most else 0
    earlier = rows[left_out][0]
    lines = [f"  \N{HORIZONTAL ELLIPSIS} {earlier} earlier steps"] if left_out else []
    for (first, _), block in list(zip(rows, blocks, strict=True))[left_out:]:
        if first == counterexample.cycle:
            lines.append("  from here on, again and again:")
        lines += block
    return lines


def _rows(counterexample: Counterexample) -> Iterator[tuple[int, _Row]]:
    """Index and row of each step, or of consecutive steps inside one call of the library."""
    steps, calls = counterexample.steps, counterexample.library
    cycle, last = counterexample.cycle, len(steps) - 1
    inside = {step: k for k, call in enumerate(calls) for step in call.steps}
    if last in inside and calls[inside[last]].ended is None:
        del inside[last]  # it shows what is wrong in the call

    def line(k: int) -> tuple[int, bool]:
        return inside.get(k, -1 - k), cycle is not None and k >= cycle

    for (which, _), group in groupby(range(len(steps)), line):
        ours = list(group)
        first, end = steps[ours[0]], steps[ours[-1]]
        where, says = at(first), did(first) + behind(first)
        if which >= 0:
            over = calls[which].ended == ours[-1]
            call = _returned(calls[which]) if over else calls[which].text
            where = where.rpartition(":")[0]
            says = f"{call}: {len(ours)} step{'s' * (len(ours) > 1)}"
        marks = _standing([mark for k in ours for mark in steps[k].marks])
        says += "".join(f", {mark}" for mark in marks) + _buffer(end)
        yield ours[0], (_numbers(ours[0], ours[-1]), f"thread {first.thread}", where, says)


def _standing(marks: list[str]) -> list[str]:
    """What threads do to locks, without those that are taken and given back."""
    left: list[str] = []
    for mark in marks:
        taken = mark.replace("releases ", "acquired ")
        if mark != taken and taken in left:
            left.remove(taken)
        else:
            left.append(mark)
    return left


def _buffer(step: Step) -> str:
    """What waits in the thread's store buffer, beside a step that does not say so itself."""
    waiting = step.buffers[step.thread]
    if not waiting or step.operation in ("store", "flush"):
        return ""
    return "; buffer: " + ", ".join(f"{name}={shown}" for name, _, shown in waiting)


def _numbers(first: int, last: int) -> str:
    """Numbers of steps, from their indexes: ``3``, ``3-5``."""
    return f"{first + 1}" if first == last else f"{first + 1}-{last + 1}"


def _blocks(rows: Sequence[_Row], width: int) -> list[list[str]]:
    """The lines of each row, in columns; the last column is wrapped."""
    numbers, threads, places = (max(_columns(row[k]) for row in rows) for k in range(3))
    places = min(places, WIDEST_PLACE)
    indent = numbers + threads + 6 + (places + 2 if places else 0)
    narrow = width - indent < LEAST_TEXT
    indent = numbers + 4 if narrow else indent
    blocks = []
    for steps, thread, where, says in rows:
        head = f"  {steps:>{numbers}}  {thread}{' ' * (threads - _columns(thread))}  {where}"
        beside = not narrow and _columns(where) <= places
        lines = [" " * indent + line for line in _wrap(says, width - indent)]
        if beside and lines:
            gap = " " * (indent - _columns(head))
            blocks.append([head + gap + lines[0].lstrip(), *lines[1:]])
        else:
            blocks.append([head.rstrip(), *lines])
    return blocks


def _columns(shown: str) -> int:
    """The columns of a terminal that a text takes: names may be Japanese."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in shown)
    return len(shown) + wide - sum(unicodedata.combining(c) > 0 for c in shown)


def _wrap(line: str, width: int) -> list[str]:
    """A line as several; what is longer than one is broken before a dot or behind a bracket."""
    indent = line[: len(line) - len(line.lstrip())]
    room = width - len(indent) - 2
    breakable = [
        re.sub(r"(?<=[(])|(?=[.]\w)", " \0", word) if len(word) > room else word
        for word in line.strip().split(" ")
    ]
    lines = textwrap.wrap(
        " ".join(breakable), width, initial_indent=indent, subsequent_indent=f"{indent}  "
    )
    return [re.sub(r"(?<=\S) \0|\0", "", one) for one in lines]
