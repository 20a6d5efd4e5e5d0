"""What a thread of a flavour enters and leaves by ``with``."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from locknative.errors import UrcuError

if TYPE_CHECKING:
    from locknative import _urcu


class _Section:
    """One object serves all threads and all depths."""

    def __init__(self, enter: Callable[[], object], leave: Callable[[], object]) -> None:
        self._enter, self._leave = enter, leave

    def __enter__(self) -> None:
        self._enter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._leave()
        except UrcuError:
            if error is None:
                raise


class ReadSection(_Section):
    """A read-side section."""

    def __init__(self, extension: _urcu._Extension) -> None:
        super().__init__(extension.read_lock, extension.read_unlock)


class Deferring(_Section):
    """Registers the entering thread for ``defer_rcu`` until it leaves, which empties its queue."""

    def __init__(self, extension: _urcu._Extension) -> None:
        super().__init__(extension.start_deferring, extension.stop_deferring)
