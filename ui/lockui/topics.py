"""``locklab help TOPIC``: the pages of ``docs/``, and of reproductions, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lockui.console import console, say
from lockui.errors import UsageError
from lockui.files import home, source
from lockui.suggest import did_you_mean

FOLDERS = ("start", "use", "teach", "explain", "evidence", "contributing")
"""The folders of ``docs/``, in the order in which a reader meets them."""


def pages() -> dict[str, Path]:
    """Return each topic's page: its name without the ending → its file."""
    found = [page for folder in FOLDERS for page in sorted((home() / "docs" / folder).glob("*.md"))]
    simulator = source("sim/locksim")
    if simulator is not None:
        found += sorted(simulator.glob("papers/*/*.md"))
    return {page.stem: page for page in found if page.stem != "README"}


def topics() -> dict[str, str]:
    """Return the topics: a page's name → its title."""
    return {
        name: page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        for name, page in pages().items()
    }


def app(arguments: Sequence[str], prog_name: str) -> None:
    """Print a page: laid out for a terminal, and as it is anywhere else.

    Arguments:
        arguments: one topic; "topics" lists all. prog_name: of the command.

    Raises:
        UsageError: there is no such page.
    """
    topic, *more = [argument.lower() for argument in arguments]
    if topic in ("topics", "-h", "--help"):
        titles = topics()
        width = max(map(len, titles))
        for name, title in titles.items():
            say(f"{name:<{width}} {title}")
        return
    page = pages().get(topic)
    if page is None or more:
        hint = did_you_mean(topic, topics(), f"see '{prog_name} topics'")
        raise UsageError(f"unknown topic '{' '.join(arguments)}'; {hint}")
    text = page.read_text(encoding="utf-8")
    if console().is_terminal:
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        say(text)
