"""Read an object file as untrusted bytes: its sections, symbols and references.

Only the output of a compiler for one C file on a 64-bit little-endian machine is read. Every offset
and count is checked against the file before it is used; anything else is malformed. Source of the
format: System V ABI, chapters 4 and 5, with the supplements for x86-64 and AArch64.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from lockgrader.read.artefact import MalformedError

__all__ = ["Object", "Section", "Symbol", "read_object"]

MAX_BYTES = 2 << 20
MAX_SECTIONS = 4096
MAX_SYMBOLS = 20_000
MACHINES = {62: "x86_64", 183: "aarch64"}
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
SHT_NULL, SHT_SYMTAB, SHT_STRTAB, SHT_NOBITS, SHT_SYMTAB_SHNDX = 0, 2, 3, 8, 18
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_TLS = 1, 2, 4, 0x400
SHN_UNDEF, SHN_ABS, SHN_COMMON = 0, 0xFFF1, 0xFFF2
BINDINGS = {0: "local", 1: "global", 2: "weak", 10: "unique"}
KINDS = {0: "", 1: "object", 2: "function", 3: "section", 4: "file", 5: "common", 6: "tls"} | {
    10: "ifunc"
}


@dataclass(frozen=True)
class Section:
    """A section.

    Arguments:
        name, kind: kind is its sh_type. loaded, writable, executable, thread: its flags.
        size: in bytes, in memory.
    """

    name: str
    kind: int
    loaded: bool
    writable: bool
    executable: bool
    thread: bool
    size: int


@dataclass(frozen=True)
class Symbol:
    """A symbol.

    Arguments:
        name: as the linker sees it. binding: "local", "global", "weak", … kind: "function", …
        section: the number of its section; None where it is undefined. value: its place in it.
    """

    name: str
    binding: str
    kind: str
    section: int | None
    value: int


@dataclass(frozen=True)
class Object:
    """An object file.

    Arguments:
        machine: "x86_64" or "aarch64". sections, symbols: in the file's order.
    """

    machine: str
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    @property
    def undefined(self) -> set[str]:
        """The names that another object must define."""
        return {s.name for s in self.symbols if s.section is None}

    @property
    def defined(self) -> set[str]:
        """The names that other objects see."""
        return {s.name for s in self.symbols if s.section is not None and s.binding != "local"}

    def functions(self, section: str) -> list[int]:
        """Offsets of functions in the section of a name."""
        numbers = {i for i, one in enumerate(self.sections) if one.name == section}
        return sorted(
            s.value for s in self.symbols if s.kind == "function" and s.section in numbers
        )


def read_object(data: bytes) -> Object:
    """An object file's contents.

    Raises:
        MalformedError: it is not an object file of a C compiler.
    """
    if len(data) > MAX_BYTES:
        raise MalformedError(f"an object file of {len(data)} bytes; at most {MAX_BYTES} are read")
    ident, kind, machine, *_, table, _, _, _, _, entry, count, names = HEADER.unpack(
        _part(data, 0, HEADER.size)
    )
    if ident[:7] != b"\x7fELF\x02\x01\x01" or kind != 1 or machine not in MACHINES:
        raise MalformedError("not an object file for this kind of machine")
    if entry != SECTION.size or not 0 < count <= MAX_SECTIONS or names >= count:
        raise MalformedError("an object file without a section table")
    rows = [
        SECTION.unpack(_part(data, table + i * SECTION.size, SECTION.size)) for i in range(count)
    ]
    texts = _strings(data, rows, names)
    sections = tuple(
        Section(
            _name(texts, row[0]),
            row[1],
            bool(row[2] & SHF_ALLOC),
            bool(row[2] & SHF_WRITE),
            bool(row[2] & SHF_EXECINSTR),
            bool(row[2] & SHF_TLS),
            row[5],
        )
        for row in rows
    )
    tables = [i for i, row in enumerate(rows) if row[1] == SHT_SYMTAB]
    if len(tables) != 1 or any(row[1] == SHT_SYMTAB_SHNDX for row in rows):
        raise MalformedError("an object file must have exactly one symbol table")
    return Object(MACHINES[machine], sections, _symbols(data, rows, tables[0]))


def _symbols(data: bytes, rows: list[tuple[int, ...]], table: int) -> tuple[Symbol, ...]:
    at, size, link, entry = (rows[table][i] for i in (4, 5, 6, 9))
    if entry != SYMBOL.size or size % entry or size // entry > MAX_SYMBOLS or link >= len(rows):
        raise MalformedError("an invalid symbol table")
    names, found = _strings(data, rows, link), []
    for number in range(1, size // entry):
        name, info, _, section, value, _ = SYMBOL.unpack(_part(data, at + number * entry, entry))
        if info >> 4 not in BINDINGS or info & 15 not in KINDS:
            raise MalformedError("a symbol of an unknown kind")
        if section >= len(rows) and section not in (SHN_ABS, SHN_COMMON):
            raise MalformedError("a symbol in a section that does not exist")
        where = None if section == SHN_UNDEF else section
        kind = KINDS[info & 15]
        found.append(Symbol(_name(names, name), BINDINGS[info >> 4], kind, where, value))
    return tuple(found)


def _strings(data: bytes, rows: list[tuple[int, ...]], number: int) -> bytes:
    if rows[number][1] != SHT_STRTAB:
        raise MalformedError("an object file whose names are not in a string table")
    return _part(data, rows[number][4], rows[number][5])


def _name(texts: bytes, at: int) -> str:
    end = texts.find(b"\0", at) if at < len(texts) else -1
    if end < 0 or end - at > 300:
        raise MalformedError("a name that does not end")
    try:
        return texts[at:end].decode("ascii")
    except UnicodeDecodeError:
        raise MalformedError("a name outside ASCII") from None


def _part(data: bytes, at: int, size: int) -> bytes:
    if at > len(data) or size > len(data) - at:
        raise MalformedError("a truncated object file")
    return data[at : at + size]
