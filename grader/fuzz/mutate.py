"""Mutations that keep the outer format, so that the code behind the parser is reached.

Random bytes are almost never JSON, and never a zip with right checksums. These mutators parse the
format, change its contents, and write it again. One time in eight they leave the bytes to the
fuzzer, which breaks the format itself. A pure function of (data, size, seed), as libFuzzer asks.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

from locksim.compiler.ir import SIGNATURES

__all__ = ["mutate_json", "mutate_zip"]

RAW_ONE_IN = 8
Raw = Callable[[bytes, int], bytes]
ATOMS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 8, 63, 64, 255, 1 << 31, 1 << 53, (1 << 63) - 1),
    *(-(1 << 63), 1 << 63, 10**24, 0.0, -0.0, 0.5, 1.0, 1e308, 1e-320, 2.5),
    *("", "r0", "r1", "r2", "r7", "r99", "self", "word", "int", "ptr:QNode", "ref:int", "QNode"),
    *("$n", "$self.n", "next", "tail", "acquire", "release", "wait_for_release", "Lock", "Struct"),
    *SIGNATURES,
    *(
        "locksim.library.locks.tas:TASLock",
        "os:system",
        "__class__",
        "__init__",
        "_params",
        "\ud800",
        "٣",
    ),
    *("pass", "partial", "fail", "grader_error", "0" * 64, "NaN", "Infinity", "1e999", "n", "mine"),
    *([], {}, [[]], {"is": "word", "init": 0, "padded": False}, {"library": "locksim.lang:Lock"}),
    {"is": "array", "n": 1 << 16, "of": {"is": "word", "init": 0, "padded": False}, "padded": True},
)
NAMES = ("tas.py", "answers.json", "answers.py", "answers.ipynb", "conftest.py", "x")
FOLDERS = ("", "homework/", "a/b/", "/", "../", "./", "homework\\", "//", "\x00")
MODES = (0, 0o100644, 0o120777, 0o040755, 0o020666, 0o010644, 0o140644, 0xFFFF)


def mutate_json(data: bytes, most: int, seed: int, raw: Raw) -> bytes:
    """A JSON document with a few places changed.

    Arguments:
        data: before. most: bytes after. seed: of this mutation.
        raw: the fuzzer's own mutation, for what is no JSON.
    """
    draw = random.Random(seed)
    if draw.randrange(RAW_ONE_IN) == 0:
        return raw(data, most)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return raw(data, most)
    box = [document]
    for _ in range(draw.choice((1, 1, 2, 3))):
        _change(box, draw)
    with contextlib.suppress(ValueError, RecursionError):
        # Floats that JSON has no word for are written as the words that others use.
        made = json.dumps(box[0], separators=(",", ":")).encode()
        if len(made) <= most:
            return made
    return data[:most]


def _change(box: list[Any], draw: random.Random) -> None:
    """Change one place below a box."""
    at: Any = box
    key: Any = 0
    while isinstance(at[key], dict | list) and at[key] and draw.randrange(12):
        at = at[key]
        key = draw.choice(list(at) if isinstance(at, dict) else range(len(at)))
    old = at[key]
    match draw.randrange(10):
        case 0 if isinstance(old, int) and not isinstance(old, bool):
            at[key] = old + draw.choice((-1, 1, 2, 1 << 16))
        case 1 if at is not box:
            del at[key]
        case 2 if isinstance(at, list):
            at.insert(key, _copy(old))
        case 3:
            at[key] = _copy(_somewhere(box, draw))
        case 4 if isinstance(at, dict):
            at[str(_somewhere([*at, *map(str, ATOMS[:40])], draw))[:80]] = at.pop(key)
        case 5 if isinstance(at, list) and len(at) > 1:
            other = draw.randrange(len(at))
            at[key], at[other] = at[other], at[key]
        case 6 | 7 | 8 | 9:
            # Of the same type, and most often one that stands elsewhere in the document.
            like = [a for a in [*ATOMS, *_leaves(box, draw) * 8] if type(a) is type(old)]
            at[key] = _copy(draw.choice(like or ATOMS))
        case _:
            at[key] = _copy(draw.choice(ATOMS))


def _somewhere(box: Any, draw: random.Random) -> Any:
    """A part of a document."""
    at = box
    while isinstance(at, dict | list) and at and draw.randrange(20):
        at = draw.choice([*at.values()] if isinstance(at, dict) else at)
    return at


def _leaves(box: Any, draw: random.Random) -> list[Any]:
    """Some values of a document that hold no others."""
    found = [_somewhere(box, draw) for _ in range(20)]
    return [one for one in found if not isinstance(one, dict | list)]


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def mutate_zip(data: bytes, most: int, seed: int, raw: Raw) -> bytes:
    """A zip with other entries, or with the same and a few bytes changed.

    Arguments:
        data: before. most: bytes after. seed: of this mutation.
        raw: the fuzzer's own mutation, of the bytes.
    """
    draw = random.Random(seed)
    if draw.randrange(2):
        return raw(data, most)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for _ in range(draw.randrange(5)):
            info = zipfile.ZipInfo(draw.choice(FOLDERS) + draw.choice(NAMES))
            info.create_system = draw.choice((0, 3, 3))
            info.external_attr = draw.choice(MODES) << 16
            info.compress_type = draw.choice(
                (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
            )
            info.extra = draw.randbytes(draw.choice((0, 0, 3, 4, 12)))
            content = raw(data[: draw.randrange(1, 200)], 200) * draw.choice((1, 1, 50))
            with contextlib.suppress(ValueError), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a name that is there already
                archive.writestr(info, content)
        archive.comment = draw.choice((b"", b"", b"PK\x05\x06", b"x" * 100))
    changed = bytearray(made.getvalue())
    for _ in range(draw.choice((0, 0, 1, 2))):
        changed[draw.randrange(len(changed))] = draw.choice((0, 1, 0xFF, draw.randrange(256)))
    return bytes(changed[:most])
