"""Answers as data: a JSON document on stdout, and data frames as rows."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame."""
    import pandas as pd

    return pd.DataFrame(list(rows))


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a data frame as rows for :func:`print_json`; a missing value is ``None``."""
    rows: list[dict[str, Any]] = plain(table.to_dict(orient="records"))
    return rows


def plain(value: Any) -> Any:
    """Return a value in JSON's types: dataclasses as objects, numpy's as numbers, NaN as None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(dataclasses.asdict(value))
    if hasattr(value, "tolist"):  # a numpy scalar or array
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_json(document: Any) -> None:
    """Print one JSON document on stdout. NaN and infinities become null, since JSON lacks them.

    Where stdout is not Unicode, characters beyond ASCII are escaped.
    """
    unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    print(json.dumps(plain(document), indent=2, ensure_ascii=not unicode, allow_nan=False))
