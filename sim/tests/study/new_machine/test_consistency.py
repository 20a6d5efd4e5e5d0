"""Latencies of another machine are noticed by their order, and by the caches of lscpu."""

from pathlib import Path

from matrices import two_sockets, write

from locksim.study.new_machine import Lscpu, Matrix, of_matrix
from locksim.study.new_machine.consistency import inconsistencies
from locksim.study.new_machine.shape import Reading, regular


def one_way(ns: float) -> Reading:
    """A reading of one pair."""
    return Reading(ns, ns, ns, 1)


def machine(sockets: int, caches: int) -> Lscpu:
    """An lscpu of eight CPUs."""
    cores = 4 // sockets
    return Lscpu("a CPU", "x86_64", "", 8, sockets, cores, 2, caches, None, "lscpu.txt")


def test_a_farther_class_is_slower() -> None:
    """Two sockets as near as two cores are not two sockets."""
    shape = regular(2, 2, 2)
    far = {"core": one_way(8.0), "node": one_way(48.0), "socket": one_way(110.0)}
    assert [] == inconsistencies(shape, far, None)
    (text,) = inconsistencies(shape, far | {"socket": one_way(50.0)}, None)
    assert "the ping-pong of socket takes 50.0 ns and that of the nearer node 48.0 ns" in text


def test_groups_are_sockets_or_caches(tmp_path: Path) -> None:
    """A matrix of two groups is not of a machine with four last-level caches in one socket."""
    shape = of_matrix(Matrix.read(write(tmp_path, 8, two_sockets)))
    assert shape.readings is not None
    for fits in (machine(2, 2), machine(1, 2), machine(2, 0), machine(1, 1)):
        assert [] == inconsistencies(shape, shape.readings, fits)
    (text,) = inconsistencies(shape, shape.readings, machine(1, 4))
    assert "the matrix has 2 groups of near CPUs, but lscpu.txt has 1 socket and 4 last" in text
