"""Locks that are wrong after many uses lose; right ones whose numbers wrap keep all."""

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
        "after 51 uses by one thread read_retry() is false",
    ),
    "rwlock": (
        [
            "    atomic_store_explicit(&state, 0, memory_order_release);",
            "    static unsigned uses;\n\n    if (++uses < 64)\n"
            "        atomic_store_explicit(&state, 0, memory_order_release);",
        ],
        "after 64 uses by one thread the lock is still held",
    ),
    "lockref": (
        ["    references++;\n", "    references += references < 40;\n"],
        "after 0 uses by one thread the count is wrong",
    ),
}


def judged(name: str, text: str, tool: str) -> Finding:
    """What a tool finds in a submission."""
    about = interface(name)
    given = {"name": "c", "title": "C", "points": 10, "kind": "c", "operations": 100}
    check = C.model_validate(given | {"tool": tool, "threads": 3})
    return judge_c(
        check, compile_c(text.encode(), f"{name}.c", about, (tool,), "namespaces"), "namespaces"
    )


@pytest.mark.parametrize("tool", ["torture", "tsan"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_after_many_uses(name: str, tool: str) -> None:
    """The message counts the uses."""
    change, words = WRONG[name]
    text = (interface(name).folder / "reference.c").read_text()
    found = judged(name, changed(text, [change], name), tool)
    assert ("fail", "worn") == (found.verdict, found.tag), found.message
    assert words in found.message


@pytest.mark.parametrize("tool", ["torture", "tsan"])
def test_tickets_of_six_bits_that_do_not_wrap(tool: str) -> None:
    """The ticket wraps and the served number does not."""
    text = TICKETS.replace("WIDTH", "uint32_t").replace("MASK", "& 63")
    found = judged("spinlock", text, tool)
    assert ("fail", "worn") == (found.verdict, found.tag), found.message
    assert "after 64 uses by one thread the lock is still held" in found.message


@pytest.mark.parametrize("tool", ["torture", "tsan"])
@pytest.mark.parametrize("width", ["uint8_t", "uint16_t", "uint32_t"])
def test_tickets_that_wrap_are_right(width: str, tool: str) -> None:
    """Numbers of 8 and of 16 bits wrap during the uses."""
    found = judged("spinlock", TICKETS.replace("WIDTH", width).replace("MASK", ""), tool)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.parametrize("tool", ["torture", "tsan"])
def test_versions_that_wrap_are_right(tool: str) -> None:
    """The version wraps from 2^32 to 0 during the uses."""
    text = (interface("seqlock").folder / "reference.c").read_text()
    change = ["atomic_init(&sequence, 0)", "atomic_init(&sequence, UINT32_MAX - 1001)"]
    found = judged("seqlock", changed(text, [change], "seqlock"), tool)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message
