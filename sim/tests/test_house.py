"""What a fresh clone relies on: requirements that agree, locks that give nothing away."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
ALL_LOCKS = sorted((ROOT / "requirements").rglob("*.txt"))
"""Those of environments of their own too, which need not agree with ours."""


def wanted(name: str) -> set[str]:
    """Return the requirements that an ``.in`` file asks for."""
    lines = (ROOT / "requirements" / f"{name}.in").read_text().splitlines()
    return {line for line in lines if line and not line.startswith(("#", "-c"))}


def pins(path: Path) -> dict[str, str]:
    """Return the versions that a lock file pins, by package name."""
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", path.read_text(), flags=re.MULTILINE))


def project(folder: Path = ROOT) -> dict[str, Any]:
    """Return the project table of a pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return table


def ranges(*extras: str) -> list[Requirement]:
    """Return what LockLab itself and some of its extras require, without other extras."""
    every = {"": project()["dependencies"], **project()["optional-dependencies"]}
    found = [Requirement(line) for extra in extras for line in every[extra]]
    return [one for one in found if one.name != "locklab"]


@pytest.mark.parametrize(
    ("lock", "extras"),
    [
        ("base", ["", "plot", "grade", "native"]),
        ("cluster", ["cluster"]),
        ("course", ["course"]),
        ("notebook", ["notebook"]),
    ],
)
def test_locked_versions_are_in_the_ranges(lock: str, extras: list[str]) -> None:
    """What users may install includes the exact versions of development, package by package."""
    locked = pins(ROOT / "requirements" / f"{lock}.txt")
    required = ranges(*extras)
    assert {Requirement(line).name for line in wanted(lock)} == {one.name for one in required}
    assert [] == [str(one) for one in required if locked[one.name] not in one.specifier]


@pytest.mark.parametrize("extra", ["dev", "docs"])
def test_tools_are_those_that_were_locked(extra: str) -> None:
    """The extras for developers and their ``.in`` files name the same ranges."""
    assert wanted(extra) == set(project()["optional-dependencies"][extra])


def test_instructors_get_labs_of_their_own_version() -> None:
    """locklab-instructor has the version of LockLab and requires exactly that."""
    version, other = project()["version"], project(ROOT / "labs")
    assert (version, [f"locklab[grade]=={version}"]) == (other["version"], other["dependencies"])


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_lock_holds_every_wanted_package(lock: Path) -> None:
    """A lock file was renewed after its ``.in`` file changed."""
    names = {re.split(r"[\[~<>=]", line, maxsplit=1)[0] for line in wanted(lock.stem)}
    assert set() == names - set(pins(lock))


@pytest.mark.parametrize("lock", ALL_LOCKS, ids=lambda path: path.stem)
def test_every_pin_is_hashed(lock: Path) -> None:
    """No pin lacks a hash, which pip would refuse during the set-up of a fresh machine."""
    entries = re.split(r"^(?=[a-z0-9.-]+==)", lock.read_text(), flags=re.MULTILINE)[1:]
    assert [] == [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry]
    assert len(pins(lock)) == len(entries)


@pytest.mark.parametrize("lock", ALL_LOCKS, ids=lambda path: path.stem)
def test_lock_names_no_place(lock: Path) -> None:
    """No URL, no option and no path of the machine that made it."""
    lines = lock.read_text().splitlines()
    assert [] == [line for line in lines if "://" in line or line.startswith(("-", "/"))]


def test_locks_agree_with_each_other() -> None:
    """A package has the same version in every lock file, so that all extras fit together."""
    versions: dict[str, set[str]] = {}
    for lock in LOCKS:
        for name, version in pins(lock).items():
            versions.setdefault(name, set()).add(version)
    assert {} == {name: found for name, found in versions.items() if len(found) > 1}
