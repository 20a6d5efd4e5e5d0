"""``course.lock``: the labs, sources and machines with which a course grades, as digests.

``locklab course pin`` writes it beside ``course.toml``, and ``locklab grade --course`` refuses a
lab whose digests are others now. So an upgrade in the middle of a term changes no mark unseen.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal

from lockgrader.course.roster import CourseError
from lockgrader.digests import profiles, versions
from lockgrader.files import write
from lockgrader.lab import Lab
from lockgrader.lab.closed import Closed
from lockui.formats import other_format

LOCK = "course.lock"


class Pin(Closed):
    """What decides the verdicts of a lab.

    Arguments:
        parts: of the lab → digest (:meth:`lockgrader.lab.Lab.parts`). engine: of the sources.
        profiles: machine → digest. locklab: the version, for people.
    """

    parts: dict[str, str]
    engine: str
    profiles: dict[str, str]
    locklab: str


class _Lock(Closed):
    format: Literal[2] = 2
    labs: dict[str, Pin]


def pinned(course: Path) -> dict[str, Pin]:
    """Lab → pin, of a course's file; empty without a ``course.lock`` beside it.

    Raises:
        CourseError: it is not one.
    """
    path = course.resolve().parent / LOCK
    try:
        text = path.read_text(encoding="utf-8")
        if other := other_format(text, _Lock.model_fields["format"].default):
            raise CourseError(
                f"{path}: {other}\n"
                "help: grade with the version that wrote it; or remove it and pin anew: "
                f"locklab course pin {course}"
            )
        return _Lock.model_validate_json(text).labs
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CourseError(
            f"{path} cannot be read: {error}\nhelp: take it from your backup, or pin anew: "
            "locklab course pin"
        ) from error


def pin(course: Path, labs: Iterable[Lab]) -> Path:
    """Pin labs as they are now, beside those that are pinned; the file that holds them.

    Raises:
        CourseError: it cannot be read or written.
    """
    held = pinned(course) | {lab.name: _pin(lab) for lab in labs}
    path = course.resolve().parent / LOCK
    text = json.dumps(_Lock(labs=held).model_dump(), indent=2, sort_keys=True) + "\n"
    try:
        write(path, text)
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}") from error
    return path


def changes(held: Pin, lab: Lab, aside: Collection[str] = ()) -> list[str]:
    """What differs from a pin now, in words.

    Arguments:
        held: the pin. lab: as it is now. aside: names of checks that may differ.
    """
    now = _pin(lab)
    names = dict.fromkeys([*held.parts, *now.parts])
    differ = [n for n in names if n not in aside and held.parts.get(n) != now.parts.get(n)]
    found = [f"the check '{name}'" if name else "what all checks share" for name in differ]
    if held.engine != now.engine:
        of = f"{held.locklab}: {held.engine}, now {now.locklab}: {now.engine}"
        found.append(f"LockLab's sources ({of})")
    for name in sorted({*held.profiles, *now.profiles}):
        if held.profiles.get(name) != now.profiles.get(name):
            found.append(f"the machine {name}")
    return found


def _pin(lab: Lab) -> Pin:
    known = versions(lab)
    return Pin(
        parts=lab.parts(), engine=known["engine"], profiles=profiles(lab), locklab=known["locklab"]
    )
