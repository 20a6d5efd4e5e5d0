"""What a fresh clone relies on: requirements that agree, locks that give nothing away."""

import re
import tomllib
from pathlib import Path

import pytest

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


def project() -> dict[str, object]:
    """Return the project table of pyproject.toml."""
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def test_dependencies_are_those_that_were_locked() -> None:
    """pyproject.toml and requirements/base.in name the same ranges."""
    assert wanted("base") == set(project()["dependencies"])  # type: ignore[call-overload]


@pytest.mark.parametrize("extra", ["cluster", "course", "dev", "docs", "notebook"])
def test_extras_are_those_that_were_locked(extra: str) -> None:
    """Each extra and its ``.in`` file name the same ranges."""
    assert wanted(extra) == set(project()["optional-dependencies"][extra])  # type: ignore[index]


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
