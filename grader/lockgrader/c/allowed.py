"""Check the compiler's output of a submission: every instruction and every name.

The source was checked before (:mod:`.source`), but a compiler knows more ways to reach the machine
than a reader of C. So the assembly is checked too. It hides nothing: hand-written instructions
stand between the compiler's marks, and a jump to a computed address has an instruction of its own.
The object lists every name that is used or defined, and every section. Both come from a sandbox in
which nothing of the submission has run.
"""

from __future__ import annotations

import re
from collections.abc import Set

from lockgrader.c.elf import SHT_NULL, Object
from lockgrader.read.artefact import MalformedError
from lockgrader.read.refused import Refused

__all__ = ["CALLS", "examine_assembly", "examine_object"]

MAX_ASSEMBLY = 4 << 20
MOST_STATIC = 128 << 10
"""Bytes of static variables: a pool of more would hold all entries that any check makes."""
CALLS = frozenset(
    {
        *("malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"),
        *("memcmp", "memcpy", "memmove", "memset", "abort", "__assert_fail"),
        *(f"pthread_mutex_{x}" for x in ("init", "destroy", "lock", "trylock", "unlock")),
        *(f"pthread_spin_{x}" for x in ("init", "destroy", "lock", "trylock", "unlock")),
        *(f"locklab_rcu_{x}" for x in ("read_lock", "read_unlock", "synchronize", "call")),
        *(f"locklab_rcu_{x}" for x in ("barrier", "register", "unregister", "is_reading")),
        "locklab_rcu_quiescent",
    }
)
"""Functions that a submission may call, by the names that the compiler gives them."""

DIRECTIVES = frozenset(
    {
        *("align", "balign", "p2align", "text", "data", "bss", "section", "globl", "global"),
        *("type", "size", "local", "comm", "file", "loc", "ident", "set", "arch", "cpu", "word"),
        *("byte", "value", "short", "hword", "2byte", "4byte", "8byte", "long", "quad", "xword"),
        *("zero", "string", "ascii", "uleb128", "sleb128", "float", "double", "octa"),
    }
)
MARKS = ("#APP", "//APP", "@APP")
COMPUTED = re.compile(r"(?:notrack\s+)?(?:call|jmp|lcall|ljmp)\w*\s+\*|\*%|(?:blr|br)a?[abz]*\s+x")
"""A call or a jump to an address that the program has computed."""
PRIVILEGED = re.compile(
    r"(syscall|sysenter|sysret|int\d*|into|iret\w*|in[bwl]?|out[bwl]?|ins[bwl]|outs[bwl]|hlt|cli|sti|"
    r"wrfsbase|wrgsbase|rdfsbase|rdgsbase|wrpkru|rdpkru|xbegin|xend|xabort|svc|hvc|smc|brk|msr|mrs)\b"
)
SEGMENT = re.compile(r"%[fg]s:")
_BASE_SECTIONS = (
    r"\.(text|data|bss|rodata|data\.rel\.ro|data\.rel\.ro\.local|data\.rel|data\.rel\.local)"
    r"(\.(hot|unlikely|startup|exit|cst\d+|str\d+\.\d+|local))?"
)
SECTIONS = re.compile(
    rf"({_BASE_SECTIONS}|submission_(text|data|bss)|\.eh_frame|\.debug_\w+|\.note\.GNU-stack|"
    r"\.note\.gnu\.property|\.comment|\.symtab|\.strtab|\.shstrtab|\.rela(\.|submission_)[\w.]+)"
)
CONSTRUCTORS = re.compile(r"\.(?:rela)?\.?(init|fini)_array\.00099")
"""A sanitizer's own constructor: one address in each section; a submission cannot add any."""


def examine_assembly(text: str, file: str) -> None:
    """Refuse instructions and directives that no allowed C compiles to.

    Raises:
        Refused: inline assembly, a computed call, a system call.
        MalformedError: not assembly of our compiler.
    """
    if len(text) > MAX_ASSEMBLY:
        raise MalformedError(f"{len(text)} characters of assembly")
    place, labels = file, set[str]()  # labels since the last instruction
    for line in text.splitlines():
        code = line.strip()
        if located := re.match(r"\.loc\s+\d+\s+(\d+)", code):
            place = f"{file}:{located[1]}"
        if code.startswith(MARKS):
            raise Refused("forbidden_operation", f"{place}: inline assembly: use C11 atomics")
        if not code or code.startswith(("#", "//")):
            continue
        if re.fullmatch(r"[.\w$]+:", code):
            labels.add(code[:-1])
            continue
        name, _, rest = code.partition("\t")
        name = name.split()[0]
        if name.startswith("."):
            _examine_directive(name[1:], rest or code.partition(" ")[2], place)
        elif SEGMENT.search(code):
            raise Refused(
                "forbidden_operation",
                f"{place}: a thread-local variable: use an array with an element for each thread",
            )
        elif COMPUTED.search(code):
            raise Refused(
                "forbidden_operation",
                f"{place}: a call through a pointer: call functions by their names",
            )
        elif rest in labels and name in ("jmp", "b"):
            why = "an empty loop without an end: where nothing can go on, call abort()"
            raise Refused("student_error", f"{place}: {why}")  # no counter would count it
        elif PRIVILEGED.match(name) or not re.fullmatch(r"[a-z][a-z0-9.]*", name):
            raise Refused("forbidden_operation", f"{place}: the instruction {name[:20]}")
        if not name.startswith("."):
            labels.clear()


def _examine_directive(name: str, rest: str, place: str) -> None:
    if name.startswith("cfi_"):
        return
    if name not in DIRECTIVES:
        raise Refused("forbidden_operation", f"{place}: the assembler's .{name[:30]}")
    if name == "section":
        section = rest.partition(",")[0].strip().strip('"')
        if not (SECTIONS.fullmatch(section) or CONSTRUCTORS.fullmatch(section)):
            raise Refused("forbidden_operation", f"{place}: the section {section[:40]}")


def examine_object(
    made: Object, file: str, exports: Set[str], calls: Set[str], *, instrumented: bool
) -> None:
    """Refuse an object with a name or a section that is not allowed.

    Arguments:
        made: the object. file: the submission's name, for messages.
        exports: functions that it must define, and the only global names that it may have.
        calls: names that it may use. instrumented: whether a sanitizer's constructor may be in it.

    Raises:
        Refused: naming the first forbidden or missing name.
    """
    for symbol in made.symbols:
        if symbol.kind in ("ifunc", "tls", "common") or symbol.binding in ("weak", "unique"):
            raise Refused(
                "forbidden_operation",
                f"{file} defines {symbol.name[:60]} as a {symbol.binding} {symbol.kind} symbol",
            )
        if symbol.binding == "local" and symbol.name.startswith(("__asan_", "__tsan_", "__ubsan_")):
            raise Refused("forbidden_operation", f"{file} defines {symbol.name[:60]}")
    for name in sorted(made.undefined - calls - {""}):
        shown = name.removeprefix("program_")
        raise Refused(
            "forbidden_operation",
            f"{file} uses {shown[:60]}, which does not exist here: use malloc and free, "
            "mutexes, spin locks, and liburcu",
        )
    for name in sorted(made.defined - exports):
        raise Refused("forbidden_operation", f"{file} defines {name[:60]}: make it static")
    missing = sorted(
        exports - {s.name for s in made.symbols if s.kind == "function" and s.binding == "global"}
    )
    if missing:
        raise Refused("student_error", f"{file} defines no function {', '.join(missing)}")
    _examine_sections(made, file, instrumented)


def _examine_sections(made: Object, file: str, instrumented: bool) -> None:
    static = sum(one.size for one in made.sections if one.loaded and one.writable)
    if static > MOST_STATIC:
        raise Refused(
            "forbidden_operation",
            f"{file} has {static:,} bytes of static variables; at most {MOST_STATIC:,} are "
            "allowed: take memory for each entry with malloc() and give it back with free()",
        )
    for section in made.sections:
        if section.kind == SHT_NULL or SECTIONS.fullmatch(section.name):
            continue
        own = instrumented and CONSTRUCTORS.fullmatch(section.name.replace(".rela", "", 1))
        if not own or (section.loaded and section.size != 8):
            raise Refused("forbidden_operation", f"{file} has the section {section.name[:60]}")
