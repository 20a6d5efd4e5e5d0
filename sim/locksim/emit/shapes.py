"""Structs in C: the fields of a description, where the simulator puts them.

A description (a class with its parameters and parts) is one struct, named after the class. A padded
field starts on a line of its own, and so does what follows it. Elements of a padded array (such as
one for each CPU) are wrapped in a struct that fills lines, unless they do so by themselves; the
element is then its member ``own``. One rule of :mod:`locksim.lang.layout` is left out: the word by
which lock meters tell a lock from its first part.
"""

from __future__ import annotations

from collections.abc import Sequence

from locksim.emit.names import fresh, plain, snake
from locksim.emit.terms import INT
from locksim.lang.fields import Field, array, param, part, pointer, word
from locksim.lang.layout import Space
from locksim.lang.struct import Struct

LINE = "_Alignas(LOCKLAB_LINE) "


class Shapes:
    """The structs of one emitted file.

    Attributes:
        space: where descriptions are laid out; the number of CPUs does not matter here.
        tags: description → its tag. taken: names in use at the file's level.
    """

    def __init__(self) -> None:
        self.space = Space(8, 1)
        self.tags: dict[object, str] = {}
        self.specs: list[Struct] = []
        self.pointed: list[type[Struct]] = []
        self.taken: set[str] = set()

    def tag(self, spec: Struct) -> str:
        """The tag of a description's struct; what it holds is defined before it."""
        key = spec.key()
        if key not in self.tags:
            for inner in spec._parts.values():
                self.tag(inner)
            self.tags[key] = fresh(snake(plain(type(spec).__name__)), self.taken)
            self.specs.append(spec)
            for field in type(spec).FIELDS.values():
                self._note(field)
        return self.tags[key]

    def _note(self, field: Field) -> None:
        of = field.of if isinstance(field, array) else field
        if isinstance(of, pointer):
            self.tag(self.space.default(of.target()))

    def address(self, spec: Struct) -> str:
        """The type of a pointer to a description."""
        return f"struct {self.tag(spec)} *"

    def word(self, field: word) -> str:
        """The type of what a word holds."""
        target = field.target()
        return INT if target is None else self.address(self.space.default(target))

    def element(self, spec: Struct, name: str) -> str:
        """The type of an array's element as a place in memory."""
        field = type(spec).FIELDS[name]
        assert isinstance(field, array)
        if isinstance(field.of, word):
            return f"_Atomic({self.word(field.of)})"
        return f"struct {self.tag(spec._parts[name])}"

    def wrapped(self, spec: Struct, name: str) -> bool:
        """Whether an array's elements need a wrapper to lie on lines of their own."""
        field = type(spec).FIELDS[name]
        assert isinstance(field, array)
        if isinstance(field.of, word):
            return field.padded or field.of.padded
        return field.padded and not self.space.layout(spec._parts[name]).aligned

    def count(self, spec: Struct, name: str) -> str:
        """How many elements an array has."""
        field = type(spec).FIELDS[name]
        assert isinstance(field, array)
        if field.per in ("cpu", "node"):
            return f"LOCKLAB_{field.per.upper()}S"
        return str(self.space.layout(spec).slot(name).count)

    def definitions(self) -> list[str]:
        """The structs, as text, in an order in which each is complete where it is needed."""
        return [self._definition(spec) for spec in self.specs]

    def _definition(self, spec: Struct) -> str:
        lines = [f"struct {self.tag(spec)} {{"]
        own_line = False
        for name, field in type(spec).FIELDS.items():
            if isinstance(field, param):
                continue
            padded = self._padded(spec, name, field)
            lead = LINE if (padded or own_line) and not self._aligns(spec, name, field) else ""
            lines.append(f"    {lead}{self._declared(spec, name, field)};")
            own_line = padded
        if len(lines) == 1:
            lines.append(f"    _Atomic({INT}) nothing;")
        return "\n".join([*lines, "};"])

    def _padded(self, spec: Struct, name: str, field: Field) -> bool:
        inner = spec._parts.get(name)
        aligned = inner is not None and self.space.layout(inner).aligned
        of_word = isinstance(field, array) and isinstance(field.of, word) and field.of.padded
        return bool(getattr(field, "padded", False)) or of_word or aligned

    def _aligns(self, spec: Struct, name: str, field: Field) -> bool:
        """Whether the field's type starts on a line by itself."""
        inner = spec._parts.get(name)
        if inner is not None and self.space.layout(inner).aligned:
            return True
        return isinstance(field, array) and self.wrapped(spec, name)

    def _declared(self, spec: Struct, name: str, field: Field) -> str:
        said = plain(name)
        match field:
            case word():
                return f"_Atomic({self.word(field)}) {said}"
            case part():
                return f"struct {self.tag(spec._parts[name])} {said}"
            case array():
                of, n = self.element(spec, name), self.count(spec, name)
                if self.wrapped(spec, name):
                    return f"struct {{ {LINE}{of} own; }} {said}[{n}]"
                return f"{of} {said}[{n}]"
        raise TypeError(f"there is no such field as {field!r}")


def dotted(path: Sequence[str]) -> str:
    """Members, from outer to inner."""
    return ".".join(plain(name) for name in path)
