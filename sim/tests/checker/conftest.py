"""The checker's tests are about compiled code; without this, small checks would not take it."""

from locksim.checker.search import compiled  # noqa: F401
