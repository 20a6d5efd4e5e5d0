"""What changes make of a load."""

from dataclasses import replace

import pytest
from study.twin.twin_loads import LOAD

from locksim.study.twin.change import CHANGES, changes_of
from locksim.study.twin.errors import TwinError

READ = replace(LOAD, lock="qrwlock", reads=0.9, read_hold_ns=300.0)


@pytest.mark.parametrize(
    ("text", "load", "expected"),
    [
        ("lock=mcs", LOAD, {"lock": "mcs"}),
        ("batch:8", LOAD, {"batch": 8, "think_ns": 16_000}),
        ("hold*0.5", LOAD, {"hold_ns": 200.0, "read_hold_ns": 0.0}),
        ("merge:2", replace(LOAD, locks=3.0), {"locks": 1.5}),
        ("readers-drop-the-lock", READ, {"free_readers": True}),
        ("split:4:owner", LOAD, {"locks": 4.0, "at_random": 0.0}),
        ("split:4:random", replace(LOAD, locks=2.0, at_random=0.5), {"parts": 4}),
    ],
)
def test_a_change_changes_its_numbers_only(text, load, expected):
    """Each of the language's words."""
    (found,) = changes_of(text, load, 4)
    assert (text, replace(load, **expected), 4) == (found.name, found.load, found.cpus)


def test_a_split_has_two_answers():
    """Unless it says who will use which part."""
    found = changes_of("split:4", LOAD, 4)
    assert ["split:4:random", "split:4:owner"] == [one.name for one in found]
    assert [(4, 1.0), (1, 0.0)] == [(one.load.parts, one.load.at_random) for one in found]


def test_changes_happen_together():
    """With commas, in their order."""
    (found,) = changes_of("cpus=8, lock=mcs", LOAD, 4)
    assert ("cpus=8, lock=mcs", "mcs", 8) == (found.name, found.load.lock, found.cpus)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("split", "not a change; write lock=NAME"),
        ("split:0", "must be between 1 and"),
        ("split:999999999", "must be between 1 and"),
        ("merge:2", "the row is one lock"),
        ("hold*1e9", "not a change"),
        ("lock=qrwlock", "give their share with --reads"),
        ("readers-drop-the-lock", "give their share with --reads"),
    ],
)
def test_what_makes_no_sense_is_refused(text, message):
    """With what would help."""
    with pytest.raises(TwinError, match=message):
        changes_of(text, LOAD, 4)


def test_every_change_is_explained():
    """The list has a line for each form."""
    assert 7 == len(CHANGES)
