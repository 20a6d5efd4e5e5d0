"""From a validator's findings to one message a person can act on: what, where, how to mend."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from locksim.machine.caches import CacheLevel, Caches
from locksim.machine.errors import MachineError, Refusal
from locksim.machine.figures import Figure
from locksim.machine.profile import Cost, Machine, Occupancy, Origin, Protocol, missing_figure
from locksim.machine.topology import Topology
from lockui.suggest import did_you_mean

_TABLES: dict[tuple[str, ...], type[BaseModel]] = {
    (): Machine,
    ("topology",): Topology,
    ("protocol",): Protocol,
    ("origin",): Origin,
    ("cache",): Caches,
    ("cache", "private"): CacheLevel,
    ("cache", "l1"): CacheLevel,
    ("cost",): Cost,
    ("cost", "occupancy"): Occupancy,
}


def parse(data: dict[str, Any], where: str) -> Machine:
    """Return the machine that ``data`` (a parsed TOML document) describes.

    Args:
        data: the document.
        where: its file or name, for messages.

    Raises:
        MachineError: the document is no sound profile; the message names ``where`` and the key.
    """
    try:
        return Machine.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False)
    # A misspelt key also leaves the right key missing: the misspelling is the better message.
    found.sort(key=lambda e: e["type"] != "extra_forbidden")
    text = _explain(found[0])
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise MachineError(f"{where}: {text}{more}")


def _explain(error: ErrorDetails) -> str:
    loc = tuple(str(part) for part in error["loc"])
    key, value, kind = ".".join(loc), error["input"], error["type"]
    context = error.get("ctx", {})
    cause = context.get("error")
    if isinstance(cause, Refusal):
        return f"{'.'.join(filter(None, (key, cause.key)))}: {cause.message}"
    if kind == "extra_forbidden":
        model = _TABLES.get(loc[:-1], Figure)
        known = [field.alias or name for name, field in model.model_fields.items()]
        return f"{key}: unknown key; {did_you_mean(loc[-1], known)}"
    if kind == "missing":
        return f"{key}: {_missing(loc)}"
    if kind == "finite_number":
        return f"{key}: {value} is not a finite number; give the figure itself"
    if kind == "greater_than_equal" and context["ge"] == 0:
        return f"{key}: {value} is negative; a cost is zero or more"
    if kind == "literal_error":
        return f"{key}: {value!r} is unknown; use {context['expected']}"
    if kind == "string_too_short":
        return f"{key}: empty; say it in words"
    if kind == "string_pattern_mismatch":
        return f"{key}: {value!r} is no name; use small letters, digits, '-' and '.'"
    return f"{key}: {error['msg']}, found {value!r}; correct the value"


def _missing(loc: tuple[str, ...]) -> str:
    key = ".".join(loc)
    if len(loc) == 2 and loc[0] == "cost":
        if loc[1] in ("transfer", "memory", "invalidate"):
            return f"missing table; add [{key}.node] and one table for each farther class"
        return missing_figure(key)
    if loc in _TABLES:
        return f"missing table; add [{key}]"
    return f"missing key; add {loc[-1]} = ..."
