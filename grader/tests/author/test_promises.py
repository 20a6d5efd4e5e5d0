"""The promises of a lab's files: each one that is broken is found, and a kept one is not."""

import shutil
from pathlib import Path

import pytest
from tiny_lab import make_whole

from lockgrader.author import promises as p
from lockgrader.author.item import Item
from lockgrader.lab import load
from lockgrader.lab.variants import variant
from locklabs import find

KEY = b"k" * 16


def broken(folder: Path) -> dict[tuple[str, str], str]:
    """What is broken: (kind, name) → what is said."""
    lab = load(folder)
    found = p.promises(lab, folder, lab.checks(variant(lab, "ada", KEY)))
    return {(item.what, item.name): item.says for item in found if not item.ok}


def test_kept_promises() -> None:
    """The labs of this project keep all of them."""
    assert {} == broken(find("lab02"))


def test_broken_promises_of_files(tmp_path: Path) -> None:
    """One mutant for four checks, two variants, no times, no design, no links."""
    found = broken(make_whole(tmp_path / "lab99-tiny"))
    assert {
        ("covered", ""),
        ("covered", "cheap"),
        ("covered", "guessed"),
        ("covered", "number"),
        ("covered", "again-and-again"),
        ("variant", ""),
        ("text", "rubric.md"),
        ("text", "design.md"),
        ("text", "handout.md"),
        ("glossary", ""),
    } == set(found)
    assert "2 variants; at least 1,000 are needed" == found["variant", ""]


FRESH = 'fresh = "a proof of infinite runs begins with fresh memory"\n'


@pytest.mark.parametrize(
    ("file", "old", "new", "where", "says"),
    [
        ("handout.md", "#mcs-lock)", "#mcs-locks)", ("glossary", "mcs-locks"), "has no #mcs-locks"),
        ("rubric.md", "`why`", "it", ("text", "why"), "0 points in rubric.md, by_hand = 5 in"),
        ("rubric.md", "- 5: a", "- 6: a", ("text", "why"), "6 points in rubric.md, by_hand = 5 in"),
        ("design.md", "Goals", "Gaols", ("text", "design.md"), "says nothing about Goals"),
        ("lab.toml", FRESH, "", ("memory", "ticket-fair"), "begins with fresh memory only"),
        ("lab.toml", 'think_ns = "$think"', "think_ns = 9", ("variant", "think"), "no check uses"),
    ],
)
def test_one_broken_promise(
    tmp_path: Path, file: str, old: str, new: str, where: tuple[str, str], says: str
) -> None:
    """In a lab that keeps all others."""
    folder = tmp_path / "labs" / "lab"
    shutil.copytree(find("lab02"), folder)
    (tmp_path / "docs/start").mkdir(parents=True)
    shutil.copy(find("lab02") / "../../docs/start/glossary.md", tmp_path / "docs/start")
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    found = broken(folder)
    assert [where] == list(found)
    assert says in found[where]


def test_commands_of_a_handout() -> None:
    """In blocks and between backticks, each once; other code is left out."""
    text = "Run `locklab a --b`.\n```\nlocklab c\nls\n```\n`locklab a --b` `x`\n"
    assert ["locklab c", "locklab a --b"] == sorted(p.commands(text), reverse=True)


@pytest.mark.slow
def test_commands_run(tmp_path: Path) -> None:
    """With a student's values; a command or an option that does not exist is found."""
    folder = make_whole(tmp_path / "lab99-tiny")
    (folder / "handout.md").write_text(
        "`locklab show machine MACHINE`, `locklab lab check --watch`, `locklab lab check --no`\n"
    )
    found = [*p.run_commands(load(folder), folder, "ada", KEY)]
    assert [True, True, False] == [item.ok for item in found]
    assert Item("command", "locklab lab check --no", False, "it has no option --no") == found[2]


def test_a_unit_may_follow_a_value() -> None:
    """HOLDns of a student whose hold is 100 is 100ns; a longer name is another one."""
    said = p._filled("run HOLD --hold HOLDns --cpus CPUS --set HOLDS", {"hold": 100, "cpus": 4})
    assert "run 100 --hold 100ns --cpus 4 --set HOLDS" == said
