"""Topology and placement, on machines that exist only as files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locknative.errors import NativeError
from locknative.host.placement import place
from locknative.survey.topology import Cpu, read_all


def write(file: Path, text: str) -> None:
    """Write a file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


def big_machine(root: Path, online: str = "0-31", missing: Iterable[int] = ()) -> list[Cpu]:
    """Two sockets of eight cores, the second sibling of core c being c + 16."""
    write(root / "sys/devices/system/cpu/online", online)
    for cpu in set(range(32)) - set(missing):
        folder = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        write(folder / "physical_package_id", str(cpu % 16 // 8))
        write(folder / "core_cpus_list", f"{cpu % 16},{cpu % 16 + 16}")
    for node in (0, 1):
        cpus = f"{8 * node}-{8 * node + 7},{16 + 8 * node}-{23 + 8 * node}"
        write(root / f"sys/devices/system/node/node{node}/cpulist", cpus)
    return read_all(root)


def numbers(machine: list[Cpu]) -> set[int]:
    """Return the CPUs' numbers."""
    return {cpu.number for cpu in machine}


def test_read(tmp_path: Path) -> None:
    """Core, socket and node of each CPU are as the files say."""
    machine = big_machine(tmp_path)
    assert 32 == len(machine)
    assert Cpu(25, core=9, cache=0, node=1, package=1) == machine[25]


def test_compact(tmp_path: Path) -> None:
    """A core's siblings first, then the next core; the second socket when the first is full."""
    machine = big_machine(tmp_path)
    assert (0, 16, 1, 17) == place(4, "compact", machine, range(32))
    assert (8, 24) == place(18, "compact", machine, range(32))[16:]


def test_scatter(tmp_path: Path) -> None:
    """A core in each socket in turn; siblings only when every core has a thread."""
    machine = big_machine(tmp_path)
    assert (0, 8, 1, 9) == place(4, "scatter", machine, range(32))
    assert (7, 15, 16, 24) == place(18, "scatter", machine, range(32))[14:]


def test_offline_and_holes(tmp_path: Path) -> None:
    """CPUs that are offline are left out; numbers with holes are no trouble."""
    machine = big_machine(tmp_path, online="0,2-3,18,24-31", missing=range(4, 16))
    assert {0, 2, 3, 18, *range(24, 32)} == numbers(machine)
    assert (0, 2, 18, 3) == place(4, "compact", machine, range(32))
    assert (0, 24, 2, 25) == place(4, "scatter", machine, range(32))
    with pytest.raises(NativeError, match="CPU 1 cannot be used: it is offline"):
        place(1, [1], machine, range(32))


def test_cpuset_smaller_than_the_machine(tmp_path: Path) -> None:
    """Only CPUs that the process may use are handed out."""
    machine = big_machine(tmp_path)
    assert (3, 19, 20) == place(3, "compact", machine, {3, 19, 20})
    assert (3, 20, 19) == place(3, "scatter", machine, {3, 19, 20})
    with pytest.raises(NativeError, match=r"4 threads need 4 CPUs.*CPUs 3, 19, 20"):
        place(4, "compact", machine, {3, 19, 20})
    with pytest.raises(NativeError, match="CPU 4 cannot be used: it is not allowed"):
        place(1, [4], machine, {3, 19, 20})


def test_one_cpu() -> None:
    """A machine with one CPU runs one thread, and says why not two."""
    machine = [Cpu(0, 0, 0, 0, 0)]
    assert (0,) == place(1, "scatter", machine, {0})
    with pytest.raises(NativeError, match="2 threads need 2 CPUs"):
        place(2, "compact", machine, {0})


def test_hidden_topology(tmp_path: Path) -> None:
    """Without /sys the allowed CPUs are taken in their order."""
    hidden = read_all(tmp_path)
    assert [] == hidden
    assert (2, 5) == place(2, "scatter", hidden, {5, 2, 7})


def test_unknown_socket(tmp_path: Path) -> None:
    """A package number of -1, as some virtual machines have it, is one socket."""
    write(tmp_path / "sys/devices/system/cpu/online", "0")
    write(tmp_path / "sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1")
    assert [Cpu(0, 0, 0, 0, 0)] == read_all(tmp_path)


def test_free_and_lists(tmp_path: Path) -> None:
    """Free pins no thread; a list is taken in its order, as much of it as there are threads."""
    machine = big_machine(tmp_path)
    assert () == place(40, "free", machine, {0})
    assert (9, 3) == place(2, [9, 3, 4], machine, range(32))


@pytest.mark.parametrize(
    ("threads", "placement", "message"),
    [
        (1, "compakt", "did you mean 'compact'"),
        (0, "compact", "at least 1"),
        (2, [1, 1], "twice"),
        (3, [1, 2], "2 CPUs for 3 threads"),
    ],
)
def test_refusals(threads: int, placement: str | list[int], message: str, tmp_path: Path) -> None:
    """An impossible placement is refused with what is wrong."""
    with pytest.raises(NativeError, match=message):
        place(threads, placement, big_machine(tmp_path), range(32))


machines = st.builds(
    lambda cores: [
        Cpu(number, core=number - sibling, cache=socket, node=socket, package=socket)
        for number, (socket, sibling) in enumerate(
            (socket, sibling) for socket, width in cores for sibling in range(width)
        )
    ],
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=8),
)


@given(machine=machines, data=st.data())
def test_placements_are_permutations(machine: list[Cpu], data: st.DataObject) -> None:
    """Both orders use every CPU once, and fewer threads get a prefix of it."""
    everything = numbers(machine)
    for name in ("compact", "scatter"):
        whole = place(len(everything), name, machine, everything)
        assert everything == set(whole)
        threads = data.draw(st.integers(1, len(everything)))
        assert whole[:threads] == place(threads, name, machine, everything)


@given(machine=machines)
def test_scatter_uses_every_core_first(machine: list[Cpu]) -> None:
    """No core gets a second thread while another has none."""
    core = {cpu.number: cpu.core for cpu in machine}
    cores = len(set(core.values()))
    first = place(cores, "scatter", machine, numbers(machine))
    assert cores == len({core[cpu] for cpu in first})
