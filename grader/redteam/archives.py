"""Hostile archives and folders, made here so that nothing binary lies in the tree.

Each maker writes one submission into a folder and gives its path. The verdict is that of the check
"number": every one of them answers 3, or tries to hand in what is not the student's.
"""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

ANSWER = '{"n": 3}'
Maker = Callable[[Path], Path]
ARCHIVES: dict[str, tuple[int, str, Maker]] = {}
"""Name → attack, verdict, maker."""


def archive(attack: int, verdict: str) -> Callable[[Maker], Maker]:
    """Register a maker under its name."""

    def register(maker: Maker) -> Maker:
        ARCHIVES[maker.__name__.replace("_", "-")] = attack, verdict, maker
        return maker

    return register


def zipped(folder: Path, *entries: tuple[str | zipfile.ZipInfo, str]) -> Path:
    """A zip with some entries."""
    path = folder / "eve.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in entries:
            made.writestr(name, text, zipfile.ZIP_DEFLATED)
    return path


def entry(name: str, mode: int) -> zipfile.ZipInfo:
    """An entry that claims to be a file of a kind."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


@archive(16, "ungradable")
def link_in_a_zip(folder: Path) -> Path:
    """A symbolic link to a file of the grader's."""
    return zipped(folder, (entry("answers.json", stat.S_IFLNK | 0o777), "/etc/passwd"))


@archive(16, "ungradable")
def device_in_a_zip(folder: Path) -> Path:
    """An entry that claims to be a device."""
    return zipped(folder, (entry("answers.json", stat.S_IFCHR | 0o666), ANSWER))


@archive(16, "no_output")
def path_upwards(folder: Path) -> Path:
    """An entry that leads out of the archive."""
    return zipped(folder, ("../answers.json", '{"n": 1000}'))


@archive(16, "no_output")
def path_from_the_root(folder: Path) -> Path:
    """An entry with an absolute path."""
    return zipped(folder, ("/autograder/results/results.json", '{"score": 999}'))


@archive(16, "no_output")
def path_with_backslashes(folder: Path) -> Path:
    """Upwards, as Windows writes it."""
    return zipped(folder, ("..\\..\\answers.json", '{"n": 1000}'))


@archive(16, "no_output")
def path_far_down(folder: Path) -> Path:
    """Deeper than a folder: not where answers are."""
    return zipped(folder, ("a/" * 200 + "answers.json", ANSWER))


@archive(16, "ungradable")
def bomb(folder: Path) -> Path:
    """A hundred megabytes of spaces in a hundred kilobytes."""
    return zipped(folder, ("answers.json", " " * 100_000_000))


@archive(16, "ungradable")
def many_entries(folder: Path) -> Path:
    """More entries than anybody needs."""
    return zipped(folder, *((f"{i}.txt", "") for i in range(3000)))


@archive(16, "ungradable")
def same_name_twice(folder: Path) -> Path:
    """Two files of one name, of which two readers take different ones."""
    return zipped(folder, ("answers.json", ANSWER), ("homework/answers.json", '{"n": 1000}'))


@archive(16, "ungradable")
def no_zip(folder: Path) -> Path:
    """A zip by its name only."""
    (folder / "eve.zip").write_bytes(b"PK\x03\x04" + b"\xff" * 200)
    return folder / "eve.zip"


@archive(16, "ungradable")
def broken_data(folder: Path) -> Path:
    """A zip whose contents are not what its table says."""
    path = zipped(folder, ("answers.json", ANSWER * 50))
    data = bytearray(path.read_bytes())
    data[50:60] = b"\x00" * 10
    path.write_bytes(data)
    return path


@archive(16, "ungradable")
def locked_zip(folder: Path) -> Path:
    """A zip that claims to be encrypted."""
    path = zipped(folder, ("answers.json", ANSWER))
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    return path


@archive(16, "no_output")
def entry_without_a_name(folder: Path) -> Path:
    """An entry that is called nothing at all."""
    path = zipped(folder, ("x", ANSWER))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[26:28] = data[at + 28 : at + 30] = b"\0\0"
    del data[at + 46], data[30]  # the name, in the directory and before the data
    end = data.index(b"PK\x05\x06")
    data[end + 12 : end + 20] = (end - at + 1).to_bytes(4, "little") + (at - 1).to_bytes(
        4, "little"
    )
    path.write_bytes(data)
    assert zipfile.ZipFile(path).namelist() == [""]
    return path


@archive(12, "ungradable")
def other_packing(folder: Path) -> Path:
    """Packed by LZMA, with a dictionary of as much memory as there may be, and then broken."""
    path = folder / "eve.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("answers.json", ANSWER)
    data = bytearray(path.read_bytes())
    at = data.index(b"answers.json") + len(b"answers.json")
    data[at + 5 : at + 9] = b"\xff" * 4
    path.write_bytes(data)
    return path


@archive(12, "ungradable")
def directory_without_end(folder: Path) -> Path:
    """A directory of a hundred thousand entries, of which its end says that there is one."""
    path = zipped(folder, ("answers.json", ANSWER))
    data = path.read_bytes()
    at, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    many = data[at:end] * 100_000
    path.write_bytes(
        data[:at] + many + data[end : end + 12] + len(many).to_bytes(4, "little") + data[end + 16 :]
    )
    return path


@archive(16, "ungradable")
def link_in_a_folder(folder: Path) -> Path:
    """A symbolic link instead of the answers."""
    home = folder / "eve"
    home.mkdir()
    (home / "answers.json").symlink_to("/etc/passwd")
    return home


@archive(16, "ungradable")
def hard_link(folder: Path) -> Path:
    """A hard link to another student's answers."""
    home = folder / "eve"
    home.mkdir()
    (folder / "adas.json").write_text('{"n": 1000}')
    os.link(folder / "adas.json", home / "answers.json")
    return home


@archive(16, "ungradable")
def link_to_a_folder(folder: Path) -> Path:
    """The submission itself is a link."""
    (folder / "eve").symlink_to("/etc")
    return folder / "eve"


@archive(13, "ungradable")
def pipe(folder: Path) -> Path:
    """A pipe: who opens it to read waits forever."""
    home = folder / "eve"
    home.mkdir()
    os.mkfifo(home / "answers.json")
    return home


@archive(16, "ungradable")
def folder_of_that_name(folder: Path) -> Path:
    """A folder where the answers should be."""
    (folder / "eve" / "answers.json").mkdir(parents=True)
    return folder / "eve"


@archive(12, "ungradable")
def huge_file(folder: Path) -> Path:
    """Ten megabytes that take no room on the disk."""
    home = folder / "eve"
    home.mkdir()
    with open(home / "answers.json", "wb") as file:
        file.truncate(10 << 20)
    return home


@archive(5, "fail")
def files_of_ours(folder: Path) -> Path:
    """A conftest, a sitecustomize and modules with our names beside an honest answer."""
    home = folder / "eve"
    home.mkdir()
    (home / "answers.json").write_text(ANSWER)
    for name in ("conftest.py", "sitecustomize.py", "numpy.py", "json.py", "locksim.py"):
        (home / name).write_text("import os; os._exit(0)")
    (home / "lab.toml").write_text("format = 2\n")
    (home / "result.json").write_text('{"points": 999}')
    return home


@archive(6, "no_output")
def verdict_for_an_answer(folder: Path) -> Path:
    """A result where answers should be."""
    (folder / "eve.json").write_text('{"number": {"verdict": "pass", "points": 10}}')
    return folder / "eve.json"


@archive(14, "ungradable")
def notebook_without_cells(folder: Path) -> Path:
    """A notebook that is none."""
    (folder / "eve.ipynb").write_text('{"cells": 7}')
    return folder / "eve.ipynb"


@archive(6, "malformed_output")
def notebook_with_outputs(folder: Path) -> Path:
    """A notebook whose saved outputs say that everything passed; outputs are not looked at."""
    return notebook(folder, "print(10)")


@archive(2, "no_output")
def notebook_that_exits(folder: Path) -> Path:
    """A notebook that ends the kernel."""
    return notebook(folder, "import os; os._exit(0)")


@archive(8, "student_error")
def notebook_that_reads_shadow(folder: Path) -> Path:
    """A notebook that reads what only root may."""
    return notebook(folder, 'answers = {"n": len(open("/etc/shadow").read())}')


def notebook(folder: Path, source: str) -> Path:
    """A notebook of one cell, with an output that says what it wants."""
    passed = {"output_type": "stream", "name": "stdout", "text": "pass, 10 of 10 points"}
    cell = {"cell_type": "code", "source": [source], "outputs": [passed]}
    (folder / "eve.ipynb").write_text(json.dumps({"cells": [cell]}))
    return folder / "eve.ipynb"
