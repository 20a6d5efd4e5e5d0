"""Litmus tests in both dialects, where the kernel's memory model and C11 differ or agree.

``docs/explain/lkmm.md`` has a row for each. What C11 shows is checked here. What the kernel's model
shows is herd7's answer, of version 7.56.3 with the kernel's own ``linux-kernel.cat`` (and the
release sequences of Linux 6.3).
"""

from checker.litmus.shapes import ACQ, FENCE, REL, RLX, SC, load, store


def once(register, word):
    """READ_ONCE into a register."""
    return f"int {register} = READ_ONCE(*{word});"


def write_once(word, value=1):
    """WRITE_ONCE."""
    return f"WRITE_ONCE(*{word}, {value});"


def release(word, value=1):
    """smp_store_release."""
    return f"smp_store_release({word}, {value});"


def acquire(register, word):
    """smp_load_acquire."""
    return f"int {register} = smp_load_acquire({word});"


def exchange(word, order):
    """An exchange of C11 whose result does not matter."""
    return f"int r9 = atomic_exchange_explicit({word}, 1, {order});"


def pairs(first, second, swap="xy"):
    """A store of one word and a load of the other, in two threads."""
    a, b = swap
    return [[first(a), *second(b)], [first(b), *second(a)]]


MB = "smp_mb();"
SB = r"exists (0:r0=0 /\ 1:r0=0)"
MP = r"exists (1:r0=1 /\ 1:r1=0)"
LB = r"exists (0:r0=1 /\ 1:r0=1)"
WRC = r"exists (1:r0=1 /\ 2:r0=2 /\ 2:r1=0)"
IRIW = r"exists (2:r0=1 /\ 2:r1=0 /\ 3:r0=1 /\ 3:r1=0)"

TESTS = {
    "LB": (
        [[load("r0", "x"), store("y")], [load("r0", "y"), store("x")]],
        [[once("r0", "x"), write_once("y")], [once("r0", "y"), write_once("x")]],
        LB,
        ("Never", "Sometimes"),
    ),
    "LB+datas": (
        [[load("r0", "x"), store("y", "r0")], [load("r0", "y"), store("x", "r0")]],
        [[once("r0", "x"), write_once("y", "r0")], [once("r0", "y"), write_once("x", "r0")]],
        LB,
        ("Never", "Never"),
    ),
    "LB+ctrls": (
        [
            [load("r0", "x"), "if (r0) {", store("y"), "}"],
            [load("r0", "y"), "if (r0) {", store("x"), "}"],
        ],
        [
            [once("r0", "x"), "if (r0) {", write_once("y"), "}"],
            [once("r0", "y"), "if (r0) {", write_once("x"), "}"],
        ],
        LB,
        ("Never", "Never"),
    ),
    "MP+rel+ctrl": (
        [
            [store("x"), store("y", 1, REL)],
            ["int r1 = 1;", load("r0", "y"), "if (r0) {", load("r1", "x")[4:], "}"],
        ],
        [
            [write_once("x"), release("y")],
            ["int r1 = 1;", once("r0", "y"), "if (r0) {", once("r1", "x")[4:], "}"],
        ],
        MP,
        ("Sometimes", "Sometimes"),
    ),
    "S+rels": (
        [[store("x", 2), store("y", 1, REL)], [load("r0", "y"), store("x", 1, REL)]],
        [[write_once("x", 2), release("y")], [once("r0", "y"), release("x")]],
        r"exists (1:r0=1 /\ x=2)",
        ("Sometimes", "Never"),
    ),
    "SB+xchgs": (
        pairs(lambda a: exchange(a, SC), lambda b: [load("r0", b)]),
        pairs(lambda a: f"int r9 = xchg({a}, 1);", lambda b: [once("r0", b)]),
        SB,
        ("Sometimes", "Never"),
    ),
    "SB+relaxed": (
        pairs(lambda a: exchange(a, RLX), lambda b: [load("r0", b)]),
        pairs(lambda a: f"int r9 = xchg_relaxed({a}, 1);", lambda b: [once("r0", b)]),
        SB,
        ("Sometimes", "Sometimes"),
    ),
    "SB+acqrel": (
        pairs(lambda a: exchange(a, "memory_order_acq_rel"), lambda b: [load("r0", b)]),
        pairs(lambda a: f"int r9 = xchg({a}, 1);", lambda b: [once("r0", b)]),
        SB,
        ("Sometimes", "Never"),
    ),
    "SB+fences": (
        pairs(store, lambda b: [FENCE, load("r0", b)]),
        pairs(write_once, lambda b: [MB, once("r0", b)]),
        SB,
        ("Never", "Never"),
    ),
    "SB+seqcst": (
        pairs(lambda a: store(a, 1, SC), lambda b: [load("r0", b, SC)]),
        pairs(lambda a: release(a), lambda b: [acquire("r0", b)]),
        SB,
        ("Never", "Sometimes"),
    ),
    "IRIW+fences": (
        [
            [store("x")],
            [store("y")],
            [load("r0", "x"), FENCE, load("r1", "y")],
            [load("r0", "y"), FENCE, load("r1", "x")],
        ],
        [
            [write_once("x")],
            [write_once("y")],
            [once("r0", "x"), MB, once("r1", "y")],
            [once("r0", "y"), MB, once("r1", "x")],
        ],
        IRIW,
        ("Never", "Never"),
    ),
    "MP+wmb+rmb": (
        [
            [store("x"), f"atomic_thread_fence({REL});", store("y")],
            [load("r0", "y"), f"atomic_thread_fence({ACQ});", load("r1", "x")],
        ],
        [
            [write_once("x"), "smp_wmb();", write_once("y")],
            [once("r0", "y"), "smp_rmb();", once("r1", "x")],
        ],
        MP,
        ("Never", "Never"),
    ),
    "LB+rmbs": (
        [
            [load("r0", "x"), f"atomic_thread_fence({ACQ});", store("y")],
            [load("r0", "y"), f"atomic_thread_fence({ACQ});", store("x")],
        ],
        [
            [once("r0", "x"), "smp_rmb();", write_once("y")],
            [once("r0", "y"), "smp_rmb();", write_once("x")],
        ],
        LB,
        ("Never", "Sometimes"),
    ),
    "relseq+rmw": (
        [
            [store("x"), store("y", 1, REL)],
            [f"int r0 = atomic_fetch_add_explicit(y, 1, {RLX});"],
            [load("r0", "y", ACQ), load("r1", "x")],
        ],
        [
            [write_once("x"), release("y")],
            ["int r0 = atomic_fetch_add_relaxed(1, y);"],
            [acquire("r0", "y"), once("r1", "x")],
        ],
        WRC,
        ("Never", "Never"),
    ),
    "relseq+store": (
        [
            [store("x"), store("y", 2, REL), store("y", 1)],
            [load("r0", "y", ACQ), load("r1", "x")],
        ],
        [
            [write_once("x"), release("y", 2), write_once("y")],
            [acquire("r0", "y"), once("r1", "x")],
        ],
        MP,
        ("Sometimes", "Sometimes"),
    ),
    "unlock+lock": (
        [
            [store("x"), store("z", 0, REL), exchange("z", ACQ), store("y")],
            [load("r0", "y", ACQ), load("r1", "x")],
        ],
        [
            [write_once("x"), release("z", 0), "int r9 = xchg_acquire(z, 1);", write_once("y")],
            [acquire("r0", "y"), once("r1", "x")],
        ],
        MP,
        ("Sometimes", "Sometimes"),
    ),
}
