"""Who shares what, from trees like /sys: sockets, SMT, holes in the numbering, and none at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.survey.topology import Cpu, packed, parse_list, read, relation, spread


def tree(root: Path, cpus: list[tuple[int, str, str, int, int]]) -> Path:
    """Write a tree; a CPU is (number, siblings, CPUs of its last cache, node, package)."""

    def write(path: str, text: str) -> None:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")

    write("sys/devices/system/cpu/online", ",".join(str(c[0]) for c in cpus))
    nodes: dict[int, list[int]] = {}
    for number, siblings, cache, node, package in cpus:
        base = f"sys/devices/system/cpu/cpu{number}"
        write(f"{base}/topology/core_cpus_list", siblings)
        write(f"{base}/topology/physical_package_id", str(package))
        for index, (level, shared) in enumerate(((1, siblings), (2, siblings), (3, cache))):
            write(f"{base}/cache/index{index}/level", str(level))
            write(f"{base}/cache/index{index}/shared_cpu_list", shared)
        nodes.setdefault(node, []).append(number)
    for node, numbers in nodes.items():
        write(f"sys/devices/system/node/node{node}/cpulist", ",".join(map(str, numbers)))
    return root


@pytest.fixture
def two_sockets(tmp_path: Path) -> Path:
    """Two sockets of two cores with two threads; CPU 3 is offline."""
    rows = [
        (0, "0,4", "0-1,4-5", 0, 0),
        (1, "1,5", "0-1,4-5", 0, 0),
        (2, "2,6", "2,6-7", 1, 1),
        (4, "0,4", "0-1,4-5", 0, 0),
        (5, "1,5", "0-1,4-5", 0, 0),
        (6, "2,6", "2,6-7", 1, 1),
        (7, "7", "2,6-7", 1, 1),
    ]
    return tree(tmp_path, rows)


def test_relations(two_sockets: Path) -> None:
    """Siblings, one cache, and nothing but the machine."""
    cpus = {c.number: c for c in read(two_sockets, range(8))}
    assert [0, 1, 2, 4, 5, 6, 7] == sorted(cpus)
    assert "core" == relation(cpus[0], cpus[4])
    assert "cache" == relation(cpus[0], cpus[1])
    assert "cache" == relation(cpus[2], cpus[7])
    assert "system" == relation(cpus[0], cpus[2])


def test_orders(two_sockets: Path) -> None:
    """Compact fills a cache first, scatter goes round them; siblings come last in both."""
    cpus = read(two_sockets, range(8))
    assert [0, 1, 2, 7, 4, 5, 6] == [c.number for c in packed(cpus)]
    assert [0, 2, 1, 7, 4, 6, 5] == [c.number for c in spread(cpus)]


def test_cpuset(two_sockets: Path) -> None:
    """Only the CPUs that may be used count."""
    assert [1, 6] == [c.number for c in read(two_sockets, [1, 3, 6])]


def test_no_sys(tmp_path: Path) -> None:
    """Where /sys is missing all CPUs are equally near, each a core of its own."""
    cpus = read(tmp_path, [0, 5])
    assert [Cpu(0, 0, 0, 0, 0), Cpu(5, 5, 0, 0, 0)] == cpus
    assert "cache" == relation(*cpus)


def test_node_and_package() -> None:
    """Without a common cache the node counts, then the package."""
    assert "node" == relation(Cpu(0, 0, 0, 0, 0), Cpu(1, 1, 1, 0, 0))
    assert "package" == relation(Cpu(0, 0, 0, 0, 0), Cpu(1, 1, 1, 1, 0))


def test_lists() -> None:
    """The kernel's lists have ranges and single numbers; empty is empty."""
    assert {0, 1, 2, 8} == parse_list("0-2,8\n")
    assert set() == parse_list("\n")
