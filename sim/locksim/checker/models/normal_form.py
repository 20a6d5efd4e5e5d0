"""The normal form of a state: each group (:mod:`shifts`) has its anchor near 0."""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.lang.words import plus, times


def find_shift(t: m.Tables, before: list[int], shared: list[int]) -> tuple[int, int]:
    """The group whose anchor a step has moved away from 0, and by how much to shift it; or -1, 0.

    Arguments:
        t: the model's Tables.
        before, shared: the shared row before and after a step, which changes one word, so no more
            than one anchor.
    """
    for group in range(t.size[m.GROUPS]):
        anchor, step = t.shift_anchors[group], t.shift_steps[group]
        if shared[anchor] != before[anchor]:
            unit = step * t.shift_words[group * t.size[m.STATIC] + anchor]
            amount = -(shared[anchor] // unit) * step
            if amount:
                return group, amount
    return -1, 0


def shift_words(t: m.Tables, shared: list[int], group: int, amount: int) -> None:
    """Shift the words of a group."""
    first = group * t.size[m.STATIC]
    for a in range(t.size[m.STATIC]):
        if t.shift_words[first + a]:
            shared[a] = plus(shared[a], times(t.shift_words[first + a], amount))


def shift_row(t: m.Tables, row: list[int], group: int, amount: int) -> None:
    """Shift the registers and the buffered stores of a thread that belong to a group."""
    pc = row[m.PC]
    start, first = t.keep_start[pc], group * len(t.keep)
    for i in range(t.keep_start[pc + 1] - start):
        at = m.REGISTERS + i
        row[at] = plus(row[at], times(t.shift_kept[first + start + i], amount))
        if t.shift_moduli[start + i]:
            row[at] %= t.shift_moduli[start + i]
    buffer, first = t.size[m.BUFFER], group * t.size[m.STATIC]
    for i in range(row[m.BUFFERED]):
        address = row[buffer + 2 * i]
        if 0 <= address < t.size[m.STATIC]:
            value = row[buffer + 2 * i + 1]
            row[buffer + 2 * i + 1] = plus(value, times(t.shift_words[first + address], amount))


def greatest_distance(t: m.Tables, row: list[int], group: int) -> int:
    """How far the registers of a thread are from the anchor of their group, in its steps."""
    pc, most = row[m.PC], 0
    start, first = t.keep_start[pc], group * len(t.keep)
    for i in range(t.keep_start[pc + 1] - start):
        unit = t.shift_kept[first + start + i] * t.shift_steps[group]
        if unit:
            value, modulus = row[m.REGISTERS + i], t.shift_moduli[start + i]
            if modulus:
                value = min(value, modulus - value)
            most = max(most, abs(value // unit))
    return most
