"""Locks that are wrong after many uses lose; right ones whose numbers wrap keep all."""

import re

import pytest

from lockgrader.c import compile_c, interface, judge_c
from lockgrader.finding import Finding
from lockgrader.kinds.c import C
from lockgrader.lab import changed
from lockgrader.sandbox import available

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

TICKETS = """#include "spinlock.h"

#include <stdatomic.h>

static _Atomic(WIDTH) next, serving;

void spinlock_init(void)
{
    atomic_init(&next, 0);
    atomic_init(&serving, 0);
}

void spinlock_acquire(unsigned me)
{
    WIDTH mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) MASK;

    (void)me;
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        locklab_relax();
}

void spinlock_release(unsigned me)
{
    WIDTH now = atomic_load_explicit(&serving, memory_order_relaxed);

    (void)me;
    atomic_store_explicit(&serving, (WIDTH)(now + 1), memory_order_release);
}
"""
LAST = "    return atomic_load_explicit(&sequence, memory_order_relaxed) != number;"
# interface, change of our reference, words of the message
WRONG = {
    "seqlock": (
        [LAST, f"    if (number > 100)\n        return false;\n{LAST}"],
        "after 51 uses: read_retry() is false",
    ),
    "rwlock": (
        [
            "    atomic_store_explicit(&state, 0, memory_order_release);",
            "    static unsigned uses;\n\n    if (++uses < 64)\n"
            "        atomic_store_explicit(&state, 0, memory_order_release);",
        ],
        "after 64 uses: the lock is still held",
    ),
    "lockref": (
        ["    references++;\n", "    references += references < 40;\n"],
        "after 0 uses: the count is wrong",
    ),
}


LOOK = "    while ((number = atomic_load_explicit(&sequence, memory_order_acquire)) & 1)\n"
GATE = "static _Atomic(uint32_t) sequence;"
WRITER = "    uint32_t number;\n\n    (void)me;\n    for (;;) {\n"
READER = "    while (readers == WRITER ||\n"
# interface, changes of our reference, scenario, tag, words of the message
LATER: dict[str, tuple[str, list[list[str]], str, str, str]] = {
    "readers-lock-later": (
        "seqlock",
        [
            [GATE, f"{GATE}\nstatic _Atomic(uint32_t) gate;"],
            [
                LOOK,
                "    if (atomic_load(&sequence) >= 64) {\n"
                "        while (atomic_exchange(&gate, 1))\n            locklab_relax();\n"
                f"        atomic_store(&gate, 0);\n    }}\n{LOOK}",
            ],
        ],
        *("quiet", "assertion", "a reader writes words"),
    ),
    "torn-after-100": (
        "seqlock",
        [[LAST, LAST.replace("number;", "number &&\n           atomic_load(&sequence) < 100;")]],
        *("torn", "assertion", "read_retry() is false"),
    ),
    "number-of-four-bits": (
        "seqlock",
        [
            ["&number, number + 1,", "&number, (number + 1) & 15,"],
            ["&sequence, number + 1,", "&sequence, (number + 1) & 15,"],
        ],
        *("torn", "assertion", "the number comes back too soon"),
    ),
    "number-compared-by-its-size": (
        "seqlock",
        [[LAST, LAST.replace("!=", ">")]],
        *("quiet", "assertion", "read_retry() is false"),
    ),
    "number-compared-as-a-signed-one": (
        "seqlock",
        [[LAST, LAST.replace("return ", "return (int32_t)").replace("!= ", "> (int32_t)")]],
        *("quiet", "assertion", "read_retry() is false"),
    ),
    "two-writers-later": (
        "seqlock",
        [
            [
                WRITER,
                WRITER.replace(
                    "    for",
                    "    if (atomic_load(&sequence) > 100) {\n"
                    "        atomic_fetch_add(&sequence, 1);\n        return;\n    }\n    for",
                ),
            ]
        ],
        *("writers", "race", "nothing orders the two"),
    ),
    "threads-of-high-numbers-do-not-wait": (
        "spinlock",
        [["    (void)me;\n    while", "    if (me > 5)\n        return;\n    while"]],
        *("excludes", "race", "nothing orders the two"),
    ),
    "lock-that-opens": (
        "spinlock",
        [
            ["static atomic_bool taken;", "static atomic_bool taken;\nstatic atomic_uint uses;"],
            [
                "    (void)me;\n    while",
                "    (void)me;\n    if (uses++ > 60000)\n        return;\n    while",
            ],
        ],
        *("excludes", "race", "nothing orders the two"),
    ),
    "one-reader-at-a-time-later": (
        "rwlock",
        [
            ["static _Atomic(uint32_t) state;", "static _Atomic(uint32_t) state, reads;"],
            [
                "    (void)me;\n    while (readers",
                "    (void)me;\n    reads++;\n    while (readers",
            ],
            [READER, "    while (readers == WRITER || (reads > 400 && readers > 0) ||\n"],
        ],
        *("together", "deadlock", "no thread can go on"),
    ),
    "lock-that-opens-in-a-lockref": (
        "lockref",
        [
            ["static int32_t references;", "static int32_t references;\nstatic atomic_uint uses;"],
            [
                "    while (atomic_exchange",
                "    if (uses++ > 1000)\n        return;\n    while (atomic_exchange",
            ],
        ],
        *("count", "race", "nothing orders the two"),
    ),
}
TWO_COUNTERS = """#include "rwlock.h"

#include <stdatomic.h>

static atomic_uint writing, reading[2];

void rwlock_init(void) {}

void rwlock_read_acquire(unsigned me)
{
    for (;;) {
        while (writing)
            locklab_relax();
        reading[me % 2]++;
        if (!writing)
            return;
        reading[me % 2]--;
    }
}

void rwlock_read_release(unsigned me)
{
    reading[me % 2]--;
}

void rwlock_write_acquire(unsigned me)
{
    (void)me;
    while (atomic_exchange(&writing, 1))
        locklab_relax();
    while (reading[0] + reading[1] > 0)
        locklab_relax();
}

void rwlock_write_release(unsigned me)
{
    (void)me;
    writing = 0;
}
"""


HALVES = """#include "spinlock.h"

#include <stdatomic.h>

/* Next ticket above, served one below. */
static _Atomic(uint32_t) halves;

void spinlock_init(void) {}

void spinlock_acquire(unsigned me)
{
    uint32_t mine = atomic_fetch_add_explicit(&halves, 65536, memory_order_relaxed) >> 16;

    (void)me;
    while ((atomic_load_explicit(&halves, memory_order_acquire) & 65535) != mine)
        locklab_relax();
}

void spinlock_release(unsigned me)
{
    uint32_t now = atomic_load_explicit(&halves, memory_order_relaxed);

    (void)me;
    while (!atomic_compare_exchange_weak_explicit(&halves, &now,
                                                  (now & ~65535u) | ((now + 1) & 65535),
                                                  memory_order_release, memory_order_relaxed))
        locklab_relax();
}
"""
TOP_BIT = """#include "seqlock.h"

#include <stdatomic.h>

/* The highest bit: a writer is inside; below it the number. */
#define INSIDE 0x80000000u
static _Atomic(uint32_t) state;

void seqlock_init(void) {}

uint32_t seqlock_read_begin(void)
{
    uint32_t seen;

    while ((seen = atomic_load_explicit(&state, memory_order_acquire)) & INSIDE)
        locklab_relax();
    return seen;
}

bool seqlock_read_retry(uint32_t number)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&state, memory_order_relaxed) != number;
}

void seqlock_write_begin(unsigned me)
{
    (void)me;
    while (atomic_fetch_or_explicit(&state, INSIDE, memory_order_acquire) & INSIDE)
        locklab_relax();
    atomic_thread_fence(memory_order_release);
}

void seqlock_write_end(unsigned me)
{
    uint32_t now = atomic_load_explicit(&state, memory_order_relaxed);

    (void)me;
    atomic_store_explicit(&state, (now + 1) & ~INSIDE, memory_order_release);
}
"""
DIFFERENCE = LAST.replace("return ", "return (int32_t)(").replace(" != number", " - number) > 0")
LONG_TICKETS = TICKETS.replace("WIDTH", "uint64_t").replace("MASK", "")
# name of the right submission: interface, text or changes of our reference, scenario
RIGHT = {
    "difference-of-numbers": ("seqlock", [[LAST, DIFFERENCE]], "torn"),
    "highest-bit-for-the-writer": ("seqlock", TOP_BIT, "quiet"),
    "two-numbers-in-a-word": ("spinlock", HALVES, "excludes"),
    "numbers-of-64-bits": ("spinlock", LONG_TICKETS, "excludes"),
}
SHORT = {
    "number-of-four-bits",
    "lock-that-opens",
    "one-reader-at-a-time-later",
    "number-compared-by-its-size",
}


def some(names: list[str], short: set[str]) -> list[object]:
    """Those of the normal run, the others among the slow ones."""
    return [pytest.param(n, marks=[] if n in short else [pytest.mark.slow]) for n in names]


def judged(name: str, text: str, tool: str, **more: object) -> Finding:
    """What a tool finds in a submission."""
    about = interface(name)
    given = {"name": "c", "title": "C", "points": 10, "kind": "c", "operations": 100}
    check = C.model_validate({**given, "tool": tool, "threads": 3, **more})
    return judge_c(
        check, compile_c(text.encode(), f"{name}.c", about, (tool,), "namespaces"), "namespaces"
    )


def explored(name: str, text: str, scenario: str, memory: str = "sc") -> Finding:
    """What the explorer finds in a submission, in every order of two threads."""
    how = {"scenario": scenario, "memory": memory, "preemptions": -1, "threads": 2}
    return judged(name, text, "explorer", **how)


def reference(name: str, *changes: list[str]) -> str:
    """Our own implementation with changes."""
    return changed((interface(name).folder / "reference.c").read_text(), [*changes], name)


@pytest.mark.parametrize("tool", ["torture", "tsan"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_after_many_uses(name: str, tool: str) -> None:
    """The message counts the uses."""
    change, words = WRONG[name]
    found = judged(name, reference(name, change), tool)
    assert ("fail", "worn") == (found.verdict, found.tag), found.message
    assert words in found.message


@pytest.mark.parametrize("tool", ["torture", "tsan"])
def test_tickets_of_six_bits_that_do_not_wrap(tool: str) -> None:
    """The ticket wraps and the served number does not."""
    text = TICKETS.replace("WIDTH", "uint32_t").replace("MASK", "& 63")
    found = judged("spinlock", text, tool)
    assert ("fail", "worn") == (found.verdict, found.tag), found.message
    assert "after 64 uses: the lock is still held" in found.message


@pytest.mark.parametrize("tool", ["torture", "tsan"])
@pytest.mark.parametrize("width", ["uint8_t", "uint16_t", "uint32_t"])
def test_tickets_that_wrap_are_right(width: str, tool: str) -> None:
    """Numbers of 8 and of 16 bits wrap during the uses."""
    found = judged("spinlock", TICKETS.replace("WIDTH", width).replace("MASK", ""), tool)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


def test_a_lock_may_pause_at_every_use() -> None:
    """A pause in front of each try is no endless loop, however often the lock is used."""
    pause = ["    while (atomic_exchange", "    locklab_relax();\n    while (atomic_exchange"]
    found = judged("spinlock", reference("spinlock", pause), "validate")
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.parametrize("tool", ["torture", "tsan"])
def test_versions_that_wrap_are_right(tool: str) -> None:
    """The version wraps from 2^32 to 0 during the uses."""
    change = ["atomic_init(&sequence, 0)", "atomic_init(&sequence, UINT32_MAX - 1001)"]
    found = judged("seqlock", reference("seqlock", change), tool)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.parametrize("wrong", some([*LATER], SHORT))
def test_the_explorer_finds_what_is_wrong_later(wrong: str) -> None:
    """From fresh memory each of them is right; the message says after how many uses it is not."""
    name, changes, scenario, tag, words = LATER[wrong]
    found = explored(name, reference(name, *changes), scenario)
    assert ("fail", tag) == (found.verdict, found.tag), found.message
    assert words in found.message
    assert re.search(r": after [1-9]\d* uses: ", found.message), found.message


@pytest.mark.parametrize("width", some(["uint8_t", "uint16_t", "uint32_t"], {"uint16_t"}))
def test_tickets_that_wrap_are_right_in_every_order(width: str) -> None:
    """Numbers of 8 and of 16 bits wrap before the threads begin, and among them."""
    text = TICKETS.replace("WIDTH", width).replace("MASK", "")
    found = explored("spinlock", text, "again", "c11")
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.slow
def test_a_number_of_16_bits_is_right_in_every_order() -> None:
    """It comes back after more writers than a reader is held for."""
    narrow = ["static _Atomic(uint32_t) sequence;", "static _Atomic(uint16_t) sequence;"]
    begin = ["    uint32_t number;\n\n    while", "    uint16_t number;\n\n    while"]
    text = reference("seqlock", narrow, begin, [WRITER, WRITER.replace("32", "16")])
    for scenario in ("torn", "quiet"):
        found = explored("seqlock", text, scenario, "c11")
        assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.parametrize("right", some([*RIGHT], {"highest-bit-for-the-writer"}))
def test_numbers_that_end_in_their_own_way_are_right(right: str) -> None:
    """What is moved on to where a number of 32 bits wraps is not moved over another end."""
    name, made, scenario = RIGHT[right]
    text = made if isinstance(made, str) else reference(name, *made)
    found = explored(name, text, scenario)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.parametrize("scenario", some(["excludes", "together"], {"together"}))
def test_readers_in_two_counters_are_right(scenario: str) -> None:
    """A reader-writer lock without one word for all."""
    found = explored("rwlock", TWO_COUNTERS, scenario)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message
