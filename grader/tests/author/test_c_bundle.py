"""A lab with a C part: students get the header that their file includes."""

from pathlib import Path

from c_lab import LAB

from lockgrader.author.bundle import public_files
from lockgrader.c import interface


def test_the_header_is_in_the_bundle(tmp_path: Path) -> None:
    """The starter, and the interface's header beside it; nothing else of the interface's."""
    (tmp_path / "lab.toml").write_text(LAB)
    (tmp_path / "handout.md").write_text("# C\n")
    (tmp_path / "starter").mkdir()
    (tmp_path / "starter" / "avc_rcu.c").write_text('#include "avc.h"\n')
    files = public_files(tmp_path)
    assert ["handout.md", "lab.toml", "starter/avc.h", "starter/avc_rcu.c"] == sorted(files)
    assert (interface("avc").folder / "avc.h").read_bytes() == files["starter/avc.h"]
