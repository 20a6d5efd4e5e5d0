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
    if t.shift_lags[group]:
        _catch_up(t, row, group)
    buffer, first = t.size[m.BUFFER], group * t.size[m.STATIC]
    for i in range(row[m.BUFFERED]):
        address = row[buffer + 2 * i]
        if 0 <= address < t.size[m.STATIC]:
            value = row[buffer + 2 * i + 1]
            row[buffer + 2 * i + 1] = plus(value, times(t.shift_words[first + address], amount))


def _unit(t: m.Tables, group: int) -> int:
    """What a shift by 1 adds to the anchor of a group."""
    return t.shift_words[group * t.size[m.STATIC] + t.shift_anchors[group]]


def _catch_up(t: m.Tables, row: list[int], group: int) -> None:
    """Hold registers at the lag of their group if all of them are farther behind."""
    pc, unit = row[m.PC], _unit(t, group)
    start, first = t.keep_start[pc], group * len(t.keep)
    bound, most, kept = -t.shift_lags[group] * unit, 0, 0
    for i in range(t.keep_start[pc + 1] - start):
        if t.shift_kept[first + start + i]:
            value = row[m.REGISTERS + i]
            most = value if kept == 0 else max(most, value)
            kept += 1
    if kept == 0 or most >= bound:
        return
    amount = (bound - most) // unit * unit
    for i in range(t.keep_start[pc + 1] - start):
        if t.shift_kept[first + start + i]:
            row[m.REGISTERS + i] = plus(row[m.REGISTERS + i], amount)


def refutes_lag(
    t: m.Tables, before: list[int], shared: list[int], shifted: int, amount: int
) -> bool:
    """Whether a step shows that a word of a group decreases, or is far behind its anchor.

    The lag of that group counts no more.

    Arguments:
        before, shared: the shared row before and after a step.
        shifted, amount: the group that is about to be shifted, and by how much.
    """
    found = False
    for group in range(t.size[m.GROUPS]):
        first, moves = group * t.size[m.STATIC], amount if group == shifted else 0
        for a in range(t.size[m.STATIC] if t.shift_lags[group] else 0):
            unit = t.shift_words[first + a]
            near = shared[a] + unit * moves >= -t.size[m.N_THREADS] * unit
            if unit and (shared[a] < before[a] or not near):
                t.shift_lags[group] = 0
                found = True
    return found


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
