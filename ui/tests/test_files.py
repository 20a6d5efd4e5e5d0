"""LockLab's own files: in a checkout, and installed."""

from pathlib import Path

import pytest

import lockui
from lockui import files

ROOT = Path(__file__).resolve().parents[2]


def test_checkout_has_them_in_its_folders() -> None:
    """Without an installed copy, the root of the checkout is their home."""
    assert not files.installed()
    assert ROOT == files.home()
    assert ROOT / "sim" / "locksim" == files.source("sim/locksim")


def test_installed_package_has_them_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy in the package comes first; packages stand where they can be imported from."""
    (tmp_path / "share" / "docs").mkdir(parents=True)
    monkeypatch.setattr(files.resources, "files", lambda _: tmp_path)
    assert files.installed()
    assert tmp_path / "share" == files.home()
    assert tmp_path / "share" / "docs" == files.source("docs")
    assert Path(lockui.__file__).parent == files.source("ui/lockui")
    assert ROOT / "locklab.py" == files.source("locklab.py")


def test_what_is_nowhere_is_none() -> None:
    """Neither a file nor a package."""
    assert [None, None] == [files.source("docs/no-such.md"), files.source("sim/locknothing")]
