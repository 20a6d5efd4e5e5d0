"""Where the fields of a struct lie: word offsets, strides and alignment on lines of a given size.

Rules: fields follow one another in the order of their declaration; a padded field, and every
element of which each CPU, node or thread has one, starts on a new line and leaves the rest of its
last line empty; a struct that holds such a field starts on a new line itself.

The lock meters know a lock by the address of its first word, so no two metered structs may begin at
one address. Where the first field of a metered struct is, or begins with, another metered struct (a
lock built of locks), the fields begin one word later: the outer struct's first word is its own, and
nothing uses it. If that first field is padded, it moves to the next line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from locksim.lang.fields import Field, array, param, part, word

if TYPE_CHECKING:
    from locksim.lang.struct import Struct


@dataclass(frozen=True, slots=True)
class Slot:
    """A field's place in words from the struct's start; stride and count of its elements.

    ``local``: element k lies in node k ("node"), or in the node of CPU k, modulo their number
    ("cpu", "thread"); "": at no place of its own.
    """

    offset: int
    stride: int
    count: int
    local: str = ""


class Layout:
    """The layout of one struct description on one machine.

    Arguments:
        struct: the description. space: the machine.

    Attributes:
        slots: the place of every field that has words. size: words, at least 1.
        aligned: True if it has to begin on a new line.
        meter_at_start: True if a metered struct begins at its first word (itself, or a part).
    """

    def __init__(self, struct: Struct, space: Space) -> None:
        self.struct, self.space = struct, space
        self.slots: dict[str, Slot] = {}
        self.aligned = False
        self.meter_at_start = bool(type(struct).METERED)
        line, cursor = space.words_per_line, 0
        for name, field in type(struct).FIELDS.items():
            if isinstance(field, param):
                continue
            if not self.slots and self._begins_metered(struct, name, field):
                cursor, self.meter_at_start = int(self.meter_at_start), True
            size, own_line, count = self._element(struct, name, field)
            if own_line:
                self.aligned = True
                size = _round_up(size, line)
                cursor = _round_up(cursor, line)
            local = field.per if isinstance(field, array) else ""
            self.slots[name] = Slot(cursor, size, count, local)
            cursor += size * count
        self.size = max(1, _round_up(cursor, line) if self.aligned else cursor)

    def _begins_metered(self, struct: Struct, name: str, field: Field) -> bool:
        """Whether a metered struct begins where a field does."""
        if isinstance(field, word) or (isinstance(field, array) and isinstance(field.of, word)):
            return False
        return self.space.layout(struct._parts[name]).meter_at_start

    def _element(self, struct: Struct, name: str, field: Field) -> tuple[int, bool, int]:
        """Size of one element in words, whether it needs own lines, how many there are."""
        if isinstance(field, word):
            return 1, field.padded, 1
        if isinstance(field, part):
            inner = self.space.layout(struct._parts[name])
            return inner.size, field.padded or inner.aligned, 1
        assert isinstance(field, array)
        count = self._count(struct, field)
        if isinstance(field.of, word):
            return 1, field.padded or field.of.padded, count
        inner = self.space.layout(struct._parts[name])
        return inner.size, field.padded or inner.aligned, count

    def _count(self, struct: Struct, field: array) -> int:
        if field.per:
            return self.space.places[field.per]
        count = struct._params.get(field.n) if isinstance(field.n, str) else field.n
        if count is None:
            raise TypeError(f"{type(struct).__name__}.{field.name}: there is no param {field.n!r}")
        if count < 1:
            raise TypeError(
                f"{type(struct).__name__}.{field.name} has {count} elements; it needs at least 1"
            )
        return count

    def slot(self, name: str) -> Slot:
        """The place of a field."""
        return self.slots[name]

    def offset(self, name: str) -> int:
        """The first word of a field, from the struct's start."""
        return self.slots[name].offset


class Space:
    """A view of memory: size of a line, numbers of CPUs and threads. Keeps a layout a description.

    Arguments:
        words_per_line: 64-bit words in a cache line.
        n_cpus: CPUs that take part; the number of elements of per-CPU fields.
        n_tasks: threads beyond one for each CPU.
        built_with: descriptions that pointers to their classes mean, instead of the defaults.
        n_nodes: NUMA nodes of the machine.
    """

    def __init__(
        self,
        words_per_line: int,
        n_cpus: int,
        n_tasks: int = 0,
        built_with: Iterable[Struct] = (),
        n_nodes: int = 1,
    ) -> None:
        self.words_per_line, self.n_cpus = words_per_line, n_cpus
        self.n_threads = n_cpus + n_tasks
        self.places = {"cpu": n_cpus, "node": n_nodes, "thread": self.n_threads}
        self._layouts: dict[Any, Layout] = {}
        self._defaults: dict[type[Struct], Struct] = {type(one): one for one in built_with}

    def layout(self, struct: Struct) -> Layout:
        """The layout of a description."""
        key = struct.key()
        if key not in self._layouts:
            self._layouts[key] = Layout(struct, self)
        return self._layouts[key]

    def default(self, target: type[Struct]) -> Struct:
        """The description that pointers to a class mean: what it is built with, or the default."""
        if target not in self._defaults:
            self._defaults[target] = target()
        return self._defaults[target]

    def view(self, target: type[Struct], address: int) -> Struct:
        """The struct that a pointer points to."""
        return self.default(target).placed(address, self)


def _round_up(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple
