"""``locklab help TOPIC``: the pages of ``docs/`` in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from lockui.console import console, say
from lockui.errors import UsageError
from lockui.files import home
from lockui.suggest import did_you_mean

__all__ = ["app", "topics"]


def topics() -> dict[str, str]:
    """Return the topics: a page's name in small letters → its title."""
    return {
        page.stem.lower(): page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        for page in sorted((home() / "docs").glob("*.md"))
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
        for name, title in topics().items():
            say(f"{name:<12} {title}")
        return
    page = next((p for p in (home() / "docs").glob("*.md") if p.stem.lower() == topic), None)
    if page is None or more:
        hint = did_you_mean(topic, topics(), f"see '{prog_name} topics'")
        raise UsageError(f"no topic '{' '.join(arguments)}'; {hint}")
    text = page.read_text(encoding="utf-8")
    if console().is_terminal:
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        say(text)
