"""Groups of CPUs from their latencies."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import LSCPU, clusters, two_sockets, write

from locksim.machine import MachineError
from locksim.study.new_machine import Lscpu, Matrix, of_matrix


def test_threads_cores_and_sockets_are_found(tmp_path: Path) -> None:
    """Linux numbers the second threads behind all first ones, as a profile does."""
    shape = of_matrix(Matrix.read(write(tmp_path, 8, two_sockets)))
    assert (2, 2, 2, ("node", "far")) == (shape.nodes, shape.cores, shape.threads, shape.classes)
    assert tuple(range(8)) == shape.numbers
    assert shape.readings is not None
    assert {"core": 4, "node": 8, "far": 16} == {k: r.pairs for k, r in shape.readings.items()}
    assert 20 <= shape.readings["core"].ns <= 22


def test_lscpu_names_the_classes(tmp_path: Path) -> None:
    """What crosses a socket is called so."""
    (tmp_path / "lscpu").write_text(LSCPU)
    shape = of_matrix(Matrix.read(write(tmp_path, 8, two_sockets)), Lscpu.read(tmp_path / "lscpu"))
    assert ("node", "socket") == shape.classes


def test_clusters_are_nodes_of_two_distances(tmp_path: Path) -> None:
    """Four clusters; two of them share a socket."""
    shape = of_matrix(Matrix.read(write(tmp_path, 12, clusters)))
    assert (4, 3, 1) == (shape.nodes, shape.cores, shape.threads)
    assert ((0, 1, 2, 2), (1, 0, 2, 2), (2, 2, 0, 1), (2, 2, 1, 0)) == shape.distance


def test_a_smaller_group_leaves_places_empty(tmp_path: Path) -> None:
    """Two groups, of three CPUs and of two."""
    file = write(tmp_path, 5, lambda a, b: 20 if (a < 3) == (b < 3) else 90)
    shape = of_matrix(Matrix.read(file))
    assert (2, 3, (0, 1, 2, 3, 4, -1), 1) == (
        *(shape.nodes, shape.cores, shape.numbers),
        shape.missing,
    )


def test_lscpu_of_another_machine_is_refused(tmp_path: Path) -> None:
    """Twelve CPUs here, eight there."""
    (tmp_path / "lscpu").write_text(LSCPU)
    matrix = Matrix.read(write(tmp_path, 12, clusters))
    with pytest.raises(MachineError, match=r"matrix.csv has 12 CPUs, lscpu 8; give files of the"):
        of_matrix(matrix, Lscpu.read(tmp_path / "lscpu"))


@given(st.permutations(range(12)))
def test_the_numbering_of_cpus_does_not_matter(order: list[int]) -> None:
    """Whatever number a CPU has, the groups are the same, and the numbers lead back to them."""
    import numpy as np

    ns = np.array([[0.0 if a == b else clusters(a, b) for b in range(12)] for a in range(12)])
    shape = of_matrix(Matrix(ns[np.ix_(order, order)], "permuted"))
    assert (4, 3) == (shape.nodes, shape.cores)
    found = [{order[n] // 3 for n in shape.numbers[3 * k : 3 * k + 3]} for k in range(4)]
    assert [1] * 4 == [len(group) for group in found]
