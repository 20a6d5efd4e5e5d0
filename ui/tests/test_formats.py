"""The number of a file's format."""

from importlib.metadata import PackageNotFoundError, version

import pytest

from lockui.formats import other_format

HERE = f"LockLab {version('locklab')}"


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"format": 2}, ""),
        (b'{"format": 2}', ""),
        ({"format": 3}, f"it has format 3, and {HERE} reads format 2"),
        ('{"format": "two"}', f"it has format 'two', and {HERE} reads format 2"),
        ({}, f"it has format 1, and {HERE} reads format 2"),
        ([1, 2], ""),
        ("{", ""),
        (b"\xff", ""),
        ("[" * 100_000, ""),
    ],
    ids=range(9),
)
def test_another_number_is_named(document: object, says: str) -> None:
    """Beside the one that is read; what is no table is left to its reader."""
    assert says == other_format(document, 2)


def test_where_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a browser the sentence is the same, without a version."""

    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", absent)
    assert "it has schema 2, and this LockLab reads schema 1" == other_format(
        {"schema": 2}, 1, "schema"
    )
