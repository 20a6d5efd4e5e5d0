"""The player's game: a person chooses the moves, and asks what they lead to."""

from __future__ import annotations

from typing import Any

from locksim.checker.play.graph import hint
from locksim.checker.play.walk import Walk, vars_of


def answer(walk: Walk, ask: str, path: list[int]) -> dict[str, Any]:
    """Answer the player: "at", where a path leads, or "hint", how to break the lock from there.

    Raises:
        CheckError: a move of the path is not possible.
    """
    state, last = walk.along(path)
    if ask == "hint":
        return hint(walk, state) if state is not None else {"can": True, "distance": 0}
    shown = state
    if shown is None:
        shown, _ = walk.along(path[:-1])
    assert shown is not None
    moves = [] if state is None else walk.moves(state)
    found, message = "", ""
    if last is not None and last.found:
        found, message = last.found, last.message
    elif state is not None:
        found, message = walk.ended(state, moves)
    threads = [walk.thread(shown, k) for k in range(walk.model.n_threads)]
    names = [name for _, name in walk.model.memory.names]
    words = [[name, v] for name, v in zip(names, walk.words(shown), strict=True)]
    return {
        "frame": {
            "step": None if last is None else vars_of(last.step),
            "found": found,
            "message": message,
            "words": words,
            "threads": threads,
        },
        "moves": [
            {"via": v.via, "thread": v.thread, "action": v.action, "label": v.label} for v in moves
        ],
    }
