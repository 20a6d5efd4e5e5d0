"""What a submission would do to the explorer, in whose process it runs, is seen before it is done.

Each text is put in front of a right cache and called in its lookups. Nothing of it needs a name
that is refused: it is C with pointers, which no reader of the source can follow.
"""

import pytest

from lockgrader.c import compile_c, interface, judge_c
from lockgrader.finding import Finding
from lockgrader.kinds.c import C
from lockgrader.read.refused import Refused
from lockgrader.sandbox import available

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

AVC = interface("avc")
RIGHT = (AVC.folder / "reference.c").read_text()
CHECK = C(
    name="c", title="C", points=1, kind="c", tool="explorer", scenario="writers", preemptions=1
)


def judged(text: str) -> Finding:
    """What the explorer finds when a lookup calls act()."""
    mark = "    struct entry *found;\n"
    assert mark in RIGHT
    whole = RIGHT.replace('#include "avc.h"\n', f'#include "avc.h"\n#include <urcu.h>\n{text}\n')
    whole = whole.replace(mark, f"{mark}    act();\n")
    compiled = compile_c(whole.encode(), "avc_rcu.c", AVC, ("explorer",), "namespaces")
    return judge_c(CHECK, compiled, "namespaces")


HARMLESS = """
#include <stdatomic.h>
static _Atomic(long) kept;
static void fill(long *at, long n) { for (long i = 0; i < n; i++) at[i] = i; }
static void act(void)
{
    long local[8];
    long *block = malloc(64);
    fill(local, 8);
    fill(block, 8);
    kept = 1;
    free(block);
}
"""
ATTACKS = {
    "a static of the explorer's": (
        "static unsigned long at = 0x4c0000;\n"
        "static void act(void) { *(long *)(at + (unsigned long)(void *)&at % 8) = 0; }",
        "is not the submission's",
    ),
    "the C library": (
        "static void act(void) { *(char *)(void *)malloc = 0; }",
        "is not the submission's",
    ),
    "another thread's stack": (
        "static void act(void) { *(volatile long *)(0x1100000000 + 8 * 262144 - 64) = 0; }",
        "is not the submission's",
    ),
    "above its own frames": (
        "static volatile long *volatile at; static void act(void)"
        " { long here = 0; at = &here; for (int i = 0; i < 400; i++) at[i + 100] = 0; }",
        "is not the submission's",
    ),
    "where it returns to": (
        "static volatile long *volatile at; static void smash(long what)"
        " { long here = 0; at = &here; for (int i = 1; i < 8; i++) at[i] = what; }"
        "static void act(void) { smash(0x401000); smash(0x402000); }",
        "where its function returns to",
    ),
    "where it returns to outside": (
        "static volatile long *volatile at; static void act(void)"
        " { long here = 0; at = &here; for (int i = 1; i < 8; i++) at[i] = 0x401000; }",
        "is not the submission's",
    ),
    "what the client remembers": (
        "static volatile long *volatile at; static void act(void)"
        " { long here = 0; at = &here; for (int i = 0; i < 24; i++) at[i + 8] = 0; }",
        "is not the submission's",
    ),
    "a callback into its own middle": (
        "static struct rcu_head head; static void mine(struct rcu_head *h) { free(h); }"
        "static void act(void)"
        " { call_rcu(&head, (void (*)(struct rcu_head *))((char *)(void *)mine + 5)); }",
        "no function of the submission",
    ),
    "an index of a local variable": (
        "static volatile long i = 1000, sink; static void act(void)"
        " { long a[4]; a[0] = i; a[i] = 7; sink = a[1]; }",
        "beyond an array",
    ),
    "behind a local variable": (
        "static volatile long sink; static void act(void)"
        " { long a[4]; *(a + 1000) = 7; sink = *(a + 1000); }",
        "beyond a variable",
    ),
    "what a comparison gives back": (
        "static int word = 1; static void act(void)"
        " { __atomic_compare_exchange_n(&word, (int *)0x4c0000, 2, 0, __ATOMIC_SEQ_CST,"
        " __ATOMIC_SEQ_CST); }",
        "is not the submission's",
    ),
    "a mutex made in the explorer": (
        "static void act(void) { pthread_mutex_init((pthread_mutex_t *)0x4c0000, NULL); }",
        "is not the submission's",
    ),
    "memset": (
        "#include <string.h>\nstatic void act(void) { memset((void *)0x4c0000, 0, 64); }",
        "is not the submission's",
    ),
    "a callback into the explorer": (
        "static struct rcu_head head; static void act(void)"
        " { call_rcu(&head, (void (*)(struct rcu_head *))((char *)(void *)free + 64)); }",
        "no function of the submission",
    ),
}


def test_harmless() -> None:
    """Locals, statics and the heap are the program's own."""
    found = judged(HARMLESS)
    assert "pass" == found.verdict, found.message


@pytest.mark.covering("name", every=2)
@pytest.mark.parametrize("name", ATTACKS)
def test_seen_before_it_is_done(name: str) -> None:
    """The run is violated, and says what was tried."""
    text, what = ATTACKS[name]
    found = judged(text)
    assert ("fail", "memory") == (found.verdict, found.tag)
    assert what in found.message


BY_VALUE = """
struct counts { long of[8]; };
static struct counts from(long first)
{
    struct counts made;
    for (int i = 0; i < 8; i++)
        made.of[i] = first + i;
    return made;
}
static long sum(struct counts counts)
{
    long all = 0;
    for (int i = 0; i < 8; i++)
        all += counts.of[i];
    return all;
}
"""
"""Functions that return and take a struct; two calls each, so that the compiler keeps them."""


@pytest.mark.parametrize(
    ("where", "expected"),
    [("struct counts mine, more;", ("pass", "")), ("", ("fail", "race"))],
    ids=["local", "static"],
)
def test_structs_by_value(where: str, expected: tuple[str, str]) -> None:
    """A struct that a call returns into a static variable is written there, and races."""
    static = "" if where else "static struct counts mine, more;"
    act = f"static void act(void) {{ {where} mine = from(1); more = from(sum(mine));"
    found = judged(f"{BY_VALUE}{static}\n{act} if (sum(more) < 0) abort(); }}")
    assert expected == (found.verdict, found.tag)


def test_announcements_are_the_explorers() -> None:
    """A submission announces nothing itself."""
    declared = "void locklab_announce_write_range(void *at, unsigned long size);"
    with pytest.raises(Refused, match="the explorer's names"):
        judged(f"{declared}\nstatic void act(void) {{ locklab_announce_write_range(0, 8); }}")
