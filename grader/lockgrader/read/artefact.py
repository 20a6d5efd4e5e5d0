"""Parse untrusted JSON from inside a sandbox.

Everything that could harm a reader is bounded first: size, depth, number of values, length of a
string, digits of a number. NaN and infinity are refused. Duplicate keys are refused too, because
two readers could pick different ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

__all__ = ["MalformedError", "Numbers", "numbers", "parse"]

MAX_BYTES = 1 << 20
MAX_DEPTH = 24
MAX_VALUES = 200_000
MAX_STRING = 100_000
MAX_DIGITS = 25


class MalformedError(Exception):
    """Not the required form; the message says what is wrong and quotes little of the input."""

    exit_code = 2


class Numbers(NamedTuple):
    """Numeric answers: name → numbers, and name → why there are none."""

    found: dict[str, list[float]]
    wrong: dict[str, str]


def parse(
    data: bytes, *, max_bytes: int = MAX_BYTES, constant: Callable[[str], Any] | None = None
) -> Any:
    """A JSON document as dicts, lists, strings, bools, None, ints and finite floats.

    Arguments:
        data: the document. max_bytes: its longest length.
        constant: gives the value of ``NaN`` and ``Infinity``; by default they are refused.

    Raises:
        MalformedError: it is not JSON, or exceeds a bound.
    """
    if len(data) > max_bytes:
        raise MalformedError(f"{len(data)} bytes; at most {max_bytes} are allowed")
    try:
        text = data.decode("utf-8", errors="strict")
    except UnicodeDecodeError as error:
        raise MalformedError(f"byte {error.start} is not valid UTF-8") from error
    _check_depth(text)
    try:
        document = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=constant or _no_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        raise MalformedError(f"not valid JSON: {error.msg} at character {error.pos}") from error
    _check_size(document)
    return document


def numbers(document: dict[str, Any], asked: tuple[str, ...], *, most: int = 10_000) -> Numbers:
    """The answers of a document that maps names to a number, or to a list of numbers.

    Each answer stands for itself: one that is not of this form, and a name that is not asked for,
    leave the others as they are.

    Arguments:
        document: what :func:`parse` gave. asked: names of answers. most: numbers in one answer.
    """
    found, wrong = {}, {}
    for name in [n for n in asked if n in document]:
        values = document[name] if isinstance(document[name], list) else [document[name]]
        odd = [v for v in values if isinstance(v, bool) or not isinstance(v, int | float)]
        if len(values) > most:
            wrong[name] = f"{name}: {len(values)} numbers; at most {most} are allowed"
        elif odd:
            wrong[name] = f"{name}: {_quoted(odd[0])} is not a number"
        else:
            found[name] = [float(one) for one in values]
    strange = [n for n in document if n not in asked]
    for name in [n for n in asked if n not in document]:
        close = get_close_matches(name, strange, 1)
        if close:
            wrong[name] = f"there is no answer '{name}', but '{close[0][:40]}': rename it"
    return Numbers(found, wrong)


def _quoted(value: Any) -> str:
    """A value as JSON has it, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the parser recurses into it."""
    depth, in_string, escaped = 0, False, False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise MalformedError(f"nested more than {MAX_DEPTH} levels deep")
        elif character in "]}":
            depth -= 1


def _check_size(document: Any) -> None:
    todo, values = [document], 0
    while todo:
        value = todo.pop()
        values += 1
        if values > MAX_VALUES:
            raise MalformedError(f"more than {MAX_VALUES} values")
        if isinstance(value, dict):
            todo += [*value, *value.values()]
        elif isinstance(value, list):
            todo += value
        elif isinstance(value, str):
            if len(value) > MAX_STRING:
                raise MalformedError(f"a string of {len(value)} characters")
            if any(0xD800 <= ord(c) < 0xE000 for c in value):
                raise MalformedError("half of a surrogate pair in a string")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise MalformedError("an object has the same key twice")
    return made


def _no_constant(name: str) -> float:
    raise MalformedError(f"{name} is not a finite number")


def _float(text: str) -> float:
    if len(text) > 2 * MAX_DIGITS:
        raise MalformedError(f"a number of {len(text)} characters")
    value = float(text)
    if not math.isfinite(value):
        raise MalformedError(f"{text[:30]} is not a finite number")
    return value


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise MalformedError(f"a number of {len(text)} digits")
    return int(text)
