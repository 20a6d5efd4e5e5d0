"""Two programs in one C cache: none earns its points; honest variants keep theirs."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lockgrader.c import compile_c, interface, judge_c
from lockgrader.finding import Finding
from lockgrader.kinds.c import C
from lockgrader.lab import Lab, changed, load
from lockgrader.lab.variants import variant
from lockgrader.read.refused import Refused
from lockgrader.sandbox import available
from locklabs import find

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

KEY = b"a key of sixteen bytes or more"
FILE = Path(__file__).parents[2] / "redteam" / "c_programs.py"
IN_THE_NORMAL_RUN = ("waits-while-a-reclaim-runs", "frees-50-removals-later")


def programs() -> tuple[list[Any], dict[str, Any]]:
    """The corpus: what runs, and what is refused before."""
    spec = importlib.util.spec_from_file_location("redteam_c_programs", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [*module.PROGRAMS], module.UNANNOUNCED


PROGRAMS, UNANNOUNCED = programs()
CHAIN = """    while (*link != NULL && !equal(&(*link)->key, key))
        link = &(*link)->next;
    old = *link;
    made->next = old != NULL ? old->next : NULL;
    rcu_assign_pointer(*link, made);
"""
HEAD_FIRST = """    made->next = *link;
    rcu_assign_pointer(*link, made);
    for (link = &made->next; *link != NULL && !equal(&(*link)->key, key);)
        link = &(*link)->next;
    old = *link;
    if (old != NULL)
        rcu_assign_pointer(*link, old->next);
"""
TAKE, GIVE = "pthread_mutex_lock(&lock);", "pthread_mutex_unlock(&lock);"
STATIC = "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
HONEST: dict[str, list[tuple[str, str]]] = {
    "new-one-in-front-then-the-old-one-out": [(CHAIN, HEAD_FIRST)],
    "one-chain": [("#define SLOTS 8", "#define SLOTS 1")],
    "many-slots": [("#define SLOTS 8", "#define SLOTS 61")],
    "release-and-acquire-by-hand": [
        (
            "    rcu_assign_pointer(*link, made);",
            "    __atomic_store_n(link, made, __ATOMIC_RELEASE);",
        ),
        ("rcu_dereference(*slot_of(key))", "__atomic_load_n(slot_of(key), __ATOMIC_ACQUIRE)"),
        ("rcu_dereference(at->next)", "__atomic_load_n(&at->next, __ATOMIC_ACQUIRE)"),
    ],
    "waits-for-each-grace-period": [
        (
            "    if (old != NULL)\n        call_rcu(&old->reclaimed, free_entry);\n",
            "    if (old != NULL) {\n        synchronize_rcu();\n        free(old);\n    }\n",
        )
    ],
    "mutex-of-each-slot": [
        (STATIC, "static pthread_mutex_t locks[SLOTS];\n"),
        ("        slots[i] = NULL;\n", "        pthread_mutex_init(&locks[i], NULL);\n"),
        (f"    {TAKE}\n    while", "    pthread_mutex_lock(&locks[link - slots]);\n    while"),
        (
            f"{CHAIN}    {GIVE}",
            "    struct entry **slot = link;\n"
            + CHAIN
            + "    pthread_mutex_unlock(&locks[slot - slots]);",
        ),
        (f"    {TAKE}\n    for (int i", "    for (int i"),
        (
            "    for (int i = 0; i < SLOTS; i++)\n        for (struct entry **link",
            "    for (int i = 0; i < SLOTS; i++) {\n        pthread_mutex_lock(&locks[i]);\n"
            "        for (struct entry **link",
        ),
        (
            f"        }}\n    {GIVE}\n    return forgotten",
            "        }\n        pthread_mutex_unlock(&locks[i]);\n    }\n    return forgotten",
        ),
    ],
    "marks-by-exchange": [
        (
            "atomic_store_explicit(&at->used, true, memory_order_relaxed);\n        *",
            "atomic_exchange_explicit(&at->used, true, memory_order_relaxed);\n        *",
        )
    ],
}
HONEST["sixty-four-mutexes"] = [
    *HONEST["mutex-of-each-slot"],
    ("#define SLOTS 8", "#define SLOTS 64"),
]


@cache
def lab05() -> Lab:
    """The lab, read once."""
    return load(find("lab05"))


def judged(
    changes: list[tuple[str, str]], name: str, checks: tuple[str, ...]
) -> dict[str, Finding]:
    """What C checks of the lab find in its changed solution."""
    lab = lab05()
    right = Path(lab.folder, "solution", lab.c).read_text()
    text = changed(right, [list(one) for one in changes], name)
    wanted = [
        c
        for c in lab.checks(variant(lab, "eve", KEY))
        if isinstance(c, C) and (not checks or c.name in checks)
    ]
    about = interface(lab.interface)
    tools = {check.tool for check in wanted}
    compiled = compile_c(text.encode(), lab.c, about, tools, "namespaces")
    return {c.name: judge_c(c, compiled, "namespaces") for c in wanted}


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(
            one, id=one.name, marks=[] if one.name in IN_THE_NORMAL_RUN else [pytest.mark.slow]
        )
        for one in PROGRAMS
    ],
)
def test_it_loses_what_it_does_not_deserve(one: Any) -> None:
    """The message says what was found, and of a lock the state of the cache."""
    found = judged(one.changes, one.name, (one.loses,))[one.loses]
    assert ("fail", 0.0) == (found.verdict, found.share), found.message
    assert one.says in found.message
    if one.loses != "c-held":
        assert "insertions" in found.message


@pytest.mark.parametrize("name", UNANNOUNCED)
def test_a_write_that_is_not_announced_is_refused(name: str) -> None:
    """No check passes, and the line is named."""
    with pytest.raises(Refused, match=r"avc_rcu\.c:\d+: .*attribute") as refused:
        judged(UNANNOUNCED[name], name, ("c-quiet",))
    assert "forbidden_operation" == refused.value.verdict


def test_a_pool_of_statics_is_refused() -> None:
    """It could hold every entry of every check, and never free one."""
    lab = lab05()
    right = Path(lab.folder, "solution", lab.c).read_text()
    pool = (STATIC, f"{STATIC}static volatile char pool[1 << 20];\n")
    used = ("        slots[i] = NULL;\n", "        slots[i] = NULL, pool[i] = 0;\n")
    text = changed(right, [list(pool), list(used)], "pool")
    with pytest.raises(Refused, match="bytes of static variables; at most 131,072 are allowed"):
        compile_c(text.encode(), lab.c, interface(lab.interface), {"explorer"}, "namespaces")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if k == 0 else [pytest.mark.slow]) for k, n in enumerate(HONEST)],
)
def test_honest_readers(name: str) -> None:
    """A right cache with another layout or another right order passes both checks."""
    found = judged(HONEST[name], name, ("c-lockless", "c-quiet"))
    assert ["pass", "pass"] == [f.verdict for f in found.values()], found


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_honest_in_every_check(name: str) -> None:
    """A right cache passes each C check of the lab."""
    found = judged(HONEST[name], name, ())
    assert {} == {n: f.message for n, f in found.items() if f.verdict != "pass"}


def test_the_corpus_is_large_and_named_once() -> None:
    """At least twelve programs and four honest ones; no name twice."""
    assert len({one.name for one in PROGRAMS}) == len(PROGRAMS) >= 12
    assert len(HONEST) >= 4
