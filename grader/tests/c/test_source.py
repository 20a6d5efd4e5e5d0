"""What a C file may be written with: found however it is cut, and never in a string."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.c.source import HEADERS, examine
from lockgrader.read.refused import Refused

FORBIDDEN = {
    "assembly": 'void f(void) { asm("nop"); }',
    "assembly by another name": 'void f(void) { __asm__ volatile ("syscall"); }',
    "cut by a joined line": 'void f(void) { a\\\nsm("nop"); }',
    "pasted": '#define P(a, b) a##b\nvoid f(void) { P(a, sm)("nop"); }',
    "pasted behind a parameter": "#define A(x) x##_ok\nint A(_);",
    "pasted behind nothing": "#define A(x, y) x##y##sm\nint f(void) { A(, a)(1); }",
    "pasted in a chain": "#define A(x, y) ok_##x##y\nint A(,);",
    "pasted to the assembler": '#define A(x) as##x\nvoid f(void) { A(m)("nop"); }',
    "pasted to an attribute": "#define A(x) __attri##x\nA(bute__)((constructor)) int f(void);",
    "pasted to a pragma": '#define A(x) _Prag##x\nA(ma)("weak f") void f(void);',
    "pasted to a reserved name": "#define A(x) _##x\nvoid *A(_builtin_alloca)(unsigned long);",
    "pasted to memory of the stack": "#define A(x) a##x\nvoid *f(void) { return A(lloca)(8); }",
    "pasted to a variable of a thread": "#define A(x) __th##x\nstatic A(read) int a;",
    "pasted to a raw string": '#define A(x) R##x\nchar *a = A("(x)");',
    "pasted to text": '#define A(x) memory##"x"\nint a;',
    "pasted with a shorter name": "#define A (a) a##sm\nint a;",
    "pasted outside a macro": "int a##b;",
    "pasted in a condition": "#if a##b\n#endif\nint a;",
    "pasted with a digraph": '%:define P(a, b) a%:%:b\nvoid f(void) { P(a, sm)("nop"); }',
    "an attribute": "__attribute__((constructor)) static void f(void) {}",
    "an attribute of C23": '[[gnu::no_sanitize("thread")]] static void f(void) {}',
    "with blanks": "[ /* */\n[ gnu :: noinline ] ] static void f(void) {}",
    "with digraphs": "<:<: gnu::noinline :>:> static void f(void) {}",
    "with a bracket and a digraph": "[\\\n<:noreturn:>] static void f(void) {}",
    "between raw strings": 'char *a = R"(")"; int asm; char *b = R"(")";',
    "a raw string with a prefix": 'char *a = u8R"(x)";',
    "a builtin": "void *f(void) { return __builtin_return_address(0); }",
    "a pragma": "#pragma weak f = g\nvoid f(void);",
    "a pragma in a macro": '_Pragma("weak f") void f(void);',
    "a line": '#line 1 "/usr/include/stdio.h"\nint a;',
    "a line as the preprocessor writes it": '# 1 "/usr/include/stdio.h" 3\nint a;',
    "a digraph": '%:include "/etc/passwd"\n',
    "another file": '#include "/etc/passwd"\n',
    "itself": '#include "avc_rcu.c"\n',
    "a computed name": '#define H "/etc/passwd"\n#include H\n',
    "a header that is not there": "#include <dlfcn.h>\n",
    "the next one": "#include_next <stdlib.h>\n",
    "embedded": '#embed "/etc/passwd"\n',
    "a comment in between": '#/**/include/**/"/etc/passwd"\n',
    "the environment": '#include "/proc/self/environ"\n',
    "a dollar": "int $a;",
    "a thread-local variable": "static __thread int a;",
    "outside ASCII": "int \u00e4;",
    "a NUL": "int a;\0",
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden(name: str) -> None:
    """Each is refused with its line."""
    with pytest.raises(Refused) as error:
        examine(FORBIDDEN[name], "avc_rcu.c", ("avc.h",))
    assert "forbidden_operation" == error.value.verdict
    assert error.value.message.startswith("avc_rcu.c:")


def test_allowed() -> None:
    """What C is made of, and words in comments and strings that would be refused elsewhere."""
    examine(
        '#include "avc.h"\n#define ORDERED(o) atomic_load_explicit(&a, memory_order_##o)\n'
        + "".join(f"#include <{name}> // asm\n" for name in sorted(HEADERS))
        + "/* __asm__ \u00e4 */ static const char *why = \"asm '__attribute__' ##\";\n"
        + "#if defined(A) && !defined(B)\n#define TWICE(x, ...) ((x) + (x))\n#endif\n"
        + 'static _Atomic(int) a; _Static_assert(sizeof(a) == 4, "size");\n'
        + "int get(void) { return __atomic_load_n(&a, __ATOMIC_ACQUIRE) + TWICE(1) + '\\''; }\n",
        "avc_rcu.c",
        ("avc.h",),
    )


def test_the_line_is_told_behind_joined_lines() -> None:
    """Three lines are one, and the fourth is still the fourth."""
    with pytest.raises(Refused, match=r"^a\.c:4: 'asm'"):
        examine("#define A \\\n 1 \\\n 2\nasm;", "a.c", ())


@pytest.mark.parametrize("text", ['char *a = "', "/* no end", "char a = '"])
def test_without_an_end(text: str) -> None:
    """What is not finished is the student's mistake."""
    with pytest.raises(Refused) as error:
        examine(text, "a.c", ())
    assert "student_error" == error.value.verdict


def test_too_long() -> None:
    """The size is bounded before anything is read."""
    with pytest.raises(Refused, match="longer than 64 KiB"):
        examine(" " * 65537, "a.c", ())


WORDS = st.text(alphabet="8LRUamstu_", min_size=1, max_size=5) | st.sampled_from(
    ["asm", "a", "lloca", "fort", "ran", "_Thread", "__th", "read", "_local", "_Prag", "memory"]
)


@given(start=WORDS, end=WORDS)
def test_no_refused_word_is_pasted(start: str, end: str) -> None:
    """If a macro and its argument are accepted, so is the word that they make."""
    try:
        examine(f"#define A(x) {start}##x\nint A({end});", "a.c", ())
    except Refused:
        return
    examine(f"int {start}{end};", "a.c", ())


@given(st.text(alphabet="asm_# \\\n\"'/*%:<>incluTe.h", max_size=60))
def test_a_word_is_found_wherever_it_stands(text: str) -> None:
    """Whatever stands before it; two lines on, since a line may be joined to the next."""
    with contextlib.suppress(Refused):
        examine(text, "a.c", ())
        with pytest.raises(Refused):
            examine(text + "\n\nasm;", "a.c", ())
