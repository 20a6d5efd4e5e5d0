"""Reading the CSV of core-to-core-latency, and refusing what is not one."""

from pathlib import Path

import pytest
from matrices import two_sockets, write

from locksim.machine import MachineError
from locksim.study.new_machine import Matrix


def test_a_half_and_a_whole_square_are_the_same(tmp_path: Path) -> None:
    """The tool fills one half; a pair that was measured twice counts with its mean."""
    (tmp_path / "half.csv").write_text(",\n12.5,\n")
    (tmp_path / "whole.csv").write_text(",12\n13,\n")
    half, whole = (Matrix.read(tmp_path / f"{name}.csv").ns for name in ("half", "whole"))
    assert [[0, 12.5], [12.5, 0]] == half.tolist() == whole.tolist()


def test_the_first_line_of_the_tool_is_empty_values(tmp_path: Path) -> None:
    """It is the first CPU's, which has no pair yet."""
    assert 8 == Matrix.read(write(tmp_path, 8, two_sockets)).cpus


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 lines of up to 0 values; a matrix of N CPUs has N lines of N values"),
        ("1,2\n", "1 lines of up to 2 values"),
        (",cpu1\n3,\n", ":1: column 2 is 'cpu1'; write a latency in ns above 0"),
        (",\n-3,\n", ":2: column 1 is '-3'"),
        (",,\n3,,\n,,\n", "no reading for CPUs 0 and 2 (2 pairs lack one)"),
    ],
)
def test_what_is_not_a_matrix_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file, the place and what to do."""
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(MachineError) as caught:
        Matrix.read(file)
    assert f"{file}" in str(caught.value)
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """With the command that writes one."""
    with pytest.raises(MachineError, match=r"cannot be read \(No such file") as caught:
        Matrix.read(tmp_path / "none.csv")
    assert "core-to-core-latency --csv" in str(caught.value)
