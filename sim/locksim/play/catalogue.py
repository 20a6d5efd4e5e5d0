"""The programs of the playground's menu and the levels of the scheduler's game."""

from __future__ import annotations

import inspect
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locksim.checker.play.graph import graph
from locksim.checker.play.walk import Walk
from locksim.kinds.checking import walk_of_lock
from locksim.library.registry import entries
from locksim.play.argument import Argument, argument

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Level:
    """A game that can be won: a program that some schedule breaks.

    Arguments:
        number: from 1. name: stable, for the record of what is won. title: of the page.
        asked: the program, its threads and its memory model.
        goal: what to bring about. why: what was wrong, for those who have won.
        lesson: name of the lesson's file that explains it.
    """

    number: int
    name: str
    title: str
    asked: Argument
    goal: str
    why: str
    lesson: str

    def walk(self) -> Walk:
        """The program, to be walked through."""
        asked = self.asked
        struct = asked.entry().struct
        return walk_of_lock(
            struct, threads=asked.threads, memory=asked.memory, name=struct.__name__
        )

    def to_json(self) -> dict[str, Any]:
        """The level with its game for the page; ``steps`` is the length of a shortest win."""
        game = graph(self.walk()) | {"title": f"{self.number}. {self.title}"}
        _, steps = game["hints"][",".join(map(str, game["start"]))]
        said = {key: getattr(self, key) for key in ("number", "name", "title", "goal", "why")}
        return said | {
            "lesson": self.lesson,
            "steps": steps,
            "text": self.asked.text,
            "game": game,
        }


def levels() -> list[Level]:
    """All levels, in their order."""
    return [
        Level(
            number,
            **{key: row[key] for key in ("name", "title", "goal", "why", "lesson")},
            asked=_argument(row["file"], {"memory": row.get("memory", "sc")}),
        )
        for number, row in enumerate(_read("levels")["level"], start=1)
    ]


def examples() -> list[tuple[str, Argument]]:
    """The titles and arguments of the playground's menu."""
    found = []
    for row in _read("examples")["example"]:
        said = {key: value for key, value in row.items() if key not in ("title", "file")}
        found.append((row["title"], _argument(row["file"], said)))
    return found


def library() -> dict[str, Argument]:
    """The library's locks by name: what the playground shows for ``?lock=NAME``."""
    return {
        entry.name: argument(
            file=f"{entry.name}.py",
            text=Path(inspect.getfile(entry.struct)).read_text(encoding="utf-8"),
            lock=entry.struct.__name__,
        )
        for entry in entries()
        if entry.kind == "lock"
    }


def _argument(file: str, said: dict[str, Any]) -> Argument:
    text = (FOLDER / "programs" / file).read_text(encoding="utf-8")
    return argument(file=file, text=text, **said)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
