"""What a lab's C part promises: its interface exists, is explained, and has examples.

- The interface is one of ours, and each check names a scenario that it has.
- Its header says in a comment what each function does, and ``docs/teach/labs.md`` lists it.
- The handout names the file that students write and the header that they include.
- There is a right example (the solution) and a wrong one (a mutant that changes the C file).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from lockgrader.author.bundle import HANDOUT
from lockgrader.author.item import Item
from lockgrader.author.mutants import mutants
from lockgrader.c.interfaces import INTERFACES, Interface
from lockgrader.check import Check
from lockgrader.lab import Lab
from lockui.files import home


def c_part(lab: Lab, folder: Path, checks: list[Check]) -> Iterable[Item]:
    """Each promise of the C part, kept or broken; nothing for a lab without one.

    Arguments:
        lab: the lab. folder: its. checks: of some student.
    """
    if not lab.c:
        return
    about = INTERFACES.get(lab.interface)
    if about is None:
        says = f"'{lab.interface}' is not one of {', '.join(INTERFACES)}"
        yield Item("interface", lab.interface, False, says)
        return
    handout = folder / HANDOUT
    text = handout.read_text(encoding="utf-8") if handout.is_file() else ""
    wrong = [one.name for one in mutants(lab) if lab.c in one.files]
    unknown = sorted({s for c in checks for s in c.scenarios} - about.scenarios.keys())
    unnamed = sorted({lab.c, about.header} - _words(text))
    has_right = (folder / "solution" / lab.c).is_file()
    broken = {
        "scenarios": f"it has no scenario {', '.join(unknown)}" if unknown else "",
        "header": _header(about),
        "docs": _listed(about),
        "handout": f"the handout does not name {' and '.join(unnamed)}" if unnamed else "",
        "right example": "" if has_right else f"the solution has no {lab.c}",
        "wrong example": "" if wrong else f"no wrong submission changes {lab.c}",
    }
    for what, says in broken.items():
        yield Item("interface", f"{about.name}, {what}", not says, says or "there")


def _header(about: Interface) -> str:
    """Which functions have no comment right before them, alone or together with others."""
    text = about.source(about.header).read_text(encoding="utf-8")
    without = []
    for name in sorted(about.exports):
        found = re.search(rf"^\w[\w *]*\b{name}\(", text, re.M)
        if found is None or not text[: found.start()].endswith(("*/\n", ";\n")):
            without.append(name)
    return f"{about.header} does not explain {', '.join(without)}" if without else ""


def _listed(about: Interface) -> str:
    """What the instructor's guide to labs does not say; "" where there is no guide."""
    guide = home() / "docs/teach/labs.md"
    if not guide.is_file():
        return ""
    row = re.search(rf"^\| `{about.name}` \|.*$", guide.read_text(encoding="utf-8"), re.M)
    if row is None:
        return f"{guide.name} has no row for {about.name}"
    left = [name for name in about.scenarios if f"`{name}`" not in row[0]]
    return f"{guide.name} does not name {', '.join(left)}" if left else ""


def _words(text: str) -> set[str]:
    return set(re.findall(r"[\w.-]+\.[ch]\b", text))
