"""Compiled code belongs to the sources of today, and counts as plain code does."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numba.core.errors import TypingError

from locksim import jit
from locksim.checker.search import compiled
from locksim.engine.fast import compiled as fast
from locksim.lang import randomness
from locksim.lang.words import prefetch, shifted, wrap64, zeros
from locksim.study.traces import flat_profile

NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)


def double(x):
    """Something to compile."""
    return wrap64(2 * x)


def fourfold(x):
    """Something that calls it."""
    return double(double(x))


def eightfold(x):
    """What Python calls."""
    return double(fourfold(x))


@partial(jit.compilable, _nrt=True)
def arithmetic(x, y, bits):
    """What plain code may do with words."""
    row = zeros(3)
    row[0], row[1], row[2] = wrap64(x * y), wrap64(x + y), shifted(x, bits)
    return row[0] ^ row[1] ^ row[2]


class Pair(NamedTuple):
    """A type of an argument."""

    one: int
    other: int


class Moved(NamedTuple):
    """The same in a later version."""

    one: int
    other: int


def first(pair):
    """What takes it."""
    return pair.one


def summed(row):
    """The sum of a row; each number is announced."""
    total = 0
    for i in range(len(row)):
        prefetch(row, min(i + 2, len(row) - 1))
        total += row[i]
    return total


def allocated(n):
    """The sum of a row that is made here."""
    return summed(zeros(n))


@njit
def same(x, y, bits):
    """The same, compiled."""
    return arithmetic(x, y, bits)


@njit
def drawn(seed, thread, counter, mean):
    """A draw and an exponential number of it, compiled."""
    bits = randomness.draw(seed, thread, counter)
    return bits, randomness.exponential_of(bits, mean)


@given(NUMBERS, NUMBERS, st.integers(1, 63))
def test_compiled_numbers_wrap_as_plain_ones(x, y, bits):
    """Products, sums and shifts of 64 bits."""
    assert arithmetic(x, y, bits) == same(x, y, bits)


@given(st.integers(0, (1 << 63) - 1), st.integers(0, 1 << 21), st.integers(0, 1 << 40))
def test_compiled_draws_are_the_plain_ones(seed, thread, counter):
    """Both engines see the same random numbers, to the last bit of the logarithm."""
    bits = randomness.draw(seed, thread, counter)
    for mean in (1, 977, 10**12):
        plain = bits, randomness.exponential_of(bits, mean)
        assert plain == drawn(seed, thread, counter, mean)


def test_without_counting_nothing_is_allocated():
    """Code that counts no references gives the same numbers, or is not compiled."""
    jit.compilable(summed, _nrt=False)
    assert summed(list(range(9))) == njit(_nrt=False)(summed)(np.arange(9))
    assert allocated(9) == njit(allocated)(9)
    with pytest.raises(TypingError, match="returning of array passed into"):
        njit(_nrt=False)(allocated)(9)


def test_digest_depends_on_the_text(monkeypatch, tmp_path):
    """Another text, another number; the same text, the same number."""
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    source = tmp_path / "a.py"
    source.write_text("N = 1\n", encoding="utf-8")
    first = jit.digest(("a.py",))
    assert first == jit.digest(("a.py",))
    source.write_text("N = 2\n", encoding="utf-8")
    assert first != jit.digest(("a.py",))


def test_code_of_another_text_is_never_used(monkeypatch, tmp_path):
    """What is on disk counts only as long as no source differs."""
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    compiled_anew = []
    for text in ("N = 1\n", "N = 1\n", "N = 2\n", "N = 2\n", "N = 1\n"):
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        entry = jit.kept(double, ("a.py",))
        if not compiled_anew:
            entry._cache.flush()
        assert -(1 << 63) == entry(1 << 62)
        compiled_anew.append(sum(entry.stats.cache_misses.values()))
    assert [1, 0, 1, 0, 1] == compiled_anew


def test_code_for_a_class_that_is_gone_is_not_looked_at(monkeypatch, tmp_path):
    """An older version kept code for the state of a run; that class has another place now."""
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    (tmp_path / "a.py").write_text("N = 1\n", encoding="utf-8")
    kept = jit.kept(first, ("a.py",))
    kept._cache.flush()
    assert 3 == kept(Pair(3, 4))
    (tmp_path / "a.py").write_text("N = 2\n", encoding="utf-8")
    anew = jit.kept(first, ("a.py",))
    monkeypatch.delattr(f"{__name__}.Pair")
    assert 5 == anew(Moved(5, 6))


def test_inner_functions_have_no_machine_code_of_their_own(monkeypatch, tmp_path):
    """They are optimised and emitted once, with the function that Python calls."""
    from numba.core.codegen import JITCodeLibrary

    emitted = []
    emit = JITCodeLibrary._finalize_specific
    monkeypatch.setattr(
        JITCodeLibrary, "_finalize_specific", lambda lib: emitted.append(lib.name) or emit(lib)
    )
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    (tmp_path / "a.py").touch()
    jit.compilable(double)
    jit.compilable(fourfold)
    entry = jit.kept(eightfold, ("a.py",))
    entry._cache.flush()
    assert 40 == entry(5)
    ours = [name for name in emitted if __name__ in name or "fold" in name]
    assert ["eightfold"] == ours


def test_options_are_compared_by_value():
    """What speeds numba's look-ups up gives the options that numba itself gives."""
    from numba.core.compiler import Flags

    flags = Flags()
    flags.nrt = True
    assert {name: getattr(flags, name) for name in Flags.options} == flags.values()
    assert flags == flags.copy() != Flags()


def test_one_process_compiles_at_a_time(monkeypatch, tmp_path):
    """The first call with new types holds a lock file; later calls need none."""
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    (tmp_path / "a.py").touch()
    asked = []
    monkeypatch.setattr(jit, "exclusive", lambda file: asked.append(file.name))
    entry = jit.kept(double, ("a.py",))
    assert [2, 4] == [entry(1), entry(2)]
    (lock,) = asked
    assert lock.startswith(f"{entry.stats.cache_path}/{double.__module__}.double.")


def test_compiles_without_a_lock_file(monkeypatch, tmp_path):
    """A file system without locks is no reason to fail."""
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    (tmp_path / "a.py").touch()

    def refuse(*_):
        raise OSError

    monkeypatch.setattr(jit, "exclusive", refuse)
    assert 2 == jit.kept(double, ("a.py",))(1)


ENTRIES = [
    (compiled._search, compiled.SOURCES),
    (compiled.FUNCTIONS["fair"], compiled.SOURCES),
    (fast.advance, fast.SOURCES),
    (fast.unpark_all, fast.SOURCES),
    (flat_profile._booked, flat_profile._SOURCES),
]


@pytest.mark.parametrize(("entry", "sources"), ENTRIES)
def test_digest_is_the_stamp_of_what_is_kept(entry, sources):
    """Numba compares it with the one beside the machine code."""
    assert jit.digest(sources) == entry._cache._cache_file._source_stamp


@pytest.mark.parametrize(("value", "expected"), [("1", False), ("0", True), ("", True)])
def test_compilation_can_be_switched_off(monkeypatch, value, expected):
    """Numba's own variable is asked."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", value)
    assert expected == jit.enabled()
    assert double is jit.compilable(double)
