"""The promises of a lab's C part: lab 05 keeps them, and each broken one is found."""

import shutil
from pathlib import Path

import pytest

from lockgrader.author import c_part as p
from lockgrader.c.interfaces import INTERFACES
from lockgrader.lab import load
from lockgrader.lab.variants import variant
from locklabs import find


def broken(folder: Path) -> dict[str, str]:
    """What is broken: name → what is said."""
    lab = load(folder)
    found = p.c_part(lab, folder, lab.checks(variant(lab, "ada", b"k" * 16)))
    return {item.name: item.says for item in found if not item.ok}


def test_kept_promises() -> None:
    """Lab 05 keeps them; a lab without a C part promises nothing."""
    assert {} == broken(find("lab05"))
    lab = load(find("lab02"))
    assert [] == [*p.c_part(lab, find("lab02"), [])]


@pytest.mark.parametrize("name", INTERFACES)
def test_each_interface_is_explained(name: str) -> None:
    """The header comments on each function, the guide names each scenario, a reference is there."""
    about = INTERFACES[name]
    assert ("", "") == (p._header(about), p._listed(about))
    assert (about.folder / "reference.c").is_file()


@pytest.mark.parametrize(
    ("file", "old", "new", "where", "says"),
    [
        ("lab.toml", '"avc"', '"lru"', "lru", "not one of avc, spinlock"),
        ("lab.toml", '"reclaim"', '"lazy"', "avc, scenarios", "no scenario lazy"),
        ("handout.md", "avc.h", "the header", "avc, handout", "does not name avc.h"),
        ("mutants.toml", "avc_rcu.c", "other.c", "avc, wrong example", "changes avc_rcu.c"),
    ],
)
def test_one_broken_promise(
    tmp_path: Path, file: str, old: str, new: str, where: str, says: str
) -> None:
    """In a lab that keeps all others."""
    folder = tmp_path / "lab"
    shutil.copytree(find("lab05"), folder)
    if new == "other.c":
        shutil.copy(folder / "solution" / "avc_rcu.c", folder / "solution" / new)
    text = (folder / file).read_text()
    (folder / file).write_text(text.replace(old, new))
    found = broken(folder)
    assert [where] == list(found)
    assert says in found[where]
