"""The commands that install LockLab again, by what installed it."""

from pathlib import Path

import pytest

from lockui import files, installation


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of an environment with an installed LockLab."""
    monkeypatch.setattr(files, "installed", lambda: True)
    monkeypatch.setattr(installation.sys, "prefix", str(tmp_path))
    return tmp_path


def test_a_checkout_has_make() -> None:
    """With or without its C parts."""
    assert ["make setup"] * 2 == [installation.again(), installation.again(build=True)]


@pytest.mark.parametrize(
    ("file", "more", "again", "built"),
    [
        ("", "pip install", "--force-reinstall", "--no-binary locklab"),
        ("pipx_metadata.json", "pipx install --force", "", "--pip-args='--no-binary locklab'"),
        ("uv-receipt.toml", "uv tool install", "--reinstall", "--no-binary-package locklab"),
    ],
)
def test_by_the_environment(
    environment: Path, file: str, more: str, again: str, built: str
) -> None:
    """An environment of pip, one of pipx, one of uv: more of it, again, and built here."""
    if file:
        (environment / file).touch()
    assert f"{more} 'locklab[plot]'" == installation.install("locklab[plot]")
    assert f"{more} {again}".split() + ["locklab"] == installation.again().split()
    assert installation.again(build=True).startswith(installation.again().removesuffix(" locklab"))
    assert installation.again(build=True).endswith(f" {built} locklab")


@pytest.mark.parametrize(
    ("installer", "command"), [("uv\n", "uv pip"), ("pip\n", "pip"), (None, "pip")]
)
def test_by_the_installer(
    environment: Path, monkeypatch: pytest.MonkeyPatch, installer: str | None, command: str
) -> None:
    """An environment of its user's own: what is written beside the package decides."""

    class Installed:
        def read_text(self, name: str) -> str | None:
            return {"INSTALLER": installer}[name]

    monkeypatch.setattr(installation, "distribution", lambda _: Installed())
    assert f"{command} install locklab" == installation.install("locklab")
