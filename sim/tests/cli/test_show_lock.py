"""Tests of `locklab show lock`: the list, one lock, bytecode, JSON and refusals."""

import json
from pathlib import Path

from typer.testing import CliRunner

from locksim.cli.show_lock import app
from locksim.compiler import compile_class
from locksim.compiler.disassemble import disassemble
from locksim.compiler.portable import code_from_json
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.registry import entries

RUN = CliRunner()


def test_list_names_every_lock_and_cache() -> None:
    """Each with its description, below its kind; nothing is cut at 80 columns."""
    result = RUN.invoke(app, [], env={"COLUMNS": "80"})
    assert 0 == result.exit_code
    words = result.stdout.split()
    assert {"locks", "caches", "schedulers"} <= set(words)
    assert [] == [entry.name for entry in entries() if entry.name not in words]
    assert 80 >= max(map(len, result.stdout.splitlines()))
    assert 3 * len(entries()) > len(result.stdout.splitlines())


def test_list_as_json_is_only_json() -> None:
    """--json prints names, kinds, classes and lines."""
    found = json.loads(RUN.invoke(app, ["--json"]).stdout)
    expected = [(e.name, e.kind, e.struct.__name__, e.summary) for e in entries()]
    assert expected == [
        tuple(row[k] for k in ("name", "kind", "class", "summary")) for row in found
    ]


def test_list_says_what_can_be_checked() -> None:
    """All but a scheduler that has nothing to choose."""
    found = json.loads(RUN.invoke(app, ["--json"]).stdout)
    assert ["pinned"] == [row["name"] for row in found if not row["checked"]]


def test_show_prints_essay_fields_and_source() -> None:
    """What a student reads first."""
    shown = RUN.invoke(app, ["mcs"]).stdout
    assert "Mechanism." in shown
    assert "  tail   pointer to QNode" in shown
    assert "  nodes  one for each CPU, on its own cache lines: QNode" in shown
    assert "class MCSLock(Lock):" in shown


def test_show_bytecode_prints_the_listing() -> None:
    """The listing is the disassembler's."""
    shown = RUN.invoke(app, ["ticket", "--as", "bytecode"]).stdout
    assert disassemble(compile_class(TicketLock)) in shown


def test_show_as_json_carries_the_bytecode() -> None:
    """--json gives fields and source, with --as bytecode the document that can be read back."""
    found = json.loads(RUN.invoke(app, ["mcs", "--json", "--as", "bytecode"]).stdout)
    assert "mcs" == found["name"]
    assert ["pointer", "percpu"] == [f["kind"] for f in found["fields"]]
    assert compile_class(MCSLock).methods == code_from_json(found["bytecode"]).methods
    assert "bytecode" not in json.loads(RUN.invoke(app, ["mcs", "--json"]).stdout)


def test_show_of_an_own_file(tmp_path: Path) -> None:
    """A user's file is shown like a lock of the library."""
    path = tmp_path / "mine.py"
    path.write_text(
        '"""Essay."""\nfrom locksim.lang import *\nclass Mine(Lock):\n    """One word."""\n'
        "    flags = array(8, word(), padded=True)\n    turns = param(3)\n"
        "    def acquire(self):\n        yield pause()\n"
    )
    shown = RUN.invoke(app, [f"{path}:Mine"]).stdout
    assert "Mine: One word." in shown
    assert "  flags  array of 8 words, each on a line of its own" in shown
    assert "  turns  param, 3 by default" in shown


def test_show_refuses_an_unknown_lock() -> None:
    """One message on stderr, exit code 2, nothing on stdout."""
    result = RUN.invoke(app, ["tiket"])
    assert (2, "") == (result.exit_code, result.stdout)
    assert (
        "error: unknown lock, cache or scheduler 'tiket'; did you mean 'ticket'?\n" == result.stderr
    )


def test_show_tells_a_mistake_with_its_caret(tmp_path: Path) -> None:
    """A compile error keeps its lines."""
    path = tmp_path / "bad.py"
    path.write_text("from locksim.lang import *\nclass L(Lock):\n    x = 0.5\n")
    result = RUN.invoke(app, [str(path)])
    assert 2 == result.exit_code
    assert f"error: {path}:3:" in result.stderr
    assert "^^^" in result.stderr
