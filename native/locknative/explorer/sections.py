"""Sections of a program: what is put back between two runs, and what begins and ends it.

The compiler's assembly is rewritten. Writable sections go to program_data and program_bss, which
the runtime puts back. Those to which the program gave a name of its own keep it, since a program
may ask where they begin and end. Constructors and destructors go to sections that the C library
does not know: the runtime calls them as a part of each run (explorer/lifetime.c). A table says
where all these lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["rewrite_sections", "sections_table"]

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

    return _SECTION.sub(renamed, _INSTRUMENTED.sub("", assembly))


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
