"""What students get with an installed LockLab gives no hidden check away."""

import pytest

from lockgrader.author.bundle import public_files
from locklabs import find, names


@pytest.mark.parametrize("name", names())
def test_public_files_name_no_hidden_check(name: str) -> None:
    """Handout, starter and beliefs; the wheel carries these files as they are."""
    assert "lab.toml" in public_files(find(name))
