"""What the numbers of a run are called in the program: places, variables, blocks.

Variables are named through the debug information, down to the member of a struct and the element
of an array: ``all.seats[1].node.next``.
"""

from __future__ import annotations

import bisect
import struct
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from locknative.compilation import toolchain

if TYPE_CHECKING:  # of an extra, which labs without C do not need
    from elftools.dwarf.die import DIE
    from elftools.elf.elffile import ELFFile

STACKS, STACK_SIZE, MOST_THREADS = 0x1100000000, 256 << 10, 64
HEAP, HEAP_SIZE = 0x1000000000, MOST_THREADS * (16 << 20)


SYMBOL = struct.Struct("<IBBHQQ")
"""Elf64_Sym: name, info, other, section, value, size."""

STT_OBJECT, STT_FUNC = 1, 2


class Symbol(NamedTuple):
    """A line of the symbol table."""

    kind: int
    address: int
    size: int
    name: str


class Place(NamedTuple):
    """A line of the program."""

    file: str
    line: int
    function: str


class Variable(NamedTuple):
    """A static variable."""

    address: int
    size: int
    name: str
    type: DIE | None


class Names:
    """The names of a linked program.

    Args:
        program: the executable.
        blocks: what malloc gave out in the run: (address, size, place).
    """

    def __init__(self, program: Path, blocks: Iterable[tuple[int, int, int]] = ()) -> None:
        from elftools.elf.elffile import ELFFile

        self._program = program
        with program.open("rb") as file:
            elf = ELFFile(file)
            symbols = list(_symbols(elf))
            self._variables = sorted(_variables(elf, symbols), key=lambda each: each.address)
        self._functions = {each.address: each.name for each in symbols if each.kind == STT_FUNC}
        self._starts = [variable.address for variable in self._variables]
        self._blocks = sorted(blocks)
        self._block_starts = [block[0] for block in self._blocks]
        self._places: dict[int, Place] = {}

    def learn(self, pcs: Iterable[int]) -> None:
        """Look up places, all at once."""
        wanted = sorted(set(pcs) - self._places.keys() - {0})
        if not wanted:
            return
        # A return address belongs to the instruction after the call.
        questions = "".join(f"{pc - 1:#x}\n" for pc in wanted)
        said = subprocess.run(
            [toolchain.tool("addr2line"), "-f", "-e", str(self._program)],
            input=questions,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for pc, function, where in zip(wanted, said[::2], said[1::2], strict=True):
            # Behind it there may stand " (discriminator 2)"; a path may hold spaces.
            file, _, line = where.partition(" (discriminator ")[0].rpartition(":")
            number = int(line) if line.isdigit() else 0
            self._places[pc] = Place(file, number, function.removeprefix("program_"))

    def place(self, pc: int) -> Place:
        """Return where a return address came from."""
        self.learn([pc])
        return self._places.get(pc, Place("", 0, ""))

    def word(self, address: int, size: int = 0) -> str:
        """Return what lies at an address, as the program calls it."""
        at = bisect.bisect_right(self._starts, address) - 1
        if at >= 0 and address < self._variables[at].address + max(self._variables[at].size, 1):
            variable = self._variables[at]
            part = _part(variable.type, address - variable.address, size)
            return variable.name + part.partition(".__")[0]  # not what is inside a pthread_mutex_t
        if HEAP <= address < HEAP + HEAP_SIZE:
            return self._in_block(address)
        if STACKS <= address < STACKS + MOST_THREADS * STACK_SIZE:
            thread = (address - STACKS) // STACK_SIZE
            top = STACKS + (thread + 1) * STACK_SIZE
            return f"stack{thread}-{top - address}"
        return f"{address:#x}"

    def value(self, value: int, size: int) -> str:
        """Return a value as text: what it points to, a small negative number, or itself."""
        if size == 8 and value in self._functions:
            return f"&{self._functions[value]}"
        if size == 8 and value >= 1 << 16:
            name = self.word(value)
            if not name.startswith("0x"):
                return f"&{name}"
        if 0 < size <= 8 and value >> (8 * size - 1) and value > (1 << 8 * size) - 1000:
            return str(value - (1 << 8 * size))
        return str(value) if value < 1 << 20 else f"{value:#x}"

    def _in_block(self, address: int) -> str:
        number = bisect.bisect_right(self._block_starts, address) - 1
        if number < 0:
            return f"{address:#x}"
        offset = address - self._blocks[number][0]
        return f"block{number + 1}" + (f"+{offset}" if offset else "")


def _symbols(elf: ELFFile) -> Iterator[Symbol]:
    """Yield the symbols of a program, read at once: elftools parses each apart, which is slow."""
    table, texts = elf.get_section_by_name(".symtab"), elf.get_section_by_name(".strtab")
    if table is None or texts is None:
        return
    names = texts.data()
    for name, info, _, _, address, size in SYMBOL.iter_unpack(table.data()):
        text = names[name : names.index(b"\0", name)].decode()
        yield Symbol(info & 0xF, address, size, text)


def _variables(elf: ELFFile, symbols: Iterable[Symbol]) -> Iterator[Variable]:
    types = dict(_types(elf)) if elf.has_dwarf_info() else {}
    for kind, address, size, name in symbols:
        if kind == STT_OBJECT and size:  # a static inside a function is called name.1234
            yield Variable(address, size, name.partition(".")[0], types.get(address))


def _types(elf: ELFFile) -> Iterable[tuple[int, DIE]]:
    """Return the type of each variable with a fixed address (DW_OP_addr)."""
    # Of a linked program nothing is left to relocate; the search for it takes most of the time.
    for unit in elf.get_dwarf_info(relocate_dwarf_sections=False).iter_CUs():
        for die in unit.iter_DIEs():
            location = die.attributes.get("DW_AT_location")
            if die.tag != "DW_TAG_variable" or location is None:
                continue
            value = location.value
            if isinstance(value, list) and len(value) == 9 and value[0] == 0x03:
                address = int.from_bytes(bytes(value[1:]), "little")
                declared = die
                for attribute in ("DW_AT_specification", "DW_AT_abstract_origin"):
                    if attribute in die.attributes:
                        declared = die.get_DIE_from_attribute(attribute)
                if "DW_AT_type" in declared.attributes:
                    yield address, declared.get_DIE_from_attribute("DW_AT_type")


def _part(die: DIE | None, offset: int, size: int) -> str:
    """Return the member or element at an offset, as ``[1].next``."""
    die = _bare(die)
    if die is None:
        return f"+{offset}" if offset else ""
    if die.tag == "DW_TAG_array_type":
        element = _bare(die.get_DIE_from_attribute("DW_AT_type"))
        each = _size(element)
        if each:
            return f"[{offset // each}]" + _part(element, offset % each, size)
    if die.tag in ("DW_TAG_structure_type", "DW_TAG_union_type"):
        if size and offset == 0 and size == _size(die) and die.tag == "DW_TAG_structure_type":
            return ""
        if member := _member(die, offset, size):
            at = member.attributes.get("DW_AT_data_member_location")
            inner = _part(
                member.get_DIE_from_attribute("DW_AT_type"),
                offset - (at.value if at is not None else 0),
                size,
            )
            name = member.attributes.get("DW_AT_name")
            return (f".{name.value.decode()}" if name is not None else "") + inner
    return f"+{offset}" if offset else ""


def _member(die: DIE, offset: int, size: int) -> DIE | None:
    """Return the member that covers an offset; of a union's, the one of the right size."""
    found = None
    for member in die.iter_children():
        if member.tag != "DW_TAG_member" or "DW_AT_type" not in member.attributes:
            continue
        at = member.attributes.get("DW_AT_data_member_location")
        start = at.value if at is not None else 0
        length = _size(_bare(member.get_DIE_from_attribute("DW_AT_type")))
        if not start <= offset < start + max(length, 1):
            continue
        if found is None or (size and length == size):
            found = member
    return found


_WRAPPERS = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type")


def _bare(die: DIE | None) -> DIE | None:
    while die is not None and die.tag in _WRAPPERS:
        die = die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None
    return die


def _size(die: DIE | None) -> int:
    """Return a type's size in bytes, 0 where it is not said."""
    if die is None:
        return 0
    if die.tag == "DW_TAG_array_type":
        each = _size(_bare(die.get_DIE_from_attribute("DW_AT_type")))
        for dimension in die.iter_children():
            each *= _count(dimension.attributes)
        return each
    if "DW_AT_byte_size" in die.attributes:
        size: int = die.attributes["DW_AT_byte_size"].value
        return size
    return 8 if die.tag == "DW_TAG_pointer_type" else 0


def _count(attributes: dict[str, Any]) -> int:
    if "DW_AT_count" in attributes:
        count: int = attributes["DW_AT_count"].value
        return count
    bound = attributes.get("DW_AT_upper_bound")
    return bound.value + 1 if bound is not None and isinstance(bound.value, int) else 0
