"""Values from which one is drawn for each student, by HMAC: the same for one key, never stored."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from lockgrader.lab.closed import Closed


class Choice(Closed):
    """The values from which a student's own is drawn: a list, or a range of integers."""

    choice: tuple[str | int, ...] = ()
    low: int = 0
    high: int = 0
    step: Annotated[int, Field(ge=1)] = 1

    def values(self) -> Sequence[str | int]:
        """All values that can be drawn, in order."""
        return self.choice or range(self.low, self.high + 1, self.step)

    def drawn(self, key: bytes, *about: str) -> str | int:
        """A value, always the same for one key and what it is about.

        Raises:
            LookupError: there are no values.
        """
        values = self.values()
        if not values:
            raise LookupError("it has no values: give 'choice', or 'low' and 'high'")
        # The lengths keep ("a", "bc") and ("ab", "c") apart.
        message = b"".join(len(p).to_bytes(4, "big") + p for p in map(str.encode, about))
        digest = hmac.new(key, message, hashlib.sha256).digest()
        # 256 bits modulo a small number: the bias is negligible.
        return values[int.from_bytes(digest, "big") % len(values)]
