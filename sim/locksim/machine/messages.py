"""From a validator's findings to one message a person can act on: what, where, how to fix it."""

from __future__ import annotations

import types
import typing

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from locksim.machine.costs import BY_KEY
from locksim.machine.errors import Refusal
from locksim.machine.quantities import Quantity
from lockui.suggest import did_you_mean

FEW = 3
"""With more faults than this, a profile that lacks a value is better written by a command."""
WRITE_ONE = (
    "help: 'locklab machine new NAME' writes a whole profile, from a core-to-core matrix, lscpu or "
    "a few latencies (locklab help machines)"
)


def explain(root: type[BaseModel], error: ValidationError) -> str:
    """Return the message for the first fault of a document.

    Args:
        root: the model of the whole document. error: what its validation found.
    """
    found = error.errors(include_url=False)
    # A misspelt key also leaves the right key missing: the misspelling is the better message.
    found.sort(key=lambda e: e["type"] != "extra_forbidden")
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    whole = found[0]["type"] == "missing" and len(found) > FEW
    return _explain(root, found[0]) + more + (f"\n{WRITE_ONE}" if whole else "")


def missing_quantity(key: str) -> str:
    """Return the message for the quantity ``key`` (such as ``cost.store``) that is not there."""
    return f"missing quantity; add [{key}] with value, unit, source and role"


def _explain(root: type[BaseModel], error: ErrorDetails) -> str:
    loc = tuple(str(part) for part in error["loc"])
    key, value, kind = ".".join(loc), error["input"], error["type"]
    context = error.get("ctx", {})
    cause = context.get("error")
    if isinstance(cause, Refusal):
        return f"{'.'.join(filter(None, (key, cause.key)))}: {cause.message}"
    if kind == "extra_forbidden":
        model = _table(root, loc[:-1]) or Quantity
        known = [field.alias or name for name, field in model.model_fields.items()]
        return f"{key}: unknown key; {did_you_mean(loc[-1], known)}"
    if kind == "missing":
        return f"{key}: {_missing(root, loc)}"
    if kind == "finite_number":
        return f"{key} must be a finite number (got {value})"
    if kind == "greater_than_equal" and context["ge"] == 0:
        what = "a cost" if loc[0] == "cost" else "this"
        return f"{key}: {value} is negative; {what} is zero or more"
    if kind == "literal_error":
        return f"{key}: {value!r} is unknown; use {context['expected']}"
    if kind == "string_too_short":
        return f"{key}: empty; say it in words"
    if kind == "string_pattern_mismatch":
        return f"{key}: {value!r} is not a name; use small letters, digits, '-' and '.'"
    return f"{key}: {error['msg']}, found {value!r}; correct the value"


def _missing(root: type[BaseModel], loc: tuple[str, ...]) -> str:
    key = ".".join(loc)
    if len(loc) == 2 and loc[0] == "cost":
        if loc[1] in BY_KEY and BY_KEY[loc[1]].classes:
            return f"missing table; add [{key}.node] and one table for each farther class"
        return missing_quantity(key)
    if _table(root, loc):
        return f"missing table; add [{key}]"
    return f"missing key; add {loc[-1]} = ..."


def _table(root: type[BaseModel], loc: tuple[str, ...]) -> type[BaseModel] | None:
    """The model of the table at a place of the document, None for what is not a table."""
    found = root
    for name in loc:
        field = found.model_fields.get(name)
        inner = [] if field is None else _options(field.annotation)
        tables = [one for one in inner if isinstance(one, type) and issubclass(one, BaseModel)]
        if not tables:
            return None
        found = tables[0]
    return found


def _options(annotation: object) -> tuple[object, ...]:
    """What a field may hold: the options of a union, or the one type."""
    union = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    return typing.get_args(annotation) if union else (annotation,)
