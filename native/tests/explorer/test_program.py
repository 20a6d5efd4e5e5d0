"""What the explorer compiles, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.compilation import toolchain
from locknative.compilation.toolchain import CompileError
from locknative.errors import NativeError
from locknative.explorer import Program

THREAD = "void locklab_thread(int me) {{ {} }}\n"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('__asm__ volatile("lock; incl %0" : "+m"(word)); (void)me;', "inline assembly"),
        ("__builtin_ia32_mfence(); (void)me;", "mfence"),
        ("extern int fork(void); word = fork() + me;", "fork()"),
        ("extern int pthread_kill(int); word = pthread_kill(me);", "pthread_kill()"),
    ],
)
def test_refuses_what_it_would_not_see(tmp_path: Path, body: str, says: str) -> None:
    """What hides accesses is refused, with the place or the name."""
    file = tmp_path / "hidden.c"
    file.write_text("volatile int word;\n" + THREAD.format(body))
    with pytest.raises(NativeError, match=r"hidden\.c") as refused:
        Program([file])
    assert says in str(refused.value)
    assert 2 == refused.value.exit_code


def test_names_the_line_of_inline_assembly(tmp_path: Path) -> None:
    """The place is that of the assembly, not of the function."""
    file = tmp_path / "hidden.c"
    file.write_text(
        'int w;\nvoid locklab_thread(int me)\n{\n(void)me;\n__asm__("incl %0":"+m"(w));\n}\n'
    )
    with pytest.raises(NativeError, match=r"hidden\.c:5: inline assembly"):
        Program([file])


@pytest.mark.parametrize("text", ["pause", "rep; nop", ""])
def test_lets_harmless_assembly_pass(tmp_path: Path, text: str) -> None:
    """What waits, or is a barrier for the compiler only, touches no memory."""
    file = tmp_path / "harmless.c"
    file.write_text(THREAD.format(f'__asm__ volatile("{text}" ::: "memory"); (void)me;'))
    Program([file]).close()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("int main(void) { return 0; }\n" + THREAD.format("(void)me;"), "one of the two"),
        ("static int nothing;\n", "neither main"),
        ("int main(void) { return missing; }\n", "does not compile"),
        ("int absent(void); int main(void) { return absent(); }\n", "absent"),
    ],
)
def test_says_what_is_missing(tmp_path: Path, text: str, says: str) -> None:
    """A file without a start, with two, or one that does not compile or link is refused."""
    file = tmp_path / "odd.c"
    file.write_text(text)
    with pytest.raises(NativeError) as refused:
        Program([file])
    assert says in str(refused.value)


def test_compiler_message_is_passed_on(tmp_path: Path) -> None:
    """What the compiler says about a line comes through."""
    file = tmp_path / "odd.c"
    file.write_text("int main(void) { return missing; }\n")
    with pytest.raises(CompileError, match=r"odd\.c:1:.*missing"):
        Program([file])


def test_no_such_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(NativeError, match="there is no such file"):
        Program([tmp_path / "absent.c"])


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a compiler the message says what to install."""
    file = tmp_path / "any.c"
    file.write_text(THREAD.format("(void)me;"))
    toolchain.compiler.cache_clear()
    toolchain.is_gcc.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(NativeError, match="install gcc"):
        Program([file])
    toolchain.compiler.cache_clear()


def test_clang_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It does not describe its instructions, so nobody could check its announcements."""
    file, clang = tmp_path / "any.c", tmp_path / "cc"
    file.write_text(THREAD.format("(void)me;"))
    clang.write_text("#!/bin/sh\necho '#define __clang__ 1'\n")
    clang.chmod(0o755)
    monkeypatch.setenv("CC", str(clang))
    for cached in (toolchain.compiler, toolchain.is_gcc):
        cached.cache_clear()
    with pytest.raises(NativeError, match=r"is clang.*set CC=gcc"):
        Program([file])
    for cached in (toolchain.compiler, toolchain.is_gcc):
        cached.cache_clear()


def test_several_files(tmp_path: Path) -> None:
    """Files are linked together, and the statics of all are put back between runs."""
    from locknative.explorer import Search
    from locknative.explorer.search import run

    (tmp_path / "one.c").write_text(
        "#include <stdatomic.h>\nextern _Atomic int count;\n"
        "void locklab_thread(int me) { (void)me; count++; }\n"
    )
    (tmp_path / "two.c").write_text(
        "#include <stdatomic.h>\n_Atomic int count = 5;\n"
        "void locklab_check(void) { locklab_assert(count == 7); }\n"
    )
    with Program([tmp_path / "one.c", tmp_path / "two.c"]) as program:
        found = run(program, Search())
    assert ("proven", True) == (found.verdict, found.runs > 1)


def test_hash_table_is_refused(tmp_path: Path) -> None:
    """The hash table lfht has no model, and the message says why."""
    file = tmp_path / "table.c"
    file.write_text("#include <urcu.h>\n#include <urcu/rculfhash.h>\n" + THREAD.format("(void)me;"))
    with pytest.raises(CompileError, match="no model of cds_lfht: it is compiled code"):
        Program([file])


def test_own_functions_have_the_names_of_modelled_ones(tmp_path: Path) -> None:
    """A program's own sleep() and rand are its own, in each of its files."""
    from locknative.explorer import Search
    from locknative.explorer.search import run

    (tmp_path / "one.c").write_text("int rand = 3;\nvoid sleep(void) { rand++; }\n")
    (tmp_path / "two.c").write_text(
        "extern int rand;\nvoid sleep(void);\n"
        "int main(void) { sleep(); return rand == 4 ? 0 : 1; }\n"
    )
    with Program([tmp_path / "one.c", tmp_path / "two.c"]) as program:
        assert "proven" == run(program, Search()).verdict


def test_volatile_as_atomic(tmp_path: Path) -> None:
    """On request volatile accesses are relaxed ones: no race, but store buffering."""
    from locknative.explorer import Search
    from locknative.explorer.search import run

    file = tmp_path / "volatile.c"
    file.write_text(
        "static volatile int words[2];\nstatic int seen[2];\n"
        "void locklab_thread(int me) { words[me] = 1; seen[me] = words[!me]; }\n"
        "void locklab_check(void) { locklab_assert(words[0] == 1 && words[1] == 1);\n"
        "locklab_assert(seen[0] || seen[1]); }\n"
    )
    with Program([file], volatile_is_atomic=True) as program:
        found = [run(program, Search(memory=memory)).found for memory in ("sc", "tso", "c11")]
    assert ["", "assertion", "assertion"] == found
    with Program([file]) as program:
        assert "race" == run(program, Search()).found
