"""Directory entries against a dictionary: paths, moves, too small buffers, references."""

from __future__ import annotations

import ctypes

import pytest
import shims
from hypothesis import given
from hypothesis import strategies as st

ENTRIES = 8
SCHEMES = ["seqwriter", "seqrwlock", "seqretry"]


@pytest.fixture(scope="module", params=SCHEMES)
def shim(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the compiled tree, with each scheme."""
    header = f'DCACHE="locklab/structures/dcache_{request.param}.h"'
    library = shims.load(tmp_path_factory.mktemp("dcache"), "dcache", [header])
    library.shim_new.restype = ctypes.c_void_p
    return library


names = st.text(st.characters(codec="ascii", exclude_characters="\0/"), min_size=1, max_size=40)
# Parents have higher numbers, or are the root: no directory comes below itself.
moves = st.lists(
    st.integers(0, ENTRIES - 1).flatmap(
        lambda number: st.tuples(
            st.just(number),
            st.sampled_from([-1, *range(number + 1, ENTRIES)]),
            names,
        )
    ),
    max_size=30,
)


@given(moves=moves, size=st.integers(0, 300))
def test_is_the_model(shim: ctypes.CDLL, moves: list[tuple[int, int, str]], size: int) -> None:
    """Paths follow every move; names are cut at 31 bytes; a buffer that is too small is refused."""
    tree = ctypes.c_void_p(shim.shim_new())
    model = dict.fromkeys(range(ENTRIES), (-1, ""))

    def path(number: int) -> str:
        parent, name = model[number]
        return (path(parent) if parent >= 0 else "") + "/" + name

    for number, parent, name in moves:
        shim.shim_move(tree, number, parent, name.encode())
        model[number] = (parent, name[:31])
    for number in range(ENTRIES):
        buffer = ctypes.create_string_buffer(max(1, size))
        start = shim.shim_path(tree, number, buffer, ctypes.c_size_t(size))
        expected = path(number).encode()
        if len(expected) + 1 <= size:
            assert expected == buffer.raw[start : start + len(expected)]
        else:
            assert -1 == start
    shim.shim_free(tree)


def test_root(shim: ctypes.CDLL) -> None:
    """The root's path is a slash; two bytes are room enough, one is not."""
    tree = ctypes.c_void_p(shim.shim_new())
    buffer = ctypes.create_string_buffer(2)
    assert 0 == shim.shim_path(tree, -1, buffer, ctypes.c_size_t(2))
    assert b"/" == buffer.value
    assert -1 == shim.shim_path(tree, -1, buffer, ctypes.c_size_t(1))
    shim.shim_free(tree)


@given(gets=st.integers(0, 50), puts=st.integers(0, 50))
def test_references(shim: ctypes.CDLL, gets: int, puts: int) -> None:
    """An entry is held by its maker, and by who got it and did not put it back."""
    tree = ctypes.c_void_p(shim.shim_new())
    puts = min(gets, puts)
    assert 1 + gets - puts == shim.shim_hold(tree, 0, gets, puts)
    shim.shim_free(tree)
