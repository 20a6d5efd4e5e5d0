"""C locks: what our references pass, each wrong one fails with its verdict."""

import functools

import pytest

from lockgrader.c import compile_c, interface, judge_c
from lockgrader.c.build import TOOLS, Compiled
from lockgrader.finding import Finding
from lockgrader.kinds.c import C
from lockgrader.lab import changed
from lockgrader.read.refused import Refused
from lockgrader.sandbox import available

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

LOCKS = ("spinlock", "seqlock", "rwlock", "lockref")
COMPLETE = -1
IN_THE_NORMAL_RUN = {
    ("spinlock", "excludes"),
    ("seqlock", "torn"),
    ("rwlock", "together"),
    ("lockref", "dead"),
}
SCENARIOS = [
    (name, scenario)
    for name in LOCKS
    for scenario in interface(name).scenarios
    if scenario != "lockless"  # our reference of a lockref locks, and lab 07 has one that does not
]

ACQ, REL = "memory_order_acquire", "memory_order_release"
TAKE = "atomic_exchange_explicit(&taken, true, memory_order_acquire)"
FENCE = f"    atomic_thread_fence({REL});\n"
SWAP = """        if (!(number & 1) &&
            atomic_compare_exchange_strong_explicit(&sequence, &number, number + 1,
                                                    memory_order_acquire, memory_order_relaxed))
            break;
"""
RW_SWAP = """           !atomic_compare_exchange_strong_explicit(&state, &readers, readers + 1,
                                                    memory_order_acquire, memory_order_relaxed)) {
"""
PUT = "    left = (uint32_t)--references;\n"
# interface, what is wrong, the change, scenario, memory, tag, words of the message
WRONG: dict[str, tuple[str, list[str], str, str, str, str]] = {
    "takes-in-two-steps": (
        "spinlock",
        [TAKE, "atomic_load(&taken) || (atomic_store(&taken, true), false)"],
        *("excludes", "sc", "race", "nothing orders the two"),
    ),
    "takes-without-order": (
        "spinlock",
        [TAKE, TAKE.replace(ACQ, "memory_order_relaxed")],
        *("excludes", "c11", "race", "nothing orders the two"),
    ),
    "gives-without-order": (
        "spinlock",
        [REL, "memory_order_relaxed"],
        *("excludes", "c11", "race", "nothing orders the two"),
    ),
    "never-gives": (
        "spinlock",
        [f"    atomic_store_explicit(&taken, false, {REL});\n", ""],
        *("excludes", "sc", "deadlock", "spins"),
    ),
    "is-no-lock": (
        "spinlock",
        [TAKE, "false"],
        *("again", "sc", "race", "nothing orders the two"),
    ),
    "no-second-look": (
        "seqlock",
        [
            "    return atomic_load_explicit(&sequence, memory_order_relaxed) != number;",
            "    return number & 1;",
        ],
        *("torn", "sc", "assertion", "read_retry() is false"),
    ),
    "reads-at-an-odd-number": (
        "seqlock",
        ["memory_order_acquire)) & 1)", "memory_order_acquire)) & 0)"],
        *("torn", "sc", "assertion", "a torn read"),
    ),
    "no-fence-in-the-reader": (
        "seqlock",
        [f"    atomic_thread_fence({ACQ});\n", ""],
        *("torn", "c11", "assertion", "a torn read"),
    ),
    "no-fence-in-the-writer": (
        "seqlock",
        [FENCE, ""],
        *("torn", "c11", "assertion", "a torn read"),
    ),
    "writers-do-not-exclude": (
        "seqlock",
        [
            SWAP,
            "        atomic_store_explicit(&sequence, number + 1, memory_order_relaxed);\n"
            "        break;\n",
        ],
        *("writers", "sc", "race", "nothing orders the two"),
    ),
    "readers-count-themselves": (
        "seqlock",
        ["    while ((number", "    static atomic_uint reads;\n\n    reads++;\n    while ((number"],
        *("quiet", "sc", "assertion", "a reader writes words"),
    ),
    "always-again": (
        "seqlock",
        ["memory_order_relaxed) != number;", "memory_order_relaxed) != number + 1;"],
        *("quiet", "sc", "assertion", "there was no writer"),
    ),
    "one-reader-at-a-time": (
        "rwlock",
        ["    while (readers == WRITER ||\n", "    while (readers != 0 ||\n"],
        *("together", "sc", "deadlock", "thread 1 spins at rwlock.c"),
    ),
    "reads-beside-a-writer": (
        "rwlock",
        ["readers == WRITER ||", "false ||"],
        *("excludes", "sc", "race", "nothing orders the two"),
    ),
    "writes-beside-a-reader": (
        "rwlock",
        [
            "    while (!atomic_compare_exchange_strong_explicit(&state, &nobody, WRITER,",
            "    nobody = atomic_load(&state) == WRITER ? 0 : atomic_load(&state);\n"
            "    while (!atomic_compare_exchange_strong_explicit(&state, &nobody, WRITER,",
        ],
        *("excludes", "sc", "race", "nothing orders the two"),
    ),
    "leaves-without-order": (
        "rwlock",
        [
            f"atomic_fetch_sub_explicit(&state, 1, {REL})",
            "atomic_fetch_sub_explicit(&state, 1, memory_order_relaxed)",
        ],
        *("excludes", "c11", "race", "nothing orders the two"),
    ),
    "writers-at-once": (
        "rwlock",
        ["        nobody = 0;\n", ""],
        *("writers", "sc", "race", "nothing orders the two"),
    ),
    "counts-under-the-lock": (
        "lockref",
        [],
        *("lockless", "sc", "assertion", "does not write once"),
    ),
    "counts-without-the-lock": (
        "lockref",
        ["    lockref_lock();\n    references++;\n    lockref_unlock();\n", "    references++;\n"],
        *("count", "sc", "race", "nothing orders the two"),
    ),
    "two-are-the-last": (
        "lockref",
        [
            f"{PUT}    lockref_unlock();\n",
            "    references--;\n    lockref_unlock();\n    lockref_lock();\n"
            "    left = (uint32_t)references;\n    lockref_unlock();\n",
        ],
        *("last", "sc", "assertion", "two threads are told"),
    ),
    "puts-without-order": (
        "lockref",
        [
            f"    atomic_store_explicit(&locked, false, {REL});",
            "    atomic_store_explicit(&locked, false, memory_order_relaxed);",
        ],
        *("last", "c11", "race", "nothing orders the two"),
    ),
    "gets-what-is-dead": (
        "lockref",
        ["    alive = references > 0;", "    alive = references != 0;"],
        *("dead", "sc", "", "dead"),
    ),
    "marks-nothing": (
        "lockref",
        ["    references = -128;\n", ""],
        *("dead", "sc", "", ""),
    ),
    "keeps-none": (
        "lockref",
        ["    if (references <= 1)\n        return false;\n", ""],
        *("keeps", "sc", "assertion", "no thread keeps the last reference"),
    ),
    "keeps-without-the-lock": (
        "lockref",
        [
            "    if (references <= 1)\n        return false;\n",
            "    if (references <= 1) {\n        lockref_unlock();\n        return false;\n    }\n",
        ],
        *("keeps", "sc", "race", "nothing orders the two"),
    ),
}


@functools.cache
def compiled(name: str, change: tuple[str, ...], tool: str) -> Compiled:
    """Our reference with a change."""
    about = interface(name)
    text = (about.folder / "reference.c").read_text()
    if change:
        text = changed(text, [list(change)], name)
    return compile_c(text.encode(), f"{name}.c", about, (tool,), "namespaces")


def judged(name: str, tool: str, change: tuple[str, ...] = (), **more: object) -> Finding:
    """What a tool finds in our reference with a change."""
    given = {"name": "c", "title": "C", "points": 10, "kind": "c", "tool": tool, "operations": 100}
    try:
        return judge_c(C.model_validate(given | more), compiled(name, change, tool), "namespaces")
    except Refused as error:
        return Finding(error.verdict, message=error.message)


def some(values: list[tuple[str, str]]) -> list[object]:
    """Those of the normal run, the others among the slow ones."""
    return [
        pytest.param(*one, marks=[] if one in IN_THE_NORMAL_RUN else [pytest.mark.slow])
        for one in values
    ]


@pytest.mark.parametrize(("name", "scenario"), some(SCENARIOS))
def test_right_is_proven(name: str, scenario: str) -> None:
    """The complete search ends, under the weakest model, and each canary is found."""
    found = judged(
        name, "explorer", scenario=scenario, memory="c11", preemptions=COMPLETE, threads=2
    )
    assert ("pass", 1.0) == (found.verdict, found.share), found.message
    assert "every interleaving" in found.message


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        pytest.param(n, t, marks=[] if (n, t) == ("lockref", "torture") else [pytest.mark.slow])
        for n in LOCKS
        for t in TOOLS
        if t != "explorer"
    ],
)
def test_right_in_every_tool(name: str, tool: str) -> None:
    """Sections and counts on real threads are explained."""
    found = judged(name, tool, threads=3)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


def test_a_lockref_may_stop_where_no_reference_is_left_to_put() -> None:
    """Our client takes no more references than there are, not even when it makes a mistake."""
    stops = f"    while (references <= 0)\n        locklab_relax();\n{PUT}"
    found = judged("lockref", "validate", (PUT, stops), threads=3)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(
            n,
            marks=[]
            if n in ("no-fence-in-the-reader", "one-reader-at-a-time")
            else [pytest.mark.slow],
        )
        for n in WRONG
    ],
)
def test_wrong_is_found(wrong: str) -> None:
    """Each mistake has its verdict, its tag and a message that says what went wrong."""
    name, change, scenario, memory, tag, words = WRONG[wrong]
    found = judged(
        name, "explorer", tuple(change), scenario=scenario, memory=memory, preemptions=COMPLETE
    )
    assert ("fail", 0.0) == (found.verdict, found.share), found.message
    assert tag in ("", found.tag), found.message
    assert words in found.message


def test_four_wrong_ones_each() -> None:
    """At least four mistakes for each interface."""
    assert all(4 <= sum(one[0] == name for one in WRONG.values()) for name in LOCKS)
