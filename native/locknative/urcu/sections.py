"""What a thread of a flavour enters and leaves by ``with``."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from locknative.errors import UrcuError

if TYPE_CHECKING:
    from locknative import _urcu


class ReadSection:
    """A read-side section; one object serves all threads and all depths."""

    def __init__(self, extension: _urcu._Extension) -> None:
        self._c = extension

    def __enter__(self) -> None:
        self._c.read_lock()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._c.read_unlock()
        except UrcuError:
            if error is None:
                raise


class Deferring:
    """Registers the entering thread for ``defer_rcu`` until it leaves, which empties its queue."""

    def __init__(self, extension: _urcu._Extension) -> None:
        self._c = extension

    def __enter__(self) -> None:
        self._c.start_deferring()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._c.stop_deferring()
        except UrcuError:
            if error is None:
                raise
