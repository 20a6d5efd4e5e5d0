"""`locklab machine new`: the page docs/use/machines.md, bad input, and the questions."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locksim.cli import machine_new
from locksim.cli.machine_new import app as new
from locksim.cli.run import app as run
from locksim.cli.show_machine import app as shown
from locksim.cli.sweep import app as sweep
from locksim.machine import load

PAGE = (Path(__file__).parents[3] / "docs/use/machines.md").read_text(encoding="utf-8")
MATRIX = re.search(r"```text\n(,.*?)```", PAGE, re.S)
COMMANDS = re.findall(r"^\$ locklab (.*)$", PAGE, re.M)
APPS = {"machine new": new, "run": run, "show machine": shown, "sweep": sweep}
RUN = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page's matrix in an empty folder."""
    assert MATRIX is not None
    (tmp_path / "i7-6700k.csv").write_text(MATRIX[1])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_leads_from_a_matrix_to_a_curve(folder: Path) -> None:
    """Each command of the page works, in its order; the first prints what the page shows."""
    names = [next(name for name in APPS if line.startswith(f"{name} ")) for line in COMMANDS]
    assert ["machine new", "run", "sweep", "show machine"] == names
    for name, line in zip(names, COMMANDS, strict=True):
        arguments = shlex.split(line.removeprefix(name))
        found = RUN.invoke(APPS[name], arguments, env={"COLUMNS": "100"})
        assert (0, line) == (found.exit_code, line), found.output
        if name == "machine new":
            shown = PAGE.partition(f"$ locklab {line}\n")[2].partition("```")[0]
            assert [row.rstrip() for row in shown.rstrip().splitlines()] == [
                row.rstrip() for row in found.stdout.rstrip().splitlines()
            ]


@pytest.mark.parametrize("line", re.findall(r"`locklab machine new (NAME [^`]*)`", PAGE))
def test_the_other_ways_work_too(folder: Path, line: str) -> None:
    """The table's commands, with files that are like those it names."""
    (folder / "lscpu.txt").write_text(
        "CPU(s): 128\nThread(s) per core: 2\nCore(s) per socket: 32\nSocket(s): 2\n"
        "Model name: Test @ 2.90GHz\nArchitecture: x86_64\n"
    )
    (folder / "i7-6700k.csv").rename(folder / "matrix.csv")
    calibrated = Path(__file__).parents[3] / "datasets/native/vm-2-epyc"
    there = shlex.quote(str(calibrated))
    arguments = shlex.split(line.replace("NAME", "mine").replace("FOLDER", there))
    found = RUN.invoke(new, [*arguments, "--json"])
    assert 0 == found.exit_code, found.output
    assert json.loads(found.stdout)["cpus"] == load("./mine.toml").n_cpus


def test_a_pair_that_the_profile_cannot_hold_is_reported(folder: Path) -> None:
    """Threads of a core exchange faster than the line hold time allows."""
    text = (folder / "i7-6700k.csv").read_text()
    (folder / "i7-6700k.csv").write_text(re.sub(r"6\.[89]\d", "3.1", text))
    found = RUN.invoke(new, ["short", "--from", "i7-6700k.csv"])
    assert 0 == found.exit_code
    assert "warning: core: the ping-pong takes 3.1 ns, at least" in found.stderr


def test_it_asks_on_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without options: sockets, cores, threads, clock and three ping-pongs."""
    monkeypatch.setattr(machine_new, "_terminal", lambda: True)
    answers = "2\n4\n1\n2.5\n45\n120\n"
    found = RUN.invoke(new, ["asked"], input=answers)
    assert 0 == found.exit_code, found.output
    assert 8 == load("./asked.toml").n_cpus


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("Mine", "Mine: use small letters, digits, '-' and '.', at most 64"),
        ("mine", "describe the machine: give --from FILE"),
        ("mine --shape 2x0x1", "--shape 2x0x1: write NODESxCORESxTHREADS, such as 2x32x2"),
        ("mine --shape 2x2x1 --from i7-6700k.csv", "--shape and a matrix cannot be used"),
        ("mine --shape 2x2x1 --out mine.txt", "--out mine.txt: the name must end in .toml"),
        ("mine --shape 2x2x1 --latency rmw", "--latency rmw: write NAME=VALUE and ns or cycles"),
        ("mine --shape 2x2x1 --latency rmw=9cycles", "cycles need the clock; add --clock 2.9GHz"),
        ("mine --shape 9999x9x8", "at most 1024 are supported"),
        ("mine --from CALIBRATED", "this profile is complete, use it with --machine"),
        ("there --shape 2x2x1", "there.toml exists: give --yes to replace it"),
        ("mine --from none.csv", "none.csv: cannot be read (No such file or directory)"),
        ("mine --from lscpu.txt", "lscpu.txt: no line 'CPU(s): NUMBER'"),
        ("mine --from lscpu.txt --from lscpu.txt", "--from lscpu.txt: lscpu.txt is a lscpu, too"),
    ],
)
def test_bad_input_is_refused(folder: Path, arguments: str, message: str) -> None:
    """One message, no file."""
    (folder / "there.toml").write_text("")
    (folder / "lscpu.txt").write_text("Architecture: x86_64\n")
    calibrated = Path(__file__).parents[3] / "datasets/native/vm-2-epyc"
    there = shlex.quote(str(calibrated))
    found = RUN.invoke(new, shlex.split(arguments.replace("CALIBRATED", there)))
    assert (2, "") == (found.exit_code, found.stdout)
    assert message in found.stderr
    assert not (folder / "mine.toml").exists()
