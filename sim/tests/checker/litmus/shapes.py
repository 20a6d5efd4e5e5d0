"""Litmus tests of the classic shapes, written here; their verdicts are common knowledge.

The names and verdicts are those of Alglave, Maranget and Tautschnig, "Herding Cats" (TOPLAS 36(2),
2014), for C11 as herd7's rc11.cat gives them.
"""

RLX, ACQ, REL, SC = (
    f"memory_order_{order}" for order in ("relaxed", "acquire", "release", "seq_cst")
)


def load(register, word, order=RLX):
    """A load into a register."""
    return f"int {register} = atomic_load_explicit({word}, {order});"


def store(word, value=1, order=RLX):
    """A store."""
    return f"atomic_store_explicit({word}, {value}, {order});"


FENCE = f"atomic_thread_fence({SC});"


def litmus(name, threads, condition, initial="{ }"):
    """The text of a test of the words x, y and z; each thread a list of statements."""
    words = ", ".join(f"atomic_int* {word}" for word in "xyz")
    bodies = [
        "\n".join([f"P{k} ({words}) {{", *(f"  {s}" for s in statements), "}", ""])
        for k, statements in enumerate(threads)
    ]
    return "\n".join([f"C {name}", initial, "", *bodies, condition, ""])


def sb(between=()):
    """Store buffering."""
    return [[store(a), *between, load("r0", b)] for a, b in ("xy", "yx")]


def mp(publish=RLX, look=RLX):
    """Message passing."""
    return [[store("x"), store("y", 1, publish)], [load("r0", "y", look), load("r1", "x")]]


SHAPES = {
    "SB": (sb(), r"exists (0:r0=0 /\ 1:r0=0)", "Never Sometimes Sometimes"),
    "SB+fences": (sb([FENCE]), r"exists (0:r0=0 /\ 1:r0=0)", "Never Never Never"),
    "MP": (mp(), r"exists (1:r0=1 /\ 1:r1=0)", "Never Never Sometimes"),
    "MP+rel+acq": (mp(REL, ACQ), r"exists (1:r0=1 /\ 1:r1=0)", "Never Never Never"),
    "R": (
        [[store("x"), store("y")], [store("y", 2), load("r0", "x")]],
        r"exists (y=2 /\ 1:r0=0)",
        "Never Sometimes Sometimes",
    ),
    "S": (
        [[store("x", 2), store("y")], [load("r0", "y"), store("x")]],
        r"exists (x=2 /\ 1:r0=1)",
        "Never Never Sometimes",
    ),
    "2+2W": (
        [[store("x"), store("y", 2)], [store("y"), store("x", 2)]],
        r"exists (x=1 /\ y=1)",
        "Never Never Sometimes",
    ),
    "WRC": (
        [
            [store("x")],
            [load("r0", "x"), store("y", 1, REL)],
            [load("r0", "y", ACQ), load("r1", "x")],
        ],
        r"exists (1:r0=1 /\ 2:r0=1 /\ 2:r1=0)",
        "Never Never Never",
    ),
    "IRIW+acq": (
        [
            [store("x")],
            [store("y")],
            [load("r0", "x", ACQ), load("r1", "y", ACQ)],
            [load("r0", "y", ACQ), load("r1", "x", ACQ)],
        ],
        r"exists (2:r0=1 /\ 2:r1=0 /\ 3:r0=1 /\ 3:r1=0)",
        "Never Never Sometimes",
    ),
    "ISA2": (
        [
            [store("x"), store("y", 1, REL)],
            [load("r0", "y", ACQ), store("z", 1, REL)],
            [load("r0", "z", ACQ), load("r1", "x")],
        ],
        r"exists (1:r0=1 /\ 2:r0=1 /\ 2:r1=0)",
        "Never Never Never",
    ),
    "CoRR": (
        [[store("x")], [load("r0", "x"), load("r1", "x")]],
        r"~exists (1:r0=1 /\ 1:r1=0)",
        "Never Never Never",
    ),
    "add": (
        [["atomic_fetch_add_explicit(x, 1, memory_order_relaxed);"]] * 2,
        "forall (x=2)",
        "Always Always Always",
    ),
}
