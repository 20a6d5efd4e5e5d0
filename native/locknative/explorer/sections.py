"""Sections of a program: what is put back between two runs, and what begins and ends it.

The compiler's assembly is rewritten. Between two variables there is a gap, so that an access beyond
one of them is noticed. Writable sections go to program_data and program_bss, which
the runtime puts back. Those to which the program gave a name of its own keep it, since a program
may ask where they begin and end. Constructors and destructors go to sections that the C library
does not know: the runtime calls them as a part of each run (explorer/lifetime.c). A table says
where all these lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["rewrite_sections", "sections_table"]

GAP = 64
"""Bytes between two variables, which nothing may touch (explorer/statics.c)."""

_SECTION = re.compile(
    r'^\t\.section\t"?(?P<name>[^\s,"]+)"?,"(?P<flags>\w*)"(?P<rest>.*)$', re.MULTILINE
)
_OURS = ("program_data", "program_bss", "program_tls")
_INSTRUMENTED = re.compile(
    r'^\t\.section\t\.init_array\.00099,"aw".*\n.*\n\t\.quad\t_sub_I_.*\n', re.M
)
"""gcc's call of __tsan_init(), which does nothing here."""
_CALLED = re.compile(r"\.(?P<when>init|fini)_array(\.(?P<priority>\d+))?")
_LAST = 65536
"""Where a constructor without a priority stands."""


def rewrite_sections(assembly: str) -> str:
    """Return assembly with the program's writable sections under names for the runtime."""

    def renamed(found: re.Match[str]) -> str:
        name, flags, rest = found["name"], found["flags"], found["rest"]
        if "w" not in flags or "T" in flags or name in _OURS:
            return found[0]
        if called := _CALLED.fullmatch(name):
            priority = int(called["priority"] or _LAST)
            return f'\t.section\tprogram_{called["when"]}_{priority:05},"aw"'
        if name.isidentifier():
            return found[0]
        whose = "program_bss" if "nobits" in rest else "program_data"
        return f'\t.section\t{whose},"aw"{rest}'

    return _with_gaps(_SECTION.sub(renamed, _INSTRUMENTED.sub("", assembly)))


_SWITCH = re.compile(r'\t(\.data|\.bss|\.text)|\t\.section\t"?([^\s,"]+)')
_ZEROS = re.compile(r"\t\.comm\t(?P<name>[^,]+),(?P<size>\d+),(?P<alignment>\d+)")


def _with_gaps(assembly: str) -> str:
    """Put a gap before each variable and behind the last, and list the gaps.

    Sections that have a name have none: their variables may be an array.
    """
    lines, gaps = [""], 0
    section, local = ".text", ""

    def gap() -> list[str]:
        return [f".Lgap{gaps}:", f"\t.zero\t{GAP}"]

    for line in assembly.splitlines():
        if switch := _SWITCH.match(line):
            section = switch[1] or switch[2]
        if line.startswith("\t.local\t"):
            local = line.split("\t")[2]
        elif (zeros := _ZEROS.fullmatch(line)) and zeros["name"] == local:
            name, size, alignment = zeros.groups()
            lines += ["\t.pushsection\t.bss", *gap(), f"\t.balign\t{alignment}"]
            lines += [f"\t.type\t{name}, @object", f"\t.size\t{name}, {size}", f"{name}:"]
            lines += [f"\t.zero\t{size}", "\t.popsection"]
            gaps += 1
            continue
        elif section in (".data", ".bss", "program_data", "program_bss") and re.match(
            r"\t\.type\t.*[@%]object", line
        ):
            at = len(lines) - lines[-1].startswith("\t.align")
            lines[at:at] = gap()
            gaps += 1
        lines.append(line)
    if gaps:
        for section in ("data", "bss"):
            lines += [f"\t.{section}", *gap()]
            gaps += 1
        lines.append('\t.section\tprogram_gaps,"a"')
        lines += [f"\t.quad\t.Lgap{number}" for number in range(gaps)]
    return "\n".join([*lines[1:], ""])


def sections_table(assemblies: Iterable[str]) -> str:
    """Return assembly that lists the sections of a program that :func:`rewrite_sections` left.

    It is empty if there are only program_data and program_bss.
    """
    named, called = set(), set()
    for assembly in assemblies:
        for found in _SECTION.finditer(assembly):
            name = found["name"]
            if re.fullmatch(r"program_(init|fini)_\d+", name):
                called.add(name)
            elif "w" in found["flags"] and "T" not in found["flags"] and name not in _OURS:
                named.add(name)
    tables = {
        "program_sections": sorted(named),
        "program_constructors": sorted(name for name in called if "_init_" in name),
        "program_destructors": sorted((name for name in called if "_fini_" in name), reverse=True),
    }
    lines = [
        line for name, sections in tables.items() if sections for line in _table(name, sections)
    ]
    return "\n".join([*lines, '\t.section\t.note.GNU-stack,"",%progbits', ""]) if lines else ""


def _table(name: str, sections: Sequence[str]) -> list[str]:
    """Begin and end of each section, and a begin of 0; nothing if there is no section."""
    ends = [f"\t.quad\t__start_{section}, __stop_{section}" for section in sections]
    head = ["\t.section\t.rodata", "\t.balign\t8", f"\t.globl\t{name}", f"{name}:"]
    return [*head, *ends, "\t.quad\t0"] if ends else []
