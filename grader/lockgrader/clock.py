"""The clock on the wall. It is read here alone, so that a test can set it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The time of this machine's clock, in UTC."""
    return datetime.now(UTC)
