"""What the reference engine gives, as numpy arrays: to be compared with what the fast one gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from locksim.core.result import RunResult
from locksim.engine.counters import LOCK_COUNTERS
from locksim.engine.reference import engine as reference


def reference_run(*arguments: Any, **settings: Any) -> RunResult:
    """Run the reference engine; arguments are its own."""
    result = reference.run(*arguments, **settings)

    def rows(numbers: Any, columns: int) -> Any:
        return None if numbers is None else np.array(numbers, np.int64).reshape(-1, columns)

    return replace(
        result,
        cpu=np.array(result.cpu, np.int64),
        locks=rows(result.locks, len(LOCK_COUNTERS)),
        lines=np.array(result.lines, np.int64),
        trace=rows(result.trace, 5),
        memory=np.array(result.memory, np.int64),
        origins=rows(result.origins, 3),
    )
