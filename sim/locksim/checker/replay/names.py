"""Names of words and of what pointers point to, as a reader of a counterexample wants them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from locksim.checker.models import layout as m
from locksim.checker.models.model import Model
from locksim.lang.fields import array, param, part, word
from locksim.lang.struct import Struct

HALF = 1 << 32


def numeral(value: int) -> str:
    """A number as text; one that fills more than half of a word by its halves: ``3 << 32 | 5``."""
    if -HALF // 2 <= value < HALF:
        return str(value)
    high, low = divmod(value, HALF)
    return f"{high} << 32 | {low}" if low else f"{high} << 32"


class Names:
    """The names in one run; what is freed keeps its name, marked as such.

    Arguments:
        model: of what.
        shared: the shared row before the first step.
    """

    def __init__(self, model: Model, shared: list[int]) -> None:
        # A copy of its own: the names of its words are made once, its heap changes with each step.
        self.memory, self.size = dataclasses.replace(model.memory), model.tables.size
        self.kinds = [0] * len(self.memory.live)
        self.targets = dict(_pointers(self.memory.root))
        self.fields: dict[type[Struct], dict[int, type[Struct]]] = {}
        for kind in self.memory.types:
            inner = self.memory.space.default(kind).placed(0, self.memory.space)
            self.fields[kind] = dict(_pointers(inner))
        self.update(shared)

    def update(self, shared: list[int]) -> None:
        """Learn which objects are on the heap after a step."""
        lines, live, objects = (self.size[k] for k in (m.N_LINES, m.LIVE, m.OBJECT))
        self.live = shared[live : live + lines]
        if self.memory.types:
            now = shared[objects : objects + lines]
            self.kinds = [new or old for new, old in zip(now, self.kinds, strict=True)]
            self.memory.object_type = self.kinds

    def word(self, address: int) -> str:
        """The word's name: ``lock.nodes[1].next``, ``Node@5.next``, ``Node@5.next (freed)``."""
        line = address >> self.size[m.LINE_SHIFT]
        freed = 0 < line < len(self.live) and not self.live[line]
        return self.memory.name(address) + (" (freed)" if freed else "")

    def value(self, address: int, value: int) -> str:
        """A value as the word at an address holds it: a number, or ``&lock.nodes[1]``, or NULL."""
        target = self._target(address)
        if target is None or value < 0:
            return numeral(value)
        return self.place(target, value)

    def place(self, target: type[Struct], address: int) -> str:
        """The struct of a class that a pointer points to: ``&lock.nodes[1]``, ``&Node@5``."""
        space = self.memory.space
        line = address >> self.size[m.LINE_SHIFT]
        if address == 0 or line >= len(self.live):
            return "NULL" if address == 0 else str(address)
        depth = _depth(space.default(target).placed(0, space))
        return "&" + self.memory.name(address).rsplit(".", depth)[0]

    def object(self, address: int) -> str:
        """The heap object that starts at an address, if there ever was one."""
        line = address >> self.size[m.LINE_SHIFT]
        if 0 < line < len(self.kinds) and self.kinds[line]:
            return self.place(self.memory.types[self.kinds[line] - 1], address)
        return self.word(address)

    def _target(self, address: int) -> type[Struct] | None:
        if address in self.targets:
            return self.targets[address]
        shift = self.size[m.LINE_SHIFT]
        for start in range(min(address >> shift, len(self.kinds) - 1), 0, -1):
            if self.kinds[start]:
                kind = self.memory.types[self.kinds[start] - 1]
                return self.fields[kind].get(address - (start << shift))
        return None


def _pointers(struct: Struct) -> Iterator[tuple[int, type[Struct]]]:
    """Every pointer in a placed struct: address of the word, class that it points to."""
    for name, field in type(struct).FIELDS.items():
        if isinstance(field, param):
            continue
        here = getattr(struct, name)
        if isinstance(field, part):
            yield from _pointers(here)
        elif isinstance(field, array):
            for i in range(struct._layout.slot(name).count):  # type: ignore[union-attr]
                if not isinstance(field.of, word):
                    yield from _pointers(here[i])
                elif (target := field.of.target()) is not None:
                    yield int(here[i]), target
        elif isinstance(field, word) and (target := field.target()) is not None:
            yield int(here), target


def _depth(struct: Struct) -> int:
    """How many names lead from a struct to its first word: 1, more if it begins with a struct."""
    for name, field in type(struct).FIELDS.items():
        if isinstance(field, part):
            return 1 + _depth(getattr(struct, name))
        if isinstance(field, array) and not isinstance(field.of, word):
            return 1 + _depth(getattr(struct, name)[0])
        if isinstance(field, word | array):
            return 1
    return 1
