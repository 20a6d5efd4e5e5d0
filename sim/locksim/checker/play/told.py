"""The player's data of a counterexample, ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from locksim.core.faults import file_name

if TYPE_CHECKING:
    from locksim.checker import Counterexample


def of_counterexample(found: Counterexample, title: str = "Counterexample") -> dict[str, Any]:
    """A checker's counterexample for the player: its own JSON, and a title."""
    return of_told(found.to_json(), title)


def of_told(document: dict[str, Any], title: str) -> dict[str, Any]:
    """The same for a counterexample stored as JSON."""
    facts = f"{document['threads']} threads · {len(document['steps'])} steps · {document['found']}"
    steps = [step | {"file": file_name(step["file"])} for step in document["steps"]]
    shown = {"kind": "counterexample", "version": 1, "title": title, "facts": facts}
    return shown | document | {"steps": steps}
