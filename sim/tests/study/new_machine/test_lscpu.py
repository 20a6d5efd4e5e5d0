"""Reading lscpu, as text and as JSON."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from matrices import LSCPU

from locksim.machine import MachineError
from locksim.study.new_machine import Lscpu, of_lscpu


def read(folder: Path, text: str) -> Lscpu:
    """Read lscpu's output from a file."""
    (folder / "lscpu").write_text(text)
    return Lscpu.read(folder / "lscpu")


def test_text_and_json_say_the_same(tmp_path: Path) -> None:
    """The JSON nests: caches stand below the CPU."""
    pairs = [line.split(":", 1) for line in LSCPU.splitlines()]
    fields = [{"field": f"{name}:", "data": value.strip()} for name, value in pairs]
    nested = {"lscpu": [{**fields[0], "children": fields[1:]}]}
    found = read(tmp_path, LSCPU)
    assert found == read(tmp_path, json.dumps(nested))
    assert (8, 2, 2, 2, 2, 2.5) == (
        *(found.cpus, found.sockets, found.cores, found.threads, found.caches),
        found.clock_ghz,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [("Hello\n", "no line 'CPU(s): NUMBER'"), ("{", "not valid JSON")],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """The message says how to write the file."""
    with pytest.raises(MachineError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "LC_ALL=C lscpu" in str(caught.value)


def test_a_last_level_cache_is_a_node(tmp_path: Path) -> None:
    """Two caches in each socket: clusters, then sockets."""
    found = replace(read(tmp_path, LSCPU), cores=4, caches=4)
    shape = of_lscpu(found)
    assert (4, 2, ("node", "cache", "socket")) == (shape.nodes, shape.cores, shape.classes)
    assert (0, 1, 2, 2) == shape.distance[0]


def test_caches_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """Three caches for four cores."""
    with pytest.raises(MachineError, match="do not divide evenly; give --shape"):
        of_lscpu(replace(read(tmp_path, LSCPU), caches=3))
