"""The C library: what is modelled, what is refused, how a program begins and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.errors import NativeError
from locknative.explorer import Exploration, Program, Search
from locknative.explorer.search import run
from locksim.checker.limits import is_proof

PROGRAMS = Path(__file__).parents[1] / "programs"


def explored(name: str, *defines: str) -> Exploration:
    """Return what is found in a program."""
    with Program([PROGRAMS / name], defines) as program:
        return run(program, Search())


@pytest.mark.covering("case", every=3)
@pytest.mark.parametrize("case", range(1, 8))
def test_a_modelled_function_is_seen(case: int) -> None:
    """It does what C says, and another thread that uses its memory at once is found."""
    assert is_proof(explored("library.c", f"CASE={case}").verdict)
    found = "memory" if case == 7 else "race"
    assert found == explored("library.c", f"CASE={case}", "RACE").found


@pytest.mark.parametrize(
    ("wrong", "found"), [(0, ""), (1, "assertion"), (2, "assertion"), (3, "leak")]
)
def test_a_program_begins_and_ends(wrong: int, found: str) -> None:
    """Constructors, atexit() functions and destructors run in each run, from the first values."""
    seen = explored("lifetime.c", f"WRONG={wrong}")
    assert found == seen.found
    assert wrong or seen.runs > 1


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("gmtime", "static time_t t; return gmtime(&t) == 0;"),
        ("strtok", 'static char s[] = "a b"; return strtok(s, " ") == 0;'),
        ("sscanf", 'static int x; return sscanf("3", "%d", &x) != 1;'),
        ("raise", "return raise(SIGUSR1);"),
        ("fopen", 'return fopen("a", "r") == 0;'),
    ],
)
def test_what_is_not_modelled_is_refused(tmp_path: Path, name: str, call: str) -> None:
    """A function that the explorer does not know is named, whatever it is."""
    file = tmp_path / "calls.c"
    headers = "".join(f"#include <{one}.h>\n" for one in ("signal", "stdio", "string", "time"))
    file.write_text(f"{headers}int main(void) {{ {call} }}\n")
    with pytest.raises(NativeError, match=rf"calls\.c calls {name}\(\), which the explorer"):
        Program([file])


def test_an_idle_call_is_named(tmp_path: Path) -> None:
    """What is called and does nothing here is known to who judges; arithmetic is not among it."""
    file = tmp_path / "idle.c"
    file.write_text(
        "#define _GNU_SOURCE\n#include <math.h>\n#include <sched.h>\n#include <stdatomic.h>\n"
        "static _Atomic double sum;\n__extension__ typedef unsigned __int128 wide;\n"
        "void locklab_thread(int me) { sum += sqrt(me) + (double)((wide)me / 3); }\n"
        "void locklab_check(void) { locklab_assert(sched_getcpu() >= 0 && sum == 1.0); }\n"
    )
    with Program([file]) as program:
        assert ["sched_getcpu"] == program.idle_calls
        assert is_proof(run(program, Search()).verdict)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("wrong", ["0, 1", "1, 0", "1, 1", "2, 0"])
def test_threads_are_dealt_to_two_nodes_in_every_way(
    tmp_path: Path, wrong: str, memory: str
) -> None:
    """Each pair of nodes is tried; a thread keeps its node, and there is no third."""
    first, second = wrong.split(", ")
    file = tmp_path / "nodes.c"
    file.write_text(
        "#define _GNU_SOURCE\n#include <sched.h>\nstatic unsigned on[2];\n"
        "void locklab_thread(int me) {\n"
        "    unsigned cpu, again;\n"
        "    getcpu(&cpu, &on[me]);\n"
        "    getcpu(0, &again);\n"
        "    locklab_assert(cpu == (unsigned)me && again == on[me]);\n}\n"
        f"void locklab_check(void) {{ locklab_assert(on[0] != {first} || on[1] != {second}); }}\n"
    )
    with Program([file]) as program:
        found = run(program, Search(memory=memory))
    assert ("" if first == "2" else "assertion") == found.found
    assert first != "2" or (4 == found.runs and is_proof(found.verdict))
