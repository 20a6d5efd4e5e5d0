"""Two programs in one C cache: readers take a lock, or removed entries are not waited for, later.

Each submission to lab 05 is the solution with a *switch*: a condition on what the cache has seen so
far. While it holds, a lookup takes the writers' mutex, or writes what it should not. The switches
count and compare what a cache can get hold of; the last ones differ in what they then do.

``loses`` is the check that must not pass. :data:`UNANNOUNCED` are refused before anything runs:
they count hits in a function whose writes the compiler would not announce.
"""

from __future__ import annotations

from dataclasses import dataclass

Change = tuple[str, str]


@dataclass(frozen=True)
class CProgram:
    """One submission: what it changes in the solution, the check that it loses, and why."""

    name: str
    changes: tuple[Change, ...]
    loses: str = "c-lockless"
    says: str = "word(s) that others read"


STATICS = "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
ENTER = "    struct entry *at;\n\n    rcu_read_lock();\n    at = rcu_dereference(*slot_of(key));\n"
LEAVE = "    rcu_read_unlock();\n    return at != NULL;\n"
FOUND = "    if (at != NULL) {\n        /* A store"
COPY = "        *decision = at->decision;\n"
MARK = "            atomic_store_explicit(&at->used, true, memory_order_relaxed);\n    "
PUBLISH = "    rcu_assign_pointer(*link, made);\n"
RECLAIM = "    unsigned forgotten = 0;\n\n    pthread_mutex_lock(&lock);\n"
REMOVED = "                forgotten++;\n"
MUTEX = ("pthread_mutex_lock(&lock);", "pthread_mutex_unlock(&lock);")
SPIN = (
    "while (atomic_exchange_explicit(&spin, true, memory_order_acquire)) continue;",
    "atomic_store_explicit(&spin, false, memory_order_release);",
)


def _switched(fired: str, *more: Change, taken: tuple[str, str] = MUTEX) -> tuple[Change, ...]:
    """Changes that take a lock around a lookup while a condition on ``switched`` and ``key`` holds.

    Arguments:
        fired: the condition. more: where ``switched`` is counted. taken: how it locks and unlocks.
    """
    statics = "static _Atomic(unsigned) switched;\nstatic _Atomic(bool) spin;\n"
    return (
        (STATICS, STATICS + statics),
        (ENTER, f"    bool locked = {fired};\n    if (locked) {taken[0]}\n{ENTER}"),
        (LEAVE, LEAVE.replace("    return", f"    if (locked) {taken[1]}\n    return")),
        *more,
    )


def _counted(place: str, by: str = "switched++;") -> Change:
    return place, f"{by}\n{place}"


FREE_ENTRY = "static void free_entry(struct rcu_head *head)\n"


def _removed(later: str, statics: str = "") -> tuple[Change, ...]:
    """Changes that do something else with a removed entry than wait for a grace period.

    Arguments:
        later: what, with ``gone``, the entry. statics: variables for it.
    """
    function = f"{statics}\nstatic void later(struct entry *gone)\n{{\n{later}\n}}\n\n"
    end = FREE_ENTRY + "{\n    free((char *)head - offsetof(struct entry, reclaimed));\n}\n"
    return (
        (end, end + function),
        ("        call_rcu(&old->reclaimed, free_entry);", "        later(old);"),
        ("                call_rcu(&at->reclaimed, free_entry);", "                later(at);"),
    )


INSERTED = _counted(PUBLISH)
REPLACED = _counted(PUBLISH, "switched += old != NULL;")
RECLAIMED = (RECLAIM, f"{RECLAIM}    switched++;\n")
DELETED = _counted(REMOVED)
HASHED = _counted(PUBLISH, "switched = switched * 29 + key->ssid + 1;")
LIVE = (_counted(PUBLISH, "switched += old == NULL;"), _counted(REMOVED, "switched--;"))
MARKED = (
    "        if (!atomic_load_explicit(&at->used, memory_order_relaxed))\n" + MARK.rstrip(" "),
    "        if (!atomic_load_explicit(&at->used, memory_order_relaxed)) {\n"
    "            switched++;\n" + MARK.rstrip(" ") + "        }\n",
)
STACK = "(unsigned)((uintptr_t)&key >> 16)"
PROGRAMS = (
    CProgram("second-insertion", _switched("switched > 1", INSERTED)),
    CProgram("fifty-insertions", _switched("switched > 50", INSERTED)),
    CProgram("more-insertions-than-any-other-check", _switched("switched > 2000", INSERTED)),
    CProgram("own-spinlock-later", _switched("switched > 30", INSERTED, taken=SPIN)),
    CProgram("first-replaced", _switched("switched > 0", REPLACED)),
    CProgram("many-replaced", _switched("switched > 400", REPLACED)),
    CProgram("first-removed", _switched("switched > 0", DELETED)),
    CProgram("many-removed", _switched("switched > 100", DELETED)),
    CProgram("many-reclaims", _switched("switched > 300", RECLAIMED)),
    CProgram("many-marks", _switched("switched > 200", MARKED)),
    CProgram("large-keys", _switched("key->ssid > 64")),
    CProgram("keys-of-another-form", _switched("key->tsid != 7 * key->ssid - 5")),
    CProgram(
        "keys-of-this-form", _switched("switched > 9 && key->tsid == 7 * key->ssid - 5", INSERTED)
    ),
    CProgram("many-decisions", _switched("switched > 14", *LIVE)),
    CProgram("history", _switched("switched % 32 == 17", HASHED)),
    CProgram(
        "key-inserted-last",
        _switched("switched == key->ssid", _counted(PUBLISH, "switched = key->ssid;")),
    ),
    CProgram(
        "another-thread",
        _switched(f"switched != {STACK}", _counted(PUBLISH, f"switched = {STACK};")),
    ),
    CProgram(
        "same-thread-later",
        _switched(
            f"switched / 65536 > 20 && switched % 65536 == {STACK} % 65536",
            _counted(PUBLISH, f"switched = (switched / 65536 + 1) * 65536 + {STACK} % 65536;"),
        ),
    ),
    CProgram(
        "beside-a-writer",
        _switched(
            "switched",
            ("    made->key = *key;\n", "    switched = 1;\n    made->key = *key;\n"),
            (
                "    pthread_mutex_unlock(&lock);\n    if (old",
                "    switched = 0;\n    pthread_mutex_unlock(&lock);\n    if (old",
            ),
        ),
    ),
    CProgram(
        "only-what-it-does-not-find",
        ((LEAVE, f"    if (at == NULL) {{ {MUTEX[0]} {MUTEX[1]} }}\n{LEAVE}"),),
    ),
    CProgram(
        "large-versions",
        ((COPY, f"        if (at->decision.seqno > 40) {{ {MUTEX[0]} {MUTEX[1]} }}\n{COPY}"),),
    ),
    CProgram(
        "far-down-the-chain",
        (
            (ENTER, ENTER.replace("\n\n", "\n    unsigned far = 0;\n\n", 1)),
            (
                "        at = rcu_dereference(at->next);\n",
                "        at = rcu_dereference(at->next), far++;\n",
            ),
            (FOUND, f"    if (far > 3) {{ {MUTEX[0]} {MUTEX[1]} }}\n{FOUND}"),
        ),
    ),
    CProgram(
        "counts-hits-later",
        (
            (STATICS, STATICS + "static _Atomic(unsigned) switched, hits;\n"),
            INSERTED,
            (COPY, f"        if (switched > 20) hits++;\n{COPY}"),
        ),
        "c-quiet",
    ),
    CProgram(
        "counts-hits-of-each-thread-later",
        (
            (STATICS, STATICS + "static _Atomic(unsigned) switched, hits[64];\n"),
            INSERTED,
            (COPY, f"        if (switched > 20) hits[{STACK} % 64]++;\n{COPY}"),
        ),
        "c-quiet",
    ),
    CProgram(
        "marks-again-later",
        (
            (STATICS, STATICS + "static _Atomic(unsigned) switched;\n"),
            INSERTED,
            (
                "        if (!atomic_load_explicit(&at->used, memory_order_relaxed))\n",
                "        if (switched > 20 ||\n"
                "            !atomic_load_explicit(&at->used, memory_order_relaxed))\n",
            ),
        ),
        "c-quiet",
    ),
    CProgram(
        "frees-50-removals-later",
        _removed(
            "    free(kept[n % 50]);\n    kept[n++ % 50] = gone;\n    (void)free_entry;",
            "static struct entry *kept[50];\nstatic unsigned n;\n",
        ),
        "c-held",
        "reads it at",
    ),
    CProgram(
        "keeps-what-it-removes",
        _removed(
            "    kept[n++ % 8000] = gone;\n    (void)free_entry;",
            "static struct entry *kept[8000];\nstatic unsigned n;\n",
        ),
        "c-held",
        "removed decisions are not freed",
    ),
    CProgram(
        "waits-for-the-first-400-only",
        _removed(
            "    if (n++ < 400)\n        call_rcu(&gone->reclaimed, free_entry);\n"
            "    else\n        free(gone);",
            "static unsigned n;\n",
        ),
        "c-held",
        "reads it at",
    ),
    CProgram(
        "waits-for-small-keys-only",
        _removed(
            "    if (gone->key.ssid < 60)\n        call_rcu(&gone->reclaimed, free_entry);\n"
            "    else\n        free(gone);",
        ),
        "c-held",
        "reads it at",
    ),
    CProgram(
        "locks-while-a-reclaim-runs",
        _switched(
            "switched",
            (RECLAIM, f"{RECLAIM}    switched = 1;\n"),
            (
                "    pthread_mutex_unlock(&lock);\n    return forgotten;\n",
                "    switched = 0;\n    pthread_mutex_unlock(&lock);\n    return forgotten;\n",
            ),
        ),
    ),
    CProgram(
        "waits-while-a-reclaim-runs",
        _switched(
            "switched",
            (RECLAIM, f"{RECLAIM}    switched = 1;\n"),
            (
                "    pthread_mutex_unlock(&lock);\n    return forgotten;\n",
                "    switched = 0;\n    pthread_mutex_unlock(&lock);\n    return forgotten;\n",
            ),
            taken=("while (switched) continue;", ";"),
        ),
        says="waits until a reclaim has gone on",
    ),
    CProgram(
        "waits-while-an-insertion-runs",
        _switched(
            "switched",
            (PUBLISH, f"    switched = 1;\n{PUBLISH}    switched = 0;\n"),
            taken=("while (switched) continue;", ";"),
        ),
        says="waits until an insertion has gone on",
    ),
)
"""The corpus."""


def _unannounced(start: str) -> tuple[Change, ...]:
    """Changes that count hits by a function with something in front of it."""
    counted = f"static unsigned long hits;\n{start} static void count(void) {{ hits++; }}\n"
    return (STATICS, STATICS + counted), (COPY, f"        count();\n{COPY}")


UNANNOUNCED = {
    "c23": _unannounced('[[gnu::no_sanitize("thread"), gnu::noinline]]'),
    "gnu": _unannounced('__attribute__((no_sanitize("thread"), noinline))'),
    "digraphs": _unannounced("<: <: gnu::no_sanitize_thread, gnu::noinline :> :>"),
    "bracket-in-a-macro": _unannounced(
        "#define OPEN [\nOPEN OPEN gnu::no_sanitize_thread, gnu::noinline]]"
    ),
    "argument-of-a-macro": _unannounced(
        "#define WITH(...) [__VA_ARGS__]\nWITH([gnu::no_sanitize_thread, gnu::noinline])"
    ),
}
"""More of the corpus."""
