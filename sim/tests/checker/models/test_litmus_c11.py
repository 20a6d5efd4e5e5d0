"""The C11 model against the shapes of the literature, with each combination of orders.

Verdicts: RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer, PLDI 2017), as herd's rc11.cat gives them
for these shapes (Alglave, Maranget and Tautschnig, TOPLAS 36(2), 2014, for the names).
"""

import pytest
from checker.models.shapes import checked_outcomes, fence, reads, write

RLX, ACQ, REL, SC = "RELAXED", "ACQUIRE", "RELEASE", "SEQ_CST"


def add(word, value, order):
    """A fetch_add."""
    return ("fetch_add", word, value, order)


def mp(store=RLX, load=RLX, before=None, after=None):
    """Message passing, with the orders of the flag's store and load and fences beside them."""
    write_side = [write("x"), *([fence(before)] if before else []), write("y", 1, store)]
    read_side = reads(load, "y") + ([fence(after)] if after else []) + reads(RLX, "x")
    return [write_side, read_side]


def sb(store=RLX, load=RLX, between=None):
    """Store buffering."""
    middle = [fence(between)] if between else []
    return [[write(a, 1, store), *middle, *reads(load, b)] for a, b in ("xy", "yx")]


def iriw(load, between=None):
    """Independent reads of independent writes."""
    middle = [fence(between)] if between else []
    readers = [[*reads(load, a), *middle, *reads(load, b)] for a, b in ("xy", "yx")]
    return [
        [write("x", 1, SC if load == SC else RLX)],
        [write("y", 1, SC if load == SC else RLX)],
    ] + (readers)


# name: (program, what is asked for as (final values of x, y, …; results), allowed); None: any.
XY, XYZ = ("x", "y"), ("x", "y", "z")
SHAPES = {
    "MP": (mp(), (None, None, 1, 0), True),
    "MP+rel": (mp(REL), (None, None, 1, 0), True),
    "MP+acq": (mp(RLX, ACQ), (None, None, 1, 0), True),
    "MP+rel+acq": (mp(REL, ACQ), (None, None, 1, 0), False),
    "MP+sc+sc": (mp(SC, SC), (None, None, 1, 0), False),
    "MP+sc+rlx": (mp(SC, RLX), (None, None, 1, 0), True),
    "MP+Frel+acq": (mp(RLX, ACQ, REL), (None, None, 1, 0), False),
    "MP+rel+Facq": (mp(REL, RLX, None, ACQ), (None, None, 1, 0), False),
    "MP+Frel+Facq": (mp(RLX, RLX, REL, ACQ), (None, None, 1, 0), False),
    "MP+Frel": (mp(RLX, RLX, REL), (None, None, 1, 0), True),
    "MP+Facq": (mp(RLX, RLX, None, ACQ), (None, None, 1, 0), True),
    "MP+Fsc+Fsc": (mp(RLX, RLX, SC, SC), (None, None, 1, 0), False),
    "MP+Facq+Frel": (mp(RLX, RLX, ACQ, REL), (None, None, 1, 0), True),
    "SB": (sb(), (None, None, 0, 0), True),
    "SB+rel+acq": (sb(REL, ACQ), (None, None, 0, 0), True),
    "SB+sc": (sb(SC, SC), (None, None, 0, 0), False),
    "SB+sc stores": (sb(SC, RLX), (None, None, 0, 0), True),
    "SB+sc loads": (sb(RLX, SC), (None, None, 0, 0), True),
    "SB+Fsc": (sb(between=SC), (None, None, 0, 0), False),
    "SB+Facq_rel": (sb(between="ACQ_REL"), (None, None, 0, 0), True),
    "LB": (
        [[*reads(RLX, "x"), write("y")], [*reads(RLX, "y"), write("x")]],
        (None, None, 1, 1),
        False,
    ),
    "S": ([[write("x", 2), write("y")], [*reads(RLX, "y"), write("x")]], (2, None, 1), True),
    "S+rel+acq": (
        [[write("x", 2), write("y", 1, REL)], [*reads(ACQ, "y"), write("x")]],
        (2, None, 1),
        False,
    ),
    "R": ([[write("x"), write("y")], [write("y", 2), *reads(RLX, "x")]], (None, 2, 0), True),
    "R+Fsc": (
        [[write("x"), fence(), write("y")], [write("y", 2), fence(), *reads(RLX, "x")]],
        (None, 2, 0),
        False,
    ),
    "2+2W": ([[write("x"), write("y", 2)], [write("y"), write("x", 2)]], (1, 1), True),
    "2+2W+rel": (
        [[write("x"), write("y", 2, REL)], [write("y"), write("x", 2, REL)]],
        (1, 1),
        True,
    ),
    "2+2W+sc": (
        [[write("x", 1, SC), write("y", 2, SC)], [write("y", 1, SC), write("x", 2, SC)]],
        (1, 1),
        False,
    ),
    "2+2W+Fsc": (
        [[write("x"), fence(), write("y", 2)], [write("y"), fence(), write("x", 2)]],
        (1, 1),
        False,
    ),
    "IRIW": (iriw(RLX), (None, None, 1, 0, 1, 0), True),
    "IRIW+acq": (iriw(ACQ), (None, None, 1, 0, 1, 0), True),
    "IRIW+sc": (iriw(SC), (None, None, 1, 0, 1, 0), False),
    "IRIW+Fsc": (iriw(RLX, SC), (None, None, 1, 0, 1, 0), False),
    "CoRR": ([[write("x")], reads(RLX, "x", "x")], (None, None, 1, 0), False),
    "CoWW": ([[write("x"), write("x", 2)]], (1, None), False),
    "CoRW": ([[*reads(RLX, "x"), write("x")]], (None, None, 1), False),
    "CoRW2": ([[*reads(RLX, "x"), write("x")], [write("x", 2)]], (2, None, 2), False),
    "CoWR": ([[write("x"), *reads(RLX, "x")], [write("x", 2)]], (1, None, 2), False),
    "n6": (
        [[write("x"), *reads(RLX, "x", "y")], [write("y"), write("x", 2)]],
        (1, None, 1, 0),
        True,
    ),
    "rmw atomicity": ([[add("x", 1, RLX)], [add("x", 1, RLX)]], (1, None), False),
}
THREE = {
    "WRC": (
        [
            [write("x")],
            [*reads(RLX, "x"), write("y", 1, REL)],
            [*reads(ACQ, "y"), *reads(RLX, "x")],
        ],
        (None, None, None, 1, 1, 0),
        False,
    ),
    "WRC+rlx": (
        [[write("x")], [*reads(RLX, "x"), write("y")], reads(RLX, "y", "x")],
        (None, None, None, 1, 1, 0),
        True,
    ),
    "ISA2": (
        [
            [write("x"), write("y", 1, REL)],
            [*reads(ACQ, "y"), write("z", 1, REL)],
            [*reads(ACQ, "z"), *reads(RLX, "x")],
        ],
        (None, None, None, 1, 1, 0),
        False,
    ),
    "ISA2+rlx": (
        [
            [write("x"), write("y", 1, REL)],
            [*reads(RLX, "y"), write("z", 1, REL)],
            [*reads(ACQ, "z"), *reads(RLX, "x")],
        ],
        (None, None, None, 1, 1, 0),
        True,
    ),
    "release sequence through rmw": (
        [
            [write("x"), write("y", 1, REL)],
            [add("y", 1, RLX)],
            [*reads(ACQ, "y"), *reads(RLX, "x")],
        ],
        (None, None, None, 1, 2, 0),
        False,
    ),
    "release sequence broken by a store": (
        [
            [write("x"), write("y", 1, REL), write("y", 2)],
            [*reads(ACQ, "y"), *reads(RLX, "x")],
        ],
        (None, None, None, 2, 0),
        True,
    ),
}


def matches(outcome, asked):
    """Whether an outcome has the values that are asked for."""
    return all(a is None or a == o for a, o in zip(asked, outcome, strict=True))


@pytest.mark.parametrize("name", SHAPES | THREE)
def test_outcome_is_allowed_exactly_where_the_literature_says(name):
    """The outcome that the shape is known for."""
    program, asked, allowed = (SHAPES | THREE)[name]
    found = checked_outcomes(program, "c11", XYZ if name in THREE else XY)
    assert allowed == any(matches(outcome, asked) for outcome in found)


@pytest.mark.parametrize("name", SHAPES)
def test_c11_allows_what_tso_allows_to_relaxed_accesses(name):
    """With every order RELAXED, a machine with store buffers is one way to run C11."""
    program = [
        [(op, w, v, RLX) for op, w, v, _ in thread if op != "fence"] for thread in SHAPES[name][0]
    ]
    assert checked_outcomes(program, "tso") <= checked_outcomes(program, "c11")
