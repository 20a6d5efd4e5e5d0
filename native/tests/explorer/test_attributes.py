"""Attributes, pragmas and names for the assembler: no spelling of what hides accesses passes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from locknative.compilation import toolchain
from locknative.errors import NativeError
from locknative.explorer import Program, Search
from locknative.explorer.attributes import ATTRIBUTES, uses
from locknative.explorer.program import FLAGS
from locknative.explorer.search import run

RACE = """
static int n;
A static void bump(void) { n++; }
void locklab_thread(int me) { (void)me; bump(); }
"""
HIDDEN = {
    "as gcc writes it": '#define A __attribute__((no_sanitize("thread")))',
    "with fewer underscores": "#define A __attribute((no_sanitize_thread))",
    "with more": "#define A __attribute__((__no_sanitize_thread__))",
    "second": "#define A __attribute__((, noinline, no_sanitize_thread))",
    "behind an argument": "#define A __attribute__((aligned((1, 16)), no_sanitize_thread))",
    "in two lists": "#define A __attribute__((noinline)) __attribute__((no_sanitize_thread))",
    "as C23 writes it": '#define A [[gnu::no_sanitize("thread")]]',
    "C23, with underscores": '#define A [[__gnu__::__no_sanitize__("thread")]]',
    "C23, second": '#define A [[gnu::noinline, gnu::no_sanitize("thread")]]',
    "with blanks and comments": "#define A [ /* x */ [ gnu /**/ :: no_sanitize_thread ] /**/ ]",
    "with digraphs": "#define A <:<:gnu::no_sanitize_thread:>:>",
    "with a digraph": "#define A [<:gnu::no_sanitize_thread]:>",
    "with the other": "#define A <: [gnu::no_sanitize_thread:> ]",
    "over lines": "#define A\n[\n#line 9\n[ gnu\n#pragma pack()\n::\nno_sanitize_thread ] ]",
    "with joined lines": "#define A __attri\\\nbute__((no_sani\\\ntize_thread))",
    "by brackets in macros": "#define O [\n#define A O O gnu::no_sanitize_thread ] ]",
    "by an argument": "#define B(x) [x]\n#define A B([gnu::no_sanitize_thread])",
    "by words in macros": "#define W __attribute__\n#define X no_sanitize_thread\n#define A W((X))",
    "pasted": "#define P(a, b) a##b\n#define A P(__attri, bute__)((P(no_sanitize, _thread)))",
    "behind a quotation in a raw string": 'const char *a = R"x(")"\n)x";\n'
    '#define A __attribute__((no_sanitize_thread))\nconst char *b = R"(")";',
    "by #line in a system header": '#line 1 "/usr/include/stdio.h"\n'
    "#define A __attribute__((no_sanitize_thread))",
    "as a line marker in one": '# 1 "/usr/include/stdio.h" 1 3\n'
    "#define A __attribute__((no_sanitize_thread))",
    "in a header of its own": '#include "hidden.h"',
    "optimised": '#define A __attribute__((optimize("O2")))',
    "optimised by a pragma": '#pragma GCC optimize ("O2")\n#define A',
    "optimised by a _Pragma": '_Pragma("GCC optimize (\\"O2\\")")\n#define A',
    "by a _Pragma in a macro": '#define A _Pragma("GCC optimize (\\"O2\\")")',
    "renamed": "#pragma redefine_extname bump memset\n#define A",
    "assembly instead": "#define A __attribute__((naked))",
    "as Microsoft writes it": "#define A __declspec(naked)",
    "assembly in a section's name": '#define A __attribute__((section(".x\\n\\tincl n\\n#")))',
    "assembly in a symbol's name": 'void f(void) __asm__("f\\n\\tincl n\\n");\n#define A',
    "assembly in an identification": '#ident "x\\"\\n\\tincl n\\n#"\n#define A',
    "in a section that runs": 'int f __attribute__((section(".init" "_array")));\n#define A',
    "of another compiler": "#define A [[other::noinline]]",
    "of none": "#define A __attribute__((no_such_attribute))",
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_hides_accesses_is_refused(name: str, tmp_path: Path) -> None:
    """Before anything runs, with its place."""
    (tmp_path / "hidden.h").write_text("#define A __attribute__((no_sanitize_thread))\n")
    file = tmp_path / "hidden.c"
    file.write_text(HIDDEN[name] + RACE)
    with pytest.raises(NativeError, match=r":\d+: (the|an?|#|asm)") as refused:
        Program([file])
    assert "hide accesses" in str(refused.value)


def test_the_place_is_named(tmp_path: Path) -> None:
    """The file and line of the attribute, and its name and argument."""
    (tmp_path / "mine.h").write_text("\n#if 1\n#endif\n")
    file = tmp_path / "hidden.c"
    file.write_text(
        '#include "mine.h"\n#include <stdlib.h>\n\n\nint a; int b\n[[maybe_unused]]; static int c\n'
        '    [[gnu::section ( ".init"\n"_array" )]];\n'
    )
    with pytest.raises(NativeError) as refused:
        Program([file])
    said = 'the attribute section(".init" "_array") can hide accesses from the explorer'
    assert f"{file}:7: {said}: leave it out" == str(refused.value)


SIMPLE = (
    *("externally_visible", "used", "retain", "noinline", "flatten", "noclone", "noipa", "hot"),
    *("cold", "nothrow", "leaf", "returns_twice", "unused", "maybe_unused", "weak", "deprecated"),
    *("unavailable", 'visibility("hidden")', 'warning("w")', 'error("e")', 'section("mine")'),
    *('target("general-regs-only")', "constructor", "destructor"),
)
OF_VARIABLES = ("common", "nocommon", "packed", "aligned(64)", 'tls_model("local-exec")')
OF_RESULTS = (
    *("malloc", "returns_nonnull", "alloc_size(2)", "alloc_align(2)", "assume_aligned(8)"),
    *("warn_unused_result", "nodiscard", "nonnull", "access(read_write, 1)"),
)
SAMPLES = {
    **{one: f"__attribute__(({one})) void F(void) {{ n++; }}" for one in SIMPLE},
    **{
        one: f"{'_Thread_local' * ('tls' in one)} __attribute__(({one})) struct {{ int x; }} V;\n"
        "void F(void) { V.x++; }"
        for one in OF_VARIABLES
    },
    **{
        one: f"__attribute__(({one})) char *F(char *p, long k) {{ *p = 1; return p + k; }}"
        for one in OF_RESULTS
    },
    **{
        one: f"extern inline __attribute__(({one}, always_inline, gnu_inline)) void V(void) "
        "{ n++; }\nvoid F(void) { V(); }"
        for one in ("always_inline", "gnu_inline", "artificial")
    },
    **{
        one: f"__attribute__(({one})) void F(void) {{ n++; }}"
        for one in ("constructor", "destructor")
    },
    "noreturn": "__attribute__((noreturn)) void F(void) { n++; for (;;) continue; }",
    "alias": 'extern int V __attribute__((alias("n")));\nvoid F(void) { V++; }',
    "cleanup": "void F(int *x) { n += *x; }\nvoid V(void) { __attribute__((cleanup(F))) int x; }",
    "mode": "int V __attribute__((mode(QI)));\nvoid F(void) { V++; }",
    "vector_size": "__attribute__((vector_size(32))) int V, W;\nvoid F(void) { V = W; }",
    "may_alias": "typedef int V __attribute__((may_alias));\nvoid F(V *p) { *p = 1; }",
    "transparent_union": "typedef union { int *a; } V __attribute__((transparent_union));\n"
    "void F(V p) { *p.a = 1; }",
    "format": "__attribute__((format(printf, 1, 2))) void F(const char *t, ...) { n += *t; }",
    "format_arg": "__attribute__((format_arg(1))) char *F(char *t) { *t = 1; return t; }",
    "sentinel": "__attribute__((sentinel)) void F(int *p, ...) { *p = 1; }",
    "fallthrough": "void F(int i) { switch (i) { case 1: n++; __attribute__((fallthrough));\n"
    "case 2: n++; } }",
    "nonstring": "char V[2] __attribute__((nonstring));\nvoid F(void) { V[0] = 1; }",
    "designated_init": "struct { int x; } __attribute__((designated_init)) V;\n"
    "void F(void) { V.x = 1; }",
}


def test_what_is_allowed_is_announced(tmp_path: Path) -> None:
    """Each attribute that may stay stands at a write, and gcc announces the write."""
    names = {sample: sample.partition("(")[0] for sample in SAMPLES}
    assert set(names.values()) == ATTRIBUTES
    file, assembly = tmp_path / "allowed.c", tmp_path / "allowed.s"
    text = "int n;\n" + "\n".join(
        re.sub(r"\b([FVW])\b", rf"\1_{names[sample]}", code) for sample, code in SAMPLES.items()
    )
    file.write_text(text)
    assert all(use.harmless for use in uses(text))
    toolchain.compile_c([*FLAGS, "-S", file, "-o", assembly], str(file))
    functions = re.split(r"^(\w+):\n", assembly.read_text(), flags=re.MULTILINE)
    bodies = dict(zip(functions[1::2], functions[2::2], strict=True))
    silent = [
        name
        for name in names.values()
        if not re.search(r"\b__tsan_(unaligned_)?(volatile_)?write", bodies[f"F_{name}"])
    ]
    assert [] == silent


@pytest.mark.parametrize("promise", ["pure", "const", "__const__, , noinline"])
@pytest.mark.parametrize("form", ["__attribute__(({}))", "[[gnu::{}]]"])
def test_a_promise_leaves_no_access_out(promise: str, form: str, tmp_path: Path) -> None:
    """The compiler leaves out a call of a pure function whose result nothing uses: not here."""
    file = tmp_path / "pure.c"
    written = form.format(promise if "__" in form else promise.replace(", , ", ", gnu::"))
    file.write_text(
        f"static int n;\n{written} static int bump(void) {{ return n++; }}\n"
        "void locklab_thread(int me) { (void)me; bump(); }\n"
    )
    with Program([file]) as program:
        assert "race" == run(program, Search()).found


HARMLESS = """
#define _GNU_SOURCE
#pragma once
#include <complex.h>
#include <errno.h>
#include <immintrin.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <urcu.h>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
_Pragma("STDC FP_CONTRACT OFF")
#pragma pack(push, 1)
#define SPIN_ALIGNED __attribute__((__aligned__(64), unused))
static SPIN_ALIGNED int data[2] = {[0] = 1, [1] = 2};
static const char *text = "[[gnu::no_sanitize]] __attribute__((naked)) \\"" "[" "[";
static char quote = '"';
static const char *raw = R"(
#pragma GCC optimize ("O2") "
)";
/* [[ __attribute__((naked)) */
#define NEVER [[ __attribute__((naked))
extern int renamed(int) __asm__("" "abs");
[[noreturn]] static void leave(void) { __asm__ volatile("" ::: "memory"); abort(); }
static int first(int *at) { return at[data[0] ? 0 : 1] + at [ (0) ]; }
void locklab_thread(int me) { if (first(data) + !text + !raw + !quote + renamed(-me) < 0) leave(); }
"""


def test_what_is_harmless_is_accepted(tmp_path: Path) -> None:
    """System headers, pragmas, names for the assembler, and what is only a text or not used."""
    file = tmp_path / "harmless.c"
    text = (
        HARMLESS
        if "x86" in toolchain.compile_c(["-dumpmachine"], "it")
        else re.sub(r".*immintrin.*", "", HARMLESS)
    )
    file.write_text(text)
    with Program([file]) as program:
        assert "proven" == run(program, Search()).verdict


@pytest.mark.parametrize(
    "text",
    [
        "__attribute__((noinline) int a;",
        "__attribute__(noinline)",
        "__attribute__((noinline",
        "__attribute__((aligned(8",
        "__attribute__((noinline weak))",
        "[[noinline]",
        "[[",
        "[[gnu::]]",
        "asm(",
        "asm volatile goto",
        '_Pragma("once")',
        "#assert a(b)",
        "%:pragma once",
    ],
)
def test_what_cannot_be_read_is_not_harmless(text: str) -> None:
    """Nothing passes because its form is not known."""
    assert False in [use.harmless for use in uses(text)]
