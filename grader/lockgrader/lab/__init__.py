"""A lab: what is asked, what students get, and each student's own values."""

from lockgrader.lab.band import Band
from lockgrader.lab.choice import Choice
from lockgrader.lab.document import (
    STARTER,
    Lab,
    LabError,
    Misconception,
    MutantSource,
    changed,
    load,
    sha256_of,
)
from lockgrader.lab.expected import Expected
from lockgrader.lab.measure import Measure, Measured
from lockgrader.lab.operations import OPERATIONS

__all__ = [
    "OPERATIONS",
    "STARTER",
    "Band",
    "Choice",
    "Expected",
    "Lab",
    "LabError",
    "Measure",
    "Measured",
    "Misconception",
    "MutantSource",
    "changed",
    "load",
    "sha256_of",
]
