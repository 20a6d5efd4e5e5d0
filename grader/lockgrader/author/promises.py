"""What a lab's files promise, before anything is graded.

- Wrong submissions: at least ten, and one for each check that gives points.
- Variants: at least a thousand, each used by a check.
- Proofs: each begins from used memory, too, or has a reason (``fresh``).
- Goals, where the lab has goals.toml: each has a check, and each check with points a goal.
- Texts: a rubric for each answer in words with the points of the lab, a design, times, links to the
  glossary that lead there.
- The handout's commands run in a student's folder.
- A C part's interface is there, explained, and has examples (:mod:`lockgrader.author.c_part`).
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from lockgrader.author import goals
from lockgrader.author.bundle import GLOSSARY, GLOSSARY_LINK, HANDOUT, dataset_files
from lockgrader.author.c_part import c_part
from lockgrader.author.item import Item
from lockgrader.author.mutants import mutants, solution, starter, write
from lockgrader.check import Check
from lockgrader.lab import Lab
from lockgrader.lab.variants import values_of, variant
from lockgrader.review.rubric import rubric
from lockui.files import home

__all__ = ["FEWEST_VARIANTS", "FEWEST_WRONG", "commands", "promises", "run_commands"]

FEWEST_WRONG = 10
FEWEST_VARIANTS = 1000
"""So that 300 students rarely share one."""
FEWEST_LINKS = 3
SHORTEST_TEXT = 200
LONGEST_COMMAND_S = 200
"""Processor time of a command; the guard of wall time is so many times as long."""
GUARD = 20
PARTS_OF_A_DESIGN = ("Goals", "Prerequisites", "wrong")
_TIME = re.compile(r"\b(minutes?|hours?|min|h)\b")


def promises(lab: Lab, folder: Path, checks: list[Check]) -> Iterable[Item]:
    """Each promise of the files, kept or broken.

    Arguments:
        lab: the lab. folder: its. checks: of some student.
    """
    yield from _wrong(lab, checks)
    yield from _variants(lab)
    yield from _memory(checks)
    yield from goals.kept(folder, checks)
    yield from _texts(folder, checks)
    yield from _levels(folder, checks)
    yield from _glossary(folder)
    yield from c_part(lab, folder, checks)


def commands(text: str) -> list[str]:
    """The commands of a handout, each once: in a block of code, or between backticks."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines += re.findall(r"`(locklab [^`]+)`", outside)
    return list(dict.fromkeys(line for line in lines if line.startswith("locklab ")))


def run_commands(lab: Lab, folder: Path, student: str, key: bytes) -> Iterable[Item]:
    """Run the handout's commands in a student's folder: the starter, and over it the solution.

    Of ``locklab lab`` only the options are looked at: these commands wait for people, or grade what
    the rest of the lint grades. The student's values stand for their names in capitals.

    Arguments:
        lab: the lab. folder: its. student, key: for the values.
    """
    path = folder / HANDOUT
    asked = commands(path.read_text(encoding="utf-8")) if path.is_file() else []
    values = variant(lab, student, key)
    with tempfile.TemporaryDirectory(prefix="locklab-") as made:
        mine = write(starter(lab) | solution(lab, student, key), Path(made) / "lab")
        for name, data in dataset_files(lab).items():
            (mine / name).parent.mkdir(exist_ok=True)
            (mine / name).write_bytes(data)
        for command in asked:
            says = _says(_filled(command, values).split()[1:], mine)
            yield Item("command", command, not says, says or "runs")


def _says(words: list[str], folder: Path) -> str:
    """What is wrong with a command; "" if nothing is."""
    of_lab = words[0] == "lab"
    called = [*words[:2], "--help"] if of_lab else words
    before_s = os.times().children_user
    try:
        done = subprocess.run(
            [sys.executable, "-m", "locklab", *called],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=GUARD * LONGEST_COMMAND_S,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"not finished after {GUARD * LONGEST_COMMAND_S} s"
    used_s = os.times().children_user - before_s
    if used_s > LONGEST_COMMAND_S:
        return f"takes {used_s:.0f} s of processor time"
    if done.returncode:
        return f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[:200]}"
    unknown = [w for w in words if of_lab and w.startswith("--") and not _offers(done.stdout, w)]
    return f"it has no option {unknown[0]}" if unknown else ""


def _offers(text: str, option: str) -> bool:
    return re.search(rf"{option.partition('=')[0]}(?![\w-])", text) is not None


def _filled(command: str, values: dict[str, str | int]) -> str:
    for name, value in values.items():
        # A unit may follow: HOLDns.
        command = re.sub(rf"\b{name.upper()}(?![A-Z0-9_])", str(value), command)
    return command


def _wrong(lab: Lab, checks: list[Check]) -> Iterable[Item]:
    known = mutants(lab)
    says = f"{len(known)} wrong submissions; at least {FEWEST_WRONG} are needed"
    yield Item("covered", "", len(known) >= FEWEST_WRONG, says)
    found = {one.check for one in known if one.verdict != "pass"}
    for check in checks:
        if check.points and not check.no_mutant:
            ok = check.name in found
            says = "has one" if ok else 'no wrong submission fails it; add one, or no_mutant = "…"'
            yield Item("covered", check.name, ok, says)


def _variants(lab: Lab) -> Iterable[Item]:
    number = math.prod(len(values_of(choice)) for choice in lab.variant.values())
    says = f"{number:,} variants; at least {FEWEST_VARIANTS:,} are needed"
    yield Item("variant", "", number >= FEWEST_VARIANTS, says)
    for name in (*lab.variant, *lab.secret):
        used = f"'${name}'" in str(lab.check)
        yield Item("variant", name, used, "used" if used else f"no check uses ${name}")


def _memory(checks: list[Check]) -> Iterable[Item]:
    """Each proof begins from used memory, too, or the lab says why not."""
    for check in checks:
        gap = check.memory_gap
        if gap is not None:
            yield Item("memory", check.name, not gap, gap or "used memory, or a reason")


def _texts(folder: Path, checks: list[Check]) -> Iterable[Item]:
    """The instructor's texts, and the time that students need."""
    parts = {
        "rubric.md": [],
        "design.md": [*PARTS_OF_A_DESIGN],
        HANDOUT: [],
    }
    for name, wanted in parts.items():
        path = folder / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        missing = [part for part in wanted if part not in text]
        says = f"{len(text)} characters; at least {SHORTEST_TEXT} are needed"
        if missing:
            says = f"it says nothing about {', '.join(missing)}"
        elif name == HANDOUT and not _TIME.search(text):
            missing, says = ["time"], "it does not say how many minutes or hours students need"
        yield Item("text", name, not missing and len(text) >= SHORTEST_TEXT, says)


def _levels(folder: Path, checks: list[Check]) -> Iterable[Item]:
    """The best level of the rubric is what the lab promises for an answer in words."""
    known = rubric(folder)
    for check in checks:
        best = known[check.name][0].points if check.name in known else 0.0
        if check.asks_words or best:
            says = f"{best:g} points in rubric.md, by_hand = {check.most_by_hand:g} in lab.toml"
            yield Item("text", check.name, best == check.most_by_hand, says)


def _glossary(folder: Path) -> Iterable[Item]:
    """The handout explains its terms by links to the glossary, and all of them lead somewhere."""
    path, glossary = folder / HANDOUT, home() / "docs" / "start" / GLOSSARY
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    link = re.escape(GLOSSARY_LINK.decode()) + r"#([\w-]+)\)"
    terms = list(dict.fromkeys(re.findall(link, text)))
    enough = f"{len(terms)} terms are linked; at least {FEWEST_LINKS} are needed"
    yield Item("glossary", "", len(terms) >= FEWEST_LINKS, enough)
    headings = glossary.read_text(encoding="utf-8") if glossary.is_file() else ""
    known = {_anchor(h) for h in re.findall(r"^#+ (.+)$", headings, re.M)}
    for term in terms:
        ok = term in known
        yield Item("glossary", term, ok, "explained" if ok else f"{glossary.name} has no #{term}")


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
