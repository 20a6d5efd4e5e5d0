"""Links that open the locks of a page in the playground.

A block of code shows locks of the library, which it imports, and locks of its own, which it
defines. Those of the library open by their name, the others with their text in the link. Nothing is
claimed about them, so a link gives away no answer of a lesson.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable

from locksim.lang import Workload
from locksim.play.argument import Argument
from locksim.play.catalogue import library
from locksim.play.worker import answer

_BLOCK = re.compile(
    r"^```(?:python|\{code-cell\}.*?)\n(?P<code>.*?)^```\n", re.MULTILINE | re.DOTALL
)
_LIBRARY = re.compile(r"^from locksim\.library\.locks\.(\w+) import", re.MULTILINE)


def playable(text: str, name: str) -> str:
    """Return a page with links below each block that defines locks, or is the first to import them.

    Arguments:
        text: the page. name: its place on the site.
    """
    known, seen, before = library(), set[str](), dict[str, str]()

    def linked(block: re.Match[str]) -> str:
        imported = [one for one in _LIBRARY.findall(block["code"]) if one in known]
        targets = {one: f"?lock={one}" for one in imported if one not in seen}
        seen.update(imported)
        targets |= {one.lock: f"#{one.fragment()}" for one in programs(block["code"], before)}
        return block[0] + (links(targets, name) if targets else "")

    return _BLOCK.sub(linked, text)


def links(targets: dict[str, str], name: str) -> str:
    """Return the line of a page that opens locks, where the site has a playground.

    Arguments:
        targets: what stands behind the playground's address, for each lock. name: the page's place.
    """
    address = os.path.relpath("playground/index.html", os.path.dirname(name))
    line = ", ".join(f'<a href="{address}{target}">{one}</a>' for one, target in targets.items())
    return (
        f'\n```{{only}} playground\n<p class="downloads">Open in the playground: {line}</p>\n```\n'
    )


def programs(code: str, before: dict[str, str]) -> list[Argument]:
    """Return the classes that a block defines and the checker can try, each as a whole program.

    Arguments:
        code: the block.
        before: the imports and definitions of the page's earlier blocks, by name; the block's own
            are added.
    """
    code = re.sub(r"^(?::.*\n)+", "", code)  # a cell's options
    try:
        body = ast.parse(code).body
    except SyntaxError:  # a part of a program, or a notebook's command
        return []
    defined = []
    for node in body:
        text = ast.get_source_segment(code, node) or ""
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("locksim.library."):
            for one in node.names:
                before[one.asname or one.name] = f"from {node.module} import {ast.unparse(one)}"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            before[node.targets[0].id] = text
        elif isinstance(node, ast.ClassDef):
            before.pop(node.name, None)  # of two classes with one name the later one counts
            before[node.name] = f"\n\n{text}"
            defined.append(node.name)
    found = [Argument(text=_program(name, before), lock=name) for name in defined]
    return [one for one in found if _usable(one)]


def _program(name: str, before: dict[str, str]) -> str:
    """Return the text of a class after all that it needs, in the order of the page."""
    needed, more = set[str](), {name}
    while more:
        needed |= more
        more = {one for each in more for one in _names(before[each]) if one in before} - needed
    lines = ["from locksim.lang import *", *(before[one] for one in before if one in needed)]
    return "\n".join(lines) + "\n"


def _names(text: str) -> Iterable[str]:
    tree = ast.parse(text)
    return (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _usable(program: Argument) -> bool:
    """Whether the playground's checker takes the class, and has something to find in it."""
    said = json.dumps({"file": program.file, "text": program.text})
    found = json.loads(answer("read", said, lambda text, share: None))
    if {"name": program.lock, "usable": True} not in found.get("classes", []):
        return False
    # A benchmark that neither asserts nor frees cannot go wrong.
    benchmark = issubclass(program.entry().struct, Workload)
    return not benchmark or bool(re.search(r"\b(assert|free)\b", program.text))
