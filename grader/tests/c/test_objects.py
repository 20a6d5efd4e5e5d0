"""Objects and assembly: ours pass, and whatever was slipped into them is refused."""

import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.c.allowed import CALLS, examine_assembly, examine_object
from lockgrader.c.elf import read_object
from lockgrader.read.artefact import MalformedError
from lockgrader.read.refused import Refused
from locknative.compilation import toolchain

RIGHT = "#include <stdlib.h>\nvoid *f(void) { return malloc(8); }\n"


def compiled(folder: Path, text: str, *options: str) -> tuple[bytes, str]:
    """A text's object and its assembly, made here and by no rule."""
    source = folder / "a.c"
    source.write_text(text)
    cc = [toolchain.compiler(), "-O1", "-fno-pie", "-fcf-protection=none", *options, str(source)]
    subprocess.run([*cc, "-c", "-o", str(folder / "a.o")], check=True, capture_output=True)
    subprocess.run([*cc, "-S", "-o", str(folder / "a.s")], check=True, capture_output=True)
    return (folder / "a.o").read_bytes(), (folder / "a.s").read_text()


def examine(data: bytes, *, instrumented: bool = False) -> None:
    """Judge an object that shall define f."""
    examine_object(read_object(data), "a.c", {"f"}, CALLS, instrumented=instrumented)


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An object that is allowed."""
    return compiled(tmp_path_factory.mktemp("right"), RIGHT)[0]


def test_right(tmp_path: Path) -> None:
    """Names as they are; nothing is refused."""
    data, assembly = compiled(tmp_path, RIGHT)
    made = read_object(data)
    assert ({"malloc"}, {"f"}) == (made.undefined, made.defined)
    examine(data)
    examine_assembly(assembly, "a.c")


OBJECTS = {
    "constructor": (
        "static int h; __attribute__((constructor)) static void g(void) { h++; }",
        "section .init_array",
    ),
    "destructor": (
        "static int h; __attribute__((destructor)) static void g(void) { h++; }",
        "section .fini_array",
    ),
    "own section": ('static int g __attribute__((section("x"), used)) = 1;', "section x"),
    "sanitizer": ("void __asan_init(void) {}", "defines __asan_init"),
    "interposed": ("void free(void *p) { (void)p; }", "defines free"),
    "weak": ("__attribute__((weak)) void g(void) {}", "weak"),
    "ifunc": (
        "static void h(void) {} static void *r(void) { return h; }"
        'void g(void) __attribute__((ifunc("r")));',
        "ifunc",
    ),
    "thread-local": ("static _Thread_local int g; int *h(void) { return &g; }", "tls"),
    "system": ('#include <stdlib.h>\nvoid g(void) { system("true"); }', "uses system"),
    "write": ("#include <unistd.h>\nlong g(void) { return write(1, 0, 0); }", "uses write"),
    "environ": ("extern char **environ; char **g(void) { return environ; }", "uses environ"),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_object_is_refused(name: str, tmp_path: Path) -> None:
    """Each name, section and kind of symbol that does not belong there."""
    text, what = OBJECTS[name]
    with pytest.raises(Refused, match=what) as error:
        examine(compiled(tmp_path, RIGHT + text)[0])
    assert "forbidden_operation" == error.value.verdict


def test_what_is_missing_is_the_students_mistake(tmp_path: Path) -> None:
    """An interface's function that is not defined."""
    data, _ = compiled(tmp_path, "static int unused; int *f(void) { return &unused; }")
    with pytest.raises(Refused, match="defines no function g") as error:
        examine_object(read_object(data), "a.c", {"f", "g"}, CALLS, instrumented=False)
    assert "student_error" == error.value.verdict


ASSEMBLY = {
    "inline": ('void g(void) { __asm__ volatile ("nop"); }', "inline assembly"),
    "at the top": ('__asm__(".globl x");', "inline assembly"),
    "a pointer": ("void g(void (*h)(void)) { h(); h(); }", "through a pointer"),
    "a label": (
        "int g(int a) { void *t[] = {&&x, &&y}; goto *t[a]; x: return 3; y: return f() != 0; }",
        "through a pointer",
    ),
    "thread-local": ("static _Thread_local int a; void g(void) { a++; }", "thread-local"),
    "incbin in a name": (
        'int g __asm__("a\\n.incbin \\"/etc/passwd\\"\\nb") = 1;',
        "the assembler's .incbin",
    ),
    "syscall in a name": ('int g __asm__("a\\n\\tsyscall\\nb") = 1;', "syscall"),
}


@pytest.mark.parametrize("name", ASSEMBLY)
def test_assembly_is_refused(name: str, tmp_path: Path) -> None:
    """Each way past the language, as the compiler wrote it."""
    text, what = ASSEMBLY[name]
    source = tmp_path / "a.c"
    source.write_text(RIGHT + text)
    cc = [toolchain.compiler(), "-O1", "-fno-pie", "-S", "-fcf-protection=none"]
    subprocess.run([*cc, str(source), "-o", str(tmp_path / "a.s")], check=True)
    with pytest.raises(Refused, match=what):
        examine_assembly((tmp_path / "a.s").read_text(), "a.c")


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, b"\x7fELG"),
        (16, b"\x02"),
        (18, b"\x03"),
        (40, b"\xff" * 8),
        (58, b"\x41"),
        (60, b"\xff\xff"),
    ],
)
def test_header_that_lies(right: bytes, at: int, value: bytes) -> None:
    """Magic, type, machine, table, entry size, count."""
    with pytest.raises(MalformedError):
        read_object(right[:at] + value + right[at + len(value) :])


@given(data=st.data())
def test_damaged_object(data: st.DataObject, right: bytes) -> None:
    """Any bytes changed or cut: read, or refused as malformed; nothing else is raised."""
    damaged = bytearray(right)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(damaged) - 8))
        struct.pack_into("<Q", damaged, at, data.draw(st.integers(0, 2**64 - 1)))
    cut = data.draw(st.integers(0, len(damaged)))
    for candidate in (bytes(damaged), right[:cut]):
        try:
            read_object(candidate)
        except MalformedError:
            continue
