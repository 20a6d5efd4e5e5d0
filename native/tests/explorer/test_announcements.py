"""Every access is announced: races, uses of freed memory, and the values of honest programs."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from locknative.compilation import toolchain
from locknative.errors import NativeError
from locknative.explorer import Program, Search
from locknative.explorer.announcements import announced
from locknative.explorer.machines import machine
from locknative.explorer.program import DESCRIBED, FLAGS
from locknative.explorer.search import run
from locksim.checker.limits import WITHIN_LIMITS

ACCESSES = Path(__file__).parents[1] / "programs/accesses.c"
TYPES = (
    *("odd", "pair", "reals", "mixed", "big", "huge", "bits", "either"),
    *("vector", "complex", "wide"),
)
WRITES = {
    "result": "*shared = make_{}()",
    "memset": "__builtin_memset(shared, 1, sizeof(*shared))",
    "memset of a byte": "__builtin_memset(shared, *(char *)at, *(char *)at * sizeof(*shared))",
    "memcpy": "__builtin_memcpy(shared, at, sizeof(*shared))",
    "copy": "*shared = *at",
    "compound literal": "*shared = (({}[]){{*at}})[0]",
    "one of two": "*shared = chosen ? *at : make_{}()",
    "comma": "*(chosen = 1, shared) = *at",
    "statement expression": "*shared = ({{ {} copy = *at; copy; }})",
    "index": "shared[chosen] = at[chosen]",
    "volatile": "*(volatile {} *)shared = *at",
    "as integers": "for (unsigned i = 0; i < sizeof(*at); i++) ((char *)shared)[i] = 1",
}
READS = {
    "argument": "chosen = take_{}(*shared)",
    "variadic argument": "chosen = sum_{}(1, *shared)",
    "argument of a call that gives one": "chosen = take_{0}(same_{0}(shared))",
    "copy": "*at = *shared",
    "memcpy": "__builtin_memcpy(at, shared, sizeof(*shared))",
    "initialiser": "{} copy = *shared; (void)copy",
    "array of variable length": "{} some[chosen + 1]; some[chosen] = *shared",
}
FORMS = {
    f"{kind} of {of}": (of, text.format(of), writes)
    for kinds, writes in ((WRITES, True), (READS, False))
    for kind, text in kinds.items()
    for of in TYPES
}


ANNOUNCED = "".join(f"ANNOUNCE({does}_range)\n" for does in ("read", "write"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the list of forms."""
    made = tmp_path_factory.mktemp("forms")
    lines = [
        f"ACCESS({number}, {of}, {int(writes)}, {text})\n"
        for number, (of, text, writes) in enumerate(FORMS.values())
    ]
    (made / "forms.h").write_text("".join(lines))
    return made


@pytest.fixture(scope="module")
def program(folder: Path) -> Iterator[Program]:
    """All forms in one program; the seed chooses."""
    with Program([ACCESSES], includes=[folder]) as compiled:
        yield compiled


def watched(assembly: str, folder: Path) -> list[str]:
    """Run all forms on the processor, and return those with an access that was not announced."""
    explorer, made = toolchain.sources() / "explorer", folder / "watched"
    doors, text = folder / "doors.S", folder / "accesses.s"
    doors.write_text(
        (explorer / "machine.S").read_text().replace('#include "doors.def"', ANNOUNCED)
    )
    text.write_text(assembly)
    files = [text, doors, ACCESSES.with_name("watched.c")]
    toolchain.compile_c(["-g", "-no-pie", "-pthread", *files, "-o", made], "the forms")
    done = subprocess.run([made, str(len(FORMS))], capture_output=True, text=True, check=True)
    assert int(done.stderr) >= len(FORMS)  # accesses that were looked at
    lines = done.stdout.splitlines()
    return [list(FORMS)[int(line)] if line.isdigit() else line for line in lines]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the processor's single steps")
def test_the_processor_agrees(folder: Path) -> None:
    """Each access that the processor makes lies in what was announced; not so with gcc alone."""
    include, assembly = toolchain.sources() / "explorer/include", folder / "accesses.s"
    this = machine("x86_64")
    options = [
        *FLAGS,
        *DESCRIBED,
        *this.options,
        f"-I{folder}",
        f"-I{include}",
        "-include",
        "locklab/explore.h",
    ]
    options += ["-Dmalloc=watched_malloc", "-Dfree=watched_free"]
    toolchain.compile_c([*options, "-S", ACCESSES, "-o", assembly], "the forms")
    text = assembly.read_text()
    assert {"result of pair", "argument of big", "memset of huge"} <= set(watched(text, folder))
    assert [] == watched(announced(text, "the forms", this, volatile_apart=False), folder)


FOUND = {
    "raced": ("violated", "race"),
    "freed": ("violated", "memory"),
    "honest": (WITHIN_LIMITS, ""),
}


def found(program: Program, name: str) -> dict[str, tuple[str, str]]:
    """Return what is found in a form, for each way to run it."""
    first = len(FOUND) * list(FORMS).index(name)
    seen = {how: run(program, Search(seed=first + place)) for place, how in enumerate(FOUND)}
    return {how: (one.verdict, one.found) for how, one in seen.items()}


def test_forms_are_seen(program: Program) -> None:
    """Another access to the last byte races, freed memory is noticed, honest use is proven.

    Blocks come from malloc(), so there is a limit.
    """
    names = list(FORMS)[::31]
    assert dict.fromkeys(names, FOUND) == {name: found(program, name) for name in names}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_seen(name: str, program: Program) -> None:
    """The same for each kind of each type."""
    assert FOUND == found(program, name)


def verdict(tmp_path: Path, text: str, **how: object) -> tuple[str, str]:
    """Return what is found in a program."""
    file = tmp_path / "program.c"
    file.write_text(text)
    with Program([file]) as program:
        seen = run(program, Search(**how))  # type: ignore[arg-type]
    return seen.verdict, seen.found


LENT = """
#include <stdatomic.h>
struct pair { long a, b; };
static _Atomic(struct pair *) lent;
static _Atomic int done;
static struct pair make(void) { return (struct pair){1, 2}; }
static long take(struct pair pair) { return pair.a; }
void locklab_thread(int me)
{
    if (me == 0) {
        struct pair own = make();
        atomic_store_explicit(&lent, &own, memory_order_release);
        USE;
        while (!atomic_load_explicit(&done, memory_order_acquire))
            ;
    } else {
        struct pair *at = atomic_load_explicit(&lent, memory_order_acquire);
        if (at)
            at->b = 3;
        atomic_store_explicit(&done, 1, memory_order_release);
    }
}
"""


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("own = make()", ("violated", "race")),
        ("take(own)", ("violated", "race")),
        ("make()", ("proven", "")),
    ],
)
def test_a_local_lent_to_another_thread(
    use: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    """The frame of a function is its own only as far as no address was taken."""
    assert expected == verdict(tmp_path, LENT.replace("USE", use))


EXPECTED = """
#include <stdatomic.h>
static _Atomic int word;
static int shared[2];
void locklab_thread(int me)
{
    if (me)
        shared[OTHER] = 0;
    else
        atomic_compare_exchange_strong(&word, &shared[0], 1);
}
"""


def test_the_expected_value_is_read(tmp_path: Path) -> None:
    """A compare-and-swap reads what it expects, as a plain read."""
    assert ("violated", "race") == verdict(tmp_path, EXPECTED.replace("OTHER", "0"))
    assert ("proven", "") == verdict(tmp_path, EXPECTED.replace("OTHER", "1"))


BIT_FIELDS = """
struct both { char beside; unsigned field : 24; } both;
static int take(struct both both) { return both.beside; }
void locklab_thread(int me) { (void)take; if (me) both.beside = 1; else WHAT; }
"""


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("both.field = 5", ("proven", "")),
        ("both.field++", ("proven", "")),
        ("(void)(both.field == 7)", ("proven", "")),
        ("(void)(both.field + take(both))", ("violated", "race")),
    ],
)
def test_what_lies_beside_a_bit_field(what: str, expected: tuple[str, str], tmp_path: Path) -> None:
    """The processor reads it along with the field, and the program does not."""
    assert expected == verdict(tmp_path, BIT_FIELDS.replace("WHAT", what))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="instructions of x86-64")
@pytest.mark.parametrize(
    "text",
    [
        "struct wide { int at __attribute__((vector_size(32))); } shared;\n"
        '__attribute__((target("avx"))) struct wide make(void) { return shared; }\n'
        '__attribute__((target("avx"))) void locklab_thread(int me) { shared = make(); }\n',
        "__seg_gs int there;\nvoid locklab_thread(int me) { there = me; }\n",
    ],
)
def test_what_cannot_be_announced_is_refused(text: str, tmp_path: Path) -> None:
    """With its place, and what to write in its place."""
    with pytest.raises(NativeError, match=r"program\.c:\d: the compiler does not announce"):
        verdict(tmp_path, text)


INIT = """
#include <stdatomic.h>
#include <stdlib.h>
struct node { _Atomic(int) count; _Atomic(struct node *) next; };
static struct node shared;
static _Atomic(struct node *) first;
void locklab_thread(int me)
{
    if (me == 0) {
        struct node *node = AT;
        atomic_init(&node->count, 1);
        atomic_init(&node->next, NULL);
        atomic_store_explicit(&first, node, memory_order_release);
    } else {
        struct node *node = FOUND;
        if (node)
            locklab_assert(atomic_load_explicit(&node->count, memory_order_relaxed) == 1);
    }
}
"""


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize(
    ("at", "found_by", "expected"),
    [
        ("&shared", "atomic_load_explicit(&first, memory_order_acquire)", ("proven", "")),
        ("&shared", "&shared", ("violated", "race")),
        ("malloc(1)", "NULL", ("violated", "memory")),
    ],
)
def test_initialising_is_no_atomic_operation(
    at: str, found_by: str, expected: tuple[str, str], memory: str, tmp_path: Path
) -> None:
    """atomic_init() beside another access is a race (C11 7.17.2.1), and none before it."""
    text = INIT.replace("AT;", f"{at};").replace("FOUND", found_by)
    assert expected == verdict(tmp_path, text, memory=memory)
