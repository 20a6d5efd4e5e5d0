"""The choice among a lock's test clients (:mod:`locksim.core.client`)."""

from __future__ import annotations

from locksim.checker.errors import CheckError
from locksim.core.client import TEST_CLIENT, Client, Conduct, End

__all__ = ["TEST_CLIENT", "Client", "Conduct", "End", "chosen"]


def chosen(known: list[Client], name: str) -> list[Client]:
    """The clients whose name begins with a text; all for an empty one.

    Raises:
        CheckError: there is none.
    """
    found = [c for c in known if c.name.startswith(name)]
    if not found:
        names = "; ".join(c.name for c in known)
        raise CheckError(
            f"unknown client '{name}': give the beginning of a name (there are: {names})"
        )
    return found
