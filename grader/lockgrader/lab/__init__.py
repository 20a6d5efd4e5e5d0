"""A lab: what is asked, what students get, and each student's own values."""

from lockgrader.lab.document import Choice, Lab, LabError, Misconception, changed, load
from lockgrader.lab.vocabulary import (
    OPERATIONS,
    Answer,
    Band,
    C,
    Check,
    Code,
    Measure,
    Measured,
    MutantSource,
    OwnTests,
    Prediction,
    Proven,
    Simulated,
    Used,
    Written,
)

__all__ = [
    "OPERATIONS",
    "Answer",
    "Band",
    "C",
    "Check",
    "Choice",
    "Code",
    "Lab",
    "LabError",
    "Measure",
    "Measured",
    "Misconception",
    "MutantSource",
    "OwnTests",
    "Prediction",
    "Proven",
    "Simulated",
    "Used",
    "Written",
    "changed",
    "load",
]
