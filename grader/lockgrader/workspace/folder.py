"""A student's folder for one lab, and its state."""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lockgrader.files import write
from lockgrader.lab import Lab, load
from lockgrader.read.record import Locked
from lockgrader.result import Verdict
from lockui.formats import other_format
from lockui.portable import exclusive

__all__ = [
    "Earned",
    "Hints",
    "State",
    "Workspace",
    "WorkspaceError",
    "find",
    "start",
    "student_name",
    "workspaces",
]

LAB, STATE, VARIANT = ".lab", "state.json", "variant.toml"
STARTER = "starter/"
_ANEW = (
    "help: your own files are untouched; start the lab again in another folder (locklab lab start "
    "LAB --dir NEW) and copy them there"
)
Points = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class WorkspaceError(Exception):
    """A folder is not a workspace or cannot become one; the message says what to do."""

    exit_code = 2


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Hints(_Closed):
    """The hints of one check that were seen: number, time and attempt of the last."""

    seen: Annotated[int, Field(ge=1, le=100)]
    at: datetime
    attempt: Annotated[int, Field(ge=0)]


class Earned(_Closed):
    """The points of one check, and the digest of what it depends on in the files."""

    points: Points
    of: str


class State(_Closed):
    """The state of a workspace.

    Arguments:
        lab, title, student: names. variant: the student's own values.
        started: time. attempts: number of different submissions that were checked.
        submission_sha256: of the last submission.
        verdicts: check → its last verdict. earned: check → its points, whether it ran with the
            others or by its name, until what it depends on changes. points, best, max_points: of
            the public checks, with these files and with the best ones.
        solved: whether all public checks have passed with the same files.
        hints, predictions: by check, and by answer.
    """

    format: Literal[1] = 1
    lab: str
    title: str
    student: str
    variant: dict[str, str | int] = Field(default_factory=dict)
    started: datetime
    attempts: Annotated[int, Field(ge=0)] = 0
    submission_sha256: str = ""
    verdicts: dict[str, Verdict] = Field(default_factory=dict)
    earned: dict[str, Earned] = Field(default_factory=dict)
    points: Points = 0.0
    best: Points = 0.0
    max_points: Points = 0.0
    solved: bool = False
    hints: dict[str, Hints] = Field(default_factory=dict)
    predictions: dict[str, Locked] = Field(default_factory=dict)


@dataclass(frozen=True)
class Workspace:
    """A student's folder for one lab."""

    folder: Path

    @property
    def state(self) -> State:
        """The state, as it is on disk now.

        Raises:
            WorkspaceError: it cannot be read.
        """
        path = self.folder / LAB / STATE
        try:
            text = path.read_bytes()
            if other := other_format(text, State.model_fields["format"].default):
                raise WorkspaceError(f"{path}: {other}\n{_ANEW}")
            return State.model_validate_json(text)
        except OSError as error:
            raise WorkspaceError(f"{path} cannot be read: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise WorkspaceError(
                f"{path} is damaged: {f'{place}: ' * bool(place)}{first['msg']}\n{_ANEW}"
            ) from error

    @cached_property
    def lab(self) -> Lab:
        """The lab's public checks, read once: they do not change while a student works.

        Raises:
            LabError: they cannot be read.
        """
        return load(self.folder / LAB)

    def update(self, change: Callable[[State], Mapping[str, object]]) -> State:
        """Change the state, atomically and by one process at a time.

        Arguments:
            change: maps the state to the fields to replace.
        """
        with self._alone():
            before = self.state
            after = State.model_validate(before.model_dump() | dict(change(before)))
            if after != before:
                write(self.folder / LAB / STATE, after.model_dump_json(indent=2) + "\n")
            return after

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        path = self.folder / LAB / ".lock"
        try:
            file = path.open("w")
        except OSError as error:
            raise WorkspaceError(
                f"{path.parent} cannot be written: {error.strerror}; "
                "copy the folder to a place where you may write"
            ) from error
        with file:
            exclusive(file)
            yield


def find(folder: Path) -> Workspace:
    """The workspace of a folder, or of a folder above it.

    Raises:
        WorkspaceError: there is none; the message names workspaces nearby.
    """
    here = folder.resolve()
    for one in (here, *here.parents):
        if (one / LAB / STATE).is_file():
            return Workspace(one)
    if not here.is_dir():
        raise WorkspaceError(f"{folder} is not a folder")
    near = [w.folder.relative_to(here) for w in workspaces(here)]
    if near:
        raise WorkspaceError(f"no lab was started in {folder}; go to {' or '.join(map(str, near))}")
    raise WorkspaceError(f"no lab was started in {folder}; 'locklab lab start LAB' starts one")


def workspaces(folder: Path) -> list[Workspace]:
    """The workspaces near a folder: itself, above it, beside that one, and inside the folder."""
    here = folder.resolve()
    found = {one for one in (here, *here.parents) if (one / LAB / STATE).is_file()}
    for parent in {here, *(one.parent for one in found)}:
        with contextlib.suppress(OSError):
            found |= {p.parents[1] for p in parent.glob(f"*/{LAB}/{STATE}")}
    return [Workspace(one) for one in sorted(found)]


def student_name(name: str) -> str:
    """A student's name, by default the login's.

    Raises:
        WorkspaceError: it cannot be a file's name.
    """
    name = name or getpass.getuser()
    if not re.fullmatch(r"[\w.@+-][\w.@+ -]{0,99}", name) or name.startswith("."):
        raise WorkspaceError(
            f"--student {name!r}: use letters, digits and . @ + - _ only; give the name by which "
            "the course knows you"
        )
    return name


def start(
    files: Mapping[str, bytes],
    folder: Path,
    *,
    student: str,
    draw: Callable[[Lab], Mapping[str, str | int]],
    now: datetime | None = None,
) -> Workspace:
    """Make a workspace from a lab's public files, completely or not at all.

    Arguments:
        files: path → content, as :func:`lockgrader.author.bundle.public_files` gives them.
        folder: of the workspace. student: a name. draw: gives the student's own values.
        now: the time, by default the clock's.

    Raises:
        WorkspaceError: the folder is not empty, lies in another workspace, or cannot be written.
        LabError: these files are no lab.
    """
    if folder.is_dir() and (folder / LAB / STATE).exists():
        raise WorkspaceError(
            f"you have already started a lab in {folder}: go on there, or start in another folder "
            "with --dir"
        )
    for above in folder.resolve().parents:
        if (above / LAB / STATE).is_file():
            raise WorkspaceError(
                f"{folder} would lie inside the lab that you have started in {above}; go to "
                f"{above.parent} first"
            )
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise WorkspaceError(
            f"{folder} exists and is not empty, and nothing is overwritten; "
            "name another folder with --dir"
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".locklab-", dir=folder.parent))
    except OSError as error:
        raise WorkspaceError(
            f"{folder} cannot be made: {error.strerror}; name another folder with --dir"
        ) from error
    try:
        made.chmod(0o755)
        for name, data in files.items():
            path = made / _place(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if name.startswith(STARTER):  # to see later what a student has begun
                path = made / LAB / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        lab = load(made / LAB)
        variant = dict(draw(lab))
        lab.checks(variant)
        (made / VARIANT).write_text(_shown(student, variant), encoding="utf-8")
        state = State(
            lab=lab.name,
            title=lab.title,
            student=student,
            variant=variant,
            started=now or datetime.now(UTC),
        )
        write(made / LAB / STATE, state.model_dump_json(indent=2) + "\n")
        os.rename(made, folder)  # onto an empty folder, or where there is none
    except OSError as error:
        raise WorkspaceError(f"{folder} cannot be made: {error.strerror}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return Workspace(folder.resolve())


def _place(name: str) -> PurePosixPath:
    """The place of a lab's file: starter and handout at the top, the rest in ``.lab``."""
    if name.startswith(STARTER):
        return PurePosixPath(name.removeprefix(STARTER))
    return PurePosixPath(name) if name.endswith(".md") else PurePosixPath(LAB, name)


def _shown(student: str, variant: Mapping[str, str | int]) -> str:
    lines = [f"# {student}'s own values. For information: changing them here changes no check."]
    return "\n".join([*lines, *(f"{k} = {_toml(v)}" for k, v in variant.items())]) + "\n"


def _toml(value: str | int) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
