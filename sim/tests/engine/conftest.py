"""The engines' tests are about the compiled loop; without this, short runs would not take it."""

from locksim.engine.fast import compiled  # noqa: F401
