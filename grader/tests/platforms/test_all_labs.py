"""Every lab's bundle on every platform: the solution earns everything, the starter nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_lab import KEY, needs_sandbox

from lockgrader.author.bundle import public_files
from lockgrader.author.mutants import solution, starter, write
from lockgrader.lab import Lab, load
from lockgrader.lab.variants import variant
from lockgrader.platforms import actions, gradescope, here, nbgrader, prairielearn
from lockgrader.platforms.package import Config, Parts
from lockgrader.sandbox import available
from lockgrader.workspace import folder as workspaces
from locklabs import find, names

STUDENT = "ada"
Files = dict[str, str]


def unpacked(parts: Parts, root: Path, prefix: str = "") -> None:
    """A bundle's files, without our sources, which this environment stands in for."""
    for name, data in parts.items():
        ours = name.startswith(("locklab/", ".locklab/source/", "grader-image/"))
        if name.startswith(prefix) and (not ours or name.startswith("locklab/lab")):
            path = root / name.removeprefix(prefix)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def on_gradescope(lab: Lab, files: Files, root: Path) -> here.Graded:
    """In ``/autograder``."""
    unpacked(gradescope.parts(lab, Config(), KEY), root / "source")
    write(files, root / "submission")
    about = {"users": [{"email": STUDENT}]}
    (root / "submission_metadata.json").write_text(json.dumps(about))
    graded = gradescope.run(root)
    told = json.loads((root / "results/results.json").read_text())
    assert graded.result.points == sum(t["score"] for t in told["tests"])
    return graded


def on_prairielearn(lab: Lab, files: Files, root: Path) -> here.Graded:
    """In ``/grade``."""
    unpacked(prairielearn.parts(lab, Config(), KEY), root, f"questions/{lab.name}/")
    write(files, root / "student")
    (root / "data").mkdir()
    data = {"variant_seed": 5, "params": {"values": variant(lab, STUDENT, KEY)}}
    (root / "data/data.json").write_text(json.dumps(data))
    graded = prairielearn.run(root)
    told = json.loads((root / "results/results.json").read_text())
    assert round(graded.result.points / graded.result.graded_points, 6) == told["score"]
    return graded


def on_actions(lab: Lab, files: Files, root: Path) -> here.Graded:
    """In a private repository of the course."""
    unpacked(actions.parts(lab, Config(), KEY), root)
    write(files, root / "submission")
    return actions.run(root)


def in_a_repository(lab: Lab, files: Files, root: Path) -> here.Graded:
    """In a student's repository on GitHub: the public checks."""
    unpacked(actions.parts(lab, Config(public=True), KEY), root)
    workspaces.start(
        public_files(Path(lab.folder)),
        root / lab.name,
        student=STUDENT,
        draw=lambda _: variant(lab, STUDENT, KEY),
    )
    for name, text in files.items():
        (root / lab.name / name).write_text(text)
    return actions.run(root)


def on_nbgrader(lab: Lab, files: Files, root: Path) -> here.Graded:
    """In the folder that the preprocessor makes."""
    write(files, root / "submission")
    (root / "course.key").write_bytes(KEY)
    unpacked(nbgrader.parts(lab, Config(), KEY), root / "course", "locklab/")
    lab_folder = root / "course" / lab.name
    about = {"lab": str(lab_folder), "student": STUDENT, "key": str(root / "course.key")}
    (root / "about.json").write_text(json.dumps(about))
    graded = nbgrader.run(root)
    told = json.loads((root / "cells.json").read_text())["cells"]
    cells = [c["metadata"].get("nbgrader") for c in nbgrader.notebook(lab)["cells"]]
    names = {cell["grade_id"] for cell in cells if cell}
    assert names <= set(told)
    assert round(graded.result.points, 4) == round(sum(told[n]["points"] for n in names), 4)
    return graded


PLATFORMS: dict[str, Callable[[Lab, Files, Path], here.Graded]] = {
    "gradescope": on_gradescope,
    "prairielearn": on_prairielearn,
    "actions": on_actions,
    "repository": in_a_repository,
    "nbgrader": on_nbgrader,
}


@pytest.fixture(autouse=True)
def _of_the_course(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the workflow of a course sets."""
    monkeypatch.setenv("LOCKLAB_STUDENT", STUDENT)
    monkeypatch.setenv("LOCKLAB_COURSE_KEY", KEY.decode())


def possible(lab: Lab, *, public: bool = False, c: bool = True) -> float:
    """The points of a lab's checks."""
    checks = lab.checks(variant(lab, STUDENT, KEY))
    return sum(k.points for k in checks if (k.public or not public) and (c or k.part != "c"))


@needs_sandbox
@pytest.mark.slow
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", names())
def test_the_solution_earns_everything(tmp_path: Path, name: str, platform: str) -> None:
    """With every part, in C too."""
    lab = load(find(name))
    graded = PLATFORMS[platform](lab, solution(lab, STUDENT, KEY), tmp_path)
    most = possible(lab, public=platform == "repository")
    assert (0, most, most) == (graded.code, graded.result.points, graded.result.graded_points)


@needs_sandbox
@pytest.mark.slow
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", names())
def test_the_starter_earns_nothing(tmp_path: Path, name: str, platform: str) -> None:
    """Nothing is left over on the platform's side."""
    lab = load(find(name))
    graded = PLATFORMS[platform](lab, starter(lab), tmp_path)
    assert (int(platform == "repository"), 0.0) == (graded.code, graded.result.points)


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["gradescope", "prairielearn"])
@pytest.mark.parametrize("name", [n for n in names() if load(find(n)).c])
def test_without_namespaces_the_c_part_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, platform: str
) -> None:
    """The language parts are whole; the points in C count neither as earned nor as possible."""
    if os.geteuid() != 0 or available("platform"):
        pytest.skip(f"platform as root: {available('platform') or 'not root'}")
    monkeypatch.setattr(here, "profile", lambda: "platform")
    lab = load(find(name))
    graded = PLATFORMS[platform](lab, solution(lab, STUDENT, KEY), tmp_path)
    most = possible(lab, c=False)
    assert 0 < most < possible(lab)
    assert (0, most, most) == (graded.code, graded.result.points, graded.result.graded_points)
    told: dict[str, Any] = json.loads((tmp_path / "results/results.json").read_text())
    assert "Not graded here" in json.dumps(told)


def test_what_cannot_be_graded_here() -> None:
    """The checks of a C part under ``platform``, none with namespaces; the lab keeps the rest."""
    for name in names():
        lab = load(find(name))
        checks = lab.checks(variant(lab, STUDENT, KEY))
        everything = tuple(check.name for check in checks)
        assert (everything, ()) == here.graded_here(checks, "namespaces")
        kept, left_out = here.graded_here(checks, "platform")
        assert {c.name for c in checks if c.part == "c"} == {one.name for one in left_out}
        assert [n for n in everything if n not in {one.name for one in left_out}] == list(kept)


def test_every_lab_has_every_bundle() -> None:
    """With what the run there reads; none holds a starter's solution but the file of own tests."""
    for name in names():
        lab = load(find(name))
        own = {f"solution/{lab.locks}"} if lab.sources else set()
        for module, folder in (
            (gradescope, "lab/"),
            (actions, ".locklab/lab/"),
            (prairielearn, f"questions/{lab.name}/tests/lab/"),
            (nbgrader, f"locklab/{lab.name}/"),
        ):
            parts = module.parts(lab, Config(), KEY)
            inside = {n.removeprefix(folder) for n in parts if n.startswith(folder)}
            assert {"lab.toml", "hidden/checks.toml"} <= inside
            assert own == {n for n in inside if n.startswith(("solution", "mutants"))}
