"""The fields of a struct: words, pointers, arrays, per-CPU storage, parts and parameters.

A field is a descriptor. On a placed struct (one that has an address in simulated memory) it gives
a reference to the word, an indexable array, or the embedded struct; on the class it gives itself.
Where a field lies is decided by :mod:`locksim.lang.layout`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from locksim.lang.ops import NULL, SEQ_CST, Kind, Op, Order

if TYPE_CHECKING:
    from locksim.lang.layout import Layout
    from locksim.lang.struct import Struct


class Field:
    """The base of all fields: a name, and the class that declares it."""

    name: str = "?"
    owner: type[Struct] | None = None

    def __set_name__(self, owner: type[Struct], name: str) -> None:
        self.name, self.owner = name, owner

    def __get__(self, obj: Struct | None, owner: type[Struct] | None = None) -> Any:
        if obj is None:
            return self
        if obj._layout is None:
            raise TypeError(
                f"{type(obj).__name__}.{self.name} has no address yet: "
                "it exists only while a program runs"
            )
        return self.place(obj)

    def __set__(self, obj: Struct, value: object) -> None:
        raise AttributeError(f"assign through an operation: yield self.{self.name}.store(...)")

    def place(self, obj: Struct) -> Any:
        """The field of a placed struct."""
        raise NotImplementedError


class word(Field):  # noqa: N801 - reads as a declaration, like dataclasses.field
    """One 64-bit word.

    Arguments:
        init: its value when the simulation starts.
        padded: True puts it on a cache line of its own.
        plain: True if it stands for data that is not atomic in C: the checker reports a race on it.
    """

    def __init__(self, init: int = 0, *, padded: bool = False, plain: bool = False) -> None:
        self.init, self.padded, self.plain = init, padded, plain

    def target(self) -> type[Struct] | None:
        """The struct that the word points to, or None for a plain number."""
        return None

    def place(self, obj: Struct) -> WordRef:
        """The word."""
        return WordRef(obj, obj._base + _layout(obj).offset(self.name), self.target())


class pointer(word):  # noqa: N801
    """A word that holds the address of a struct, or NULL.

    Arguments:
        to: the struct's class, or its name where it is not defined yet.
        padded: True puts the word on a cache line of its own.
    """

    def __init__(self, to: type[Struct] | str, *, padded: bool = False) -> None:
        super().__init__(NULL, padded=padded)
        self.to = to

    def target(self) -> type[Struct]:
        """The struct that the word points to.

        Raises:
            TypeError: there is no struct of that name.
        """
        if isinstance(self.to, str):
            if self.owner is None:
                raise TypeError(
                    f"pointer({self.to!r}) is used outside a struct: name the class itself"
                )
            found = (
                self.owner
                if self.owner.__name__ == self.to
                else vars(sys.modules[self.owner.__module__]).get(self.to)
            )
            if found is None:
                raise TypeError(
                    f"{self.owner.__name__}.{self.name}: there is no struct {self.to!r}"
                )
            self.to = found
        return self.to


class param(Field):  # noqa: N801
    """A number that is fixed when the struct is made: ``AVC(slots=64)``.

    Arguments:
        default: its value when the maker names none.
    """

    def __init__(self, default: int) -> None:
        self.default = default

    def __get__(self, obj: Struct | None, owner: type[Struct] | None = None) -> Any:
        return self if obj is None else obj._params[self.name]


class part(Field):  # noqa: N801
    """A struct embedded in this one, on the same lines as its neighbours.

    Arguments:
        of: the struct's class, or an instance with parameters; the maker may replace it:
            ``AVC(lock=TicketLock)``.
        padded: True lets it start on a new line and leaves the rest of its last line empty.
        align: as for :class:`array`.
    """

    def __init__(self, of: type[Struct] | Struct, *, padded: bool = False, align: int = 0) -> None:
        self.of, self.align = of, _alignment(align)
        self.padded = padded or align > 0

    def __get__(self, obj: Struct | None, owner: type[Struct] | None = None) -> Any:
        if obj is not None and obj._layout is None:
            return obj._parts[self.name]
        return super().__get__(obj, owner)

    def place(self, obj: Struct) -> Struct:
        """The embedded struct."""
        return obj._parts[self.name].placed(
            obj._base + _layout(obj).offset(self.name), _layout(obj).space
        )


class array(Field):  # noqa: N801
    """A fixed number of words, pointers or structs.

    Arguments:
        n: how many, or the name of a ``param``.
        of: ``word()``, ``pointer(...)``, or a struct (class or instance).
        padded: True gives every element a line of its own.
        align: bytes, a power of two, or 0. Every element begins at a multiple of it and takes up a
            multiple of it, as ``alignas`` would have it in C, and has lines of its own. The gap
            costs no memory: the address only says in which set of a cache a line falls
            (``sim/PHYSICS.md``, "What a CPU can hold"). Inside allocated objects it only pads.
        scattered: True lets the aligned elements lie in an order of chance, the same for every
            run: pages as a kernel's allocator hands them out, not as an array would have them.

    Raises:
        TypeError: ``align`` is not a power of two; ``scattered`` without ``align``.
    """

    per = ""
    """"cpu", "node" or "thread" where there is one element for each."""

    def __init__(
        self,
        n: int | str,
        of: word | type[Struct] | Struct | None = None,
        *,
        padded: bool = False,
        align: int = 0,
        scattered: bool = False,
    ) -> None:
        if scattered and not align:
            raise TypeError("scattered=True: give align=, too: the number of bytes of an element")
        self.n, self.align, self.scattered = n, _alignment(align), scattered
        self.padded = padded or align > 0
        self.of = word() if of is None else of

    def __set_name__(self, owner: type[Struct], name: str) -> None:
        super().__set_name__(owner, name)
        if isinstance(self.of, word):
            self.of.__set_name__(owner, name)

    def place(self, obj: Struct) -> ArrayRef:
        """The array, to be indexed."""
        return ArrayRef(obj, self)


class percpu(array):  # noqa: N801
    """One element for each CPU, on lines of its own in that CPU's node: ``self.nodes[cpu()]``.

    Arguments:
        of: ``word()``, ``pointer(...)``, or a struct (class or instance).
    """

    per = "cpu"

    def __init__(self, of: word | type[Struct] | Struct | None = None) -> None:
        super().__init__(0, of, padded=True)


class pernode(array):  # noqa: N801
    """One element for each NUMA node, on lines of its own in that node: ``self.queues[node()]``.

    Arguments:
        of: ``word()``, ``pointer(...)``, or a struct (class or instance).
    """

    per = "node"

    def __init__(self, of: word | type[Struct] | Struct | None = None) -> None:
        super().__init__(0, of, padded=True)


class perthread(array):  # noqa: N801
    """One element for each thread, on lines of its own: ``self.tasks[thread()]``.

    Thread t's element lies in the node of CPU t modulo the number of CPUs.

    Arguments:
        of: ``word()``, ``pointer(...)``, or a struct (class or instance).
        align, scattered: as for :class:`array`.
    """

    per = "thread"

    def __init__(
        self,
        of: word | type[Struct] | Struct | None = None,
        *,
        align: int = 0,
        scattered: bool = False,
    ) -> None:
        super().__init__(0, of, padded=True, align=align, scattered=scattered)


class WordRef:
    """A word in simulated memory. Its methods make operations for a program to yield."""

    __slots__ = ("_address", "_near", "_target")

    def __init__(self, near: Struct, address: int, target: type[Struct] | None) -> None:
        self._near, self._address, self._target = near, address, target

    def __int__(self) -> int:
        return self._address

    def _wrap(self) -> Callable[[int], Any] | None:
        target, near = self._target, self._near
        if target is None:
            return None
        return lambda address: _layout(near).space.view(target, address)

    def load(self, order: Order = SEQ_CST) -> Op:
        """Read the word."""
        return Op(Kind.LOAD, self._address, order=order, wrap=self._wrap())

    def store(self, value: Any, order: Order = SEQ_CST) -> Op:
        """Write the word."""
        return Op(Kind.STORE, self._address, int(value), order=order)

    def swap(self, value: Any, order: Order = SEQ_CST) -> Op:
        """Write the word and give its old value (exchange)."""
        return Op(Kind.SWAP, self._address, int(value), order=order, wrap=self._wrap())

    def compare_swap(self, expected: Any, desired: Any, order: Order = SEQ_CST) -> Op:
        """Write ``desired`` if the word equals ``expected``; give the old value in any case."""
        return Op(
            Kind.COMPARE_SWAP, self._address, int(expected), int(desired), order, self._wrap()
        )

    def fetch_add(self, value: int, order: Order = SEQ_CST) -> Op:
        """Add, and give the old value."""
        return Op(Kind.FETCH_ADD, self._address, int(value), order=order)

    def fetch_and(self, value: int, order: Order = SEQ_CST) -> Op:
        """Keep only the bits of ``value``, and give the old value."""
        return Op(Kind.FETCH_AND, self._address, int(value), order=order)

    def fetch_or(self, value: int, order: Order = SEQ_CST) -> Op:
        """Set the bits of ``value``, and give the old value."""
        return Op(Kind.FETCH_OR, self._address, int(value), order=order)

    def fetch_xor(self, value: int, order: Order = SEQ_CST) -> Op:
        """Flip the bits of ``value``, and give the old value."""
        return Op(Kind.FETCH_XOR, self._address, int(value), order=order)


class ArrayRef:
    """An array in simulated memory; indexing gives a word or an embedded struct."""

    __slots__ = ("_field", "_obj")

    def __init__(self, obj: Struct, field: array) -> None:
        self._obj, self._field = obj, field

    def __getitem__(self, index: int) -> Any:
        obj, name = self._obj, self._field.name
        layout = _layout(obj)
        slot = layout.slot(name)
        i = int(index)
        if not 0 <= i < slot.count:
            raise IndexError(index_detail(type(obj).__name__, name, i, slot.count))
        address = obj._base + slot.offset + i * slot.stride
        if isinstance(self._field.of, word):
            return WordRef(obj, address, self._field.of.target())
        return obj._parts[name].placed(address, layout.space)


def _alignment(align: int) -> int:
    """The bytes asked for.

    Raises:
        TypeError: they are not a power of two.
    """
    whole = isinstance(align, int) and not isinstance(align, bool)
    if not whole or align < 0 or align & (align - 1):
        raise TypeError(f"align={align!r}: give a power of two, in bytes, such as 8192")
    return align


def _layout(obj: Struct) -> Layout:
    """The layout of a placed struct."""
    assert obj._layout is not None
    return obj._layout


def index_detail(owner: str, name: str, index: int, count: int) -> str:
    """The message about a wrong index: the array, the index, and the range that it has to be in.

    Arguments:
        owner: the struct's class. name: the array's. index: what was asked for. count: elements.
    """
    return f"{owner}.{name}[{index}]: the index is outside 0..{count - 1}"
