"""Parse untrusted JSON from inside a sandbox.

Everything that could harm a reader is bounded first: size, depth, number of values, length of a
string, digits of a number. NaN and infinity are refused. Duplicate keys are refused too, because
two readers could pick different ones. In a student's answers such a value is refused by itself, and
all others stay.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

__all__ = ["MalformedError", "Numbers", "Odd", "numbers", "parse", "whole"]

MAX_BYTES = 1 << 20
MAX_DEPTH = 24
MAX_VALUES = 200_000
MAX_STRING = 100_000
MAX_DIGITS = 25
NUMBER = re.compile(r"-?\d{1,25}(\.\d{0,25})?", re.ASCII)
"""What a student means by a number between quotes."""


class MalformedError(Exception):
    """Not the required form; the message says what is wrong and quotes little of the input."""

    exit_code = 2


class Odd(str):
    """What stands in the place of a value that is refused by itself: why it is refused."""


class Numbers(NamedTuple):
    """Numeric answers: name → numbers, and name → why there are none."""

    found: dict[str, list[float]]
    wrong: dict[str, str]


def parse(data: bytes, *, max_bytes: int = MAX_BYTES, each: bool = False) -> Any:
    """A JSON document as dicts, lists, strings, bools, None, ints and finite floats.

    Arguments:
        data: the document. max_bytes: its longest length.
        each: refuse values one by one, as an :class:`Odd`: a number that is not finite or too long,
            a key that is there twice. A string may then hold line ends, tabs, and half of a
            surrogate pair (:func:`whole`).

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
    one = _noted if each else _unchanged
    try:
        document = json.loads(
            text,
            strict=not each,
            object_pairs_hook=_object_of_each if each else _object,
            parse_constant=one(_no_constant),
            parse_float=one(_float),
            parse_int=one(_int),
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise MalformedError(f"not valid JSON: {error.msg} at {where}") from error
    _check_size(document, strings=not each)
    return document


def numbers(document: dict[str, Any], asked: tuple[str, ...], *, most: int = 10_000) -> Numbers:
    """The answers of a document that maps names to a number, or to a list of numbers.

    A number may stand between quotes. Each answer stands for itself: one that is not of this form,
    and a name that is not asked for, leave the others as they are.

    Arguments:
        document: what :func:`parse` gave. asked: names of answers. most: numbers in one answer.
    """
    found, wrong = {}, {}
    for name in [n for n in asked if n in document]:
        values = document[name] if isinstance(document[name], list) else [document[name]]
        values = [_unquoted(value) for value in values]
        odd = [v for v in values if isinstance(v, bool) or not isinstance(v, int | float)]
        if len(values) > most:
            wrong[name] = f"{name}: {len(values)} numbers; at most {most} are allowed"
        elif odd:
            wrong[name] = f"{name}: {_why_odd(odd[0])}"
        else:
            found[name] = [float(one) for one in values]
    strange = [n for n in document if n not in asked]
    for name in [n for n in asked if n not in document]:
        close = get_close_matches(name, strange, 1)
        if close:
            wrong[name] = f"there is no answer '{name}', but '{whole(close[0])[:40]}': rename it"
    return Numbers(found, wrong)


def _unquoted(value: Any) -> Any:
    """The number in a string that holds nothing else; any other value as it is."""
    if isinstance(value, str) and not isinstance(value, Odd) and NUMBER.fullmatch(value.strip()):
        return float(value)
    return value


def _why_odd(value: Any) -> str:
    """Why a value is not a number, and how a list is written."""
    if isinstance(value, Odd):
        return value
    says = f"{_quoted(value)} is not a number"
    parts = re.split(r",?\s+", value.strip(" []()")) if isinstance(value, str) else []
    if 1 < len(parts) <= 20 and all(map(NUMBER.fullmatch, parts)):
        return f"{says}; write the list [{', '.join(parts)}], without quotes"
    return says


def whole(text: str) -> str:
    """A text with a question mark for each half of a surrogate pair, so that it can be written."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _quoted(value: Any) -> str:
    """A value as JSON has it, shortened."""
    text = whole(json.dumps(value, ensure_ascii=False))
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


def _check_size(document: Any, *, strings: bool) -> None:
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
        elif isinstance(value, str) and strings:
            if len(value) > MAX_STRING:
                raise MalformedError(f"a string of {len(value)} characters")
            if any(0xD800 <= ord(c) < 0xE000 for c in value):
                raise MalformedError("half of a surrogate pair in a string")


def _unchanged(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return read


def _noted(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Read a value, or note why it is refused."""

    def noted(text: str) -> Any:
        try:
            return read(text)
        except MalformedError as error:
            return Odd(error)

    return noted


def _object_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        made[key] = Odd("this key occurs twice; remove one of them") if key in made else value
    return made


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise MalformedError(f"the key {key[:40]!a} occurs twice in one JSON object")
        made[key] = value
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
