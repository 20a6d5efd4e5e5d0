"""Packed rows: each is read back as it was, and equal rows get one number."""

from array import array

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from locksim import jit
from locksim.checker.search.packed import WORST, intern_packed, pack, refill_packed, unpack

VALUES = st.one_of(
    st.just(0),
    st.integers(-3, 300),
    st.integers(30_000, 70_000),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.integers(0, 62).map(lambda bit: 1 << bit),
)
ROWS = st.lists(VALUES, min_size=1, max_size=40).map(lambda row: [*row, *[0] * (600 - len(row))])


def table(rows, width):
    """An empty table with room for some rows."""
    n = 4 << len(rows).bit_length()
    zeros = (("B", WORST * width * len(rows)), ("q", len(rows) + 1), ("i", n), ("q", 1))
    return [array(code, [0]) * size for code, size in zeros]


@given(ROWS)
def test_a_row_is_read_back(row):
    """Zeros, small, large and negative values; the bytes are few where most are zeros."""
    packed = [0] * (WORST * len(row))
    n = pack(row, packed)
    assert all(0 <= byte <= 255 for byte in packed[:n])
    read = [7] * len(row)
    unpack(bytes(packed[:n]), 0, n, read)
    assert row == read
    assert n <= WORST * sum(value != 0 for value in row) + 80


@given(st.lists(ROWS, min_size=1, max_size=12))
def test_equal_rows_have_one_number(rows):
    """Numbers follow the first appearance, also after the slots were refilled."""
    made, packed = table(rows, 600), [0] * (WORST * 600)
    known: list[list[int]] = []
    for row in rows:
        if row not in known:
            known.append(row)
        assert known.index(row) == intern_packed(*made, row, packed)
    larger = array("i", [0]) * (2 * len(made[2]))
    refill_packed(made[0], made[1], larger, made[3][0])
    made[2] = larger
    assert list(map(known.index, rows)) == [intern_packed(*made, row, packed) for row in rows]


def test_compiled_code_packs_alike():
    """The same bytes, and the same values back."""
    numba = jit._numba()
    rows = [[0, 1, -1, 127, 128, 30_847, 30_848, 0], [1 << 40, -(1 << 63), (1 << 63) - 1, *[0] * 5]]
    for row in rows:
        packed, mine = np.zeros(80, np.int64), [0] * 80
        n = numba.njit(lambda row, packed: pack(row, packed))(np.array(row), packed)
        assert (n, mine) == (pack(row, mine), packed.tolist())
        read = np.zeros(8, np.int64)
        numba.njit(lambda rows, end, row: unpack(rows, 0, end, row))(
            packed.astype(np.uint8), n, read
        )
        assert row == read.tolist()
