"""``locklab help TOPIC``."""

import pytest

import locklab
from lockui.files import home
from lockui.topics import topics


def test_every_page_is_a_topic(capsys):
    """They are listed by name and title, and each is found."""
    assert 0 == locklab.main(["help", "topics"])
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    written = [page for page in (home() / "docs").rglob("*.md") if page.stem != "README"]
    results = [*(home() / "sim/locksim/papers").rglob("*.md")]
    assert sorted(page.stem for page in (*written, *results)) == sorted(listed)
    assert "Glossary" == topics()["glossary"]


def test_page_is_printed_as_it_is_for_a_pipe(capsys):
    """A reader without a terminal gets the text itself."""
    assert 0 == locklab.main(["help", "Glossary"])
    assert (home() / "docs/start/glossary.md").read_text() == capsys.readouterr().out[:-1]


@pytest.mark.parametrize(
    ("arguments", "hint"), [(["glosary"], "'glossary'?"), (["zzzz", "yyyy"], "help topics'")]
)
def test_no_such_topic(capsys, arguments, hint):
    """The near one, or where all are listed."""
    assert 2 == locklab.main(["help", *arguments])
    assert capsys.readouterr().err.endswith(f"{hint}\n")
