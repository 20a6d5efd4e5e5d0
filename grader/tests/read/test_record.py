"""The record of locked predictions in an archive."""

import json

import pytest

from lockgrader.read.record import read_record

WHOLE = {
    "lab": "tiny",
    "student": "ada",
    "predictions": {"t": {"values": [1, 2], "at": "2026-11-21T12:00:00Z"}},
}


def test_locked_predictions_are_read() -> None:
    """By the answer's name, with their time; other keys of the record do not matter."""
    [locked] = read_record(json.dumps(WHOLE).encode(), "tiny").values()
    assert ((1.0, 2.0), 2026) == (locked.values, locked.at.year)


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"[]",
        b"\xff",
        json.dumps(WHOLE | {"lab": "another"}).encode(),
        json.dumps(
            WHOLE | {"predictions": {"t": {"values": [1, 2, 3], "at": "2026-11-21"}}}
        ).encode(),
        json.dumps(WHOLE | {"predictions": {"t": [1, 2]}}).encode(),
    ],
)
def test_no_record_locks_nothing(data: bytes | None) -> None:
    """A missing, damaged or foreign record is as none."""
    assert {} == read_record(data, "tiny")
