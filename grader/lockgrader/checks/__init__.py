"""The kinds of checks: each takes what was submitted and says what it is worth, and why.

A check runs outside the sandbox on validated data. It decides from numbers in simulated time, from
counts and from proofs, never from the clock, so that the same submission gets the same verdict on a
loaded machine.
"""

from lockgrader.checks.base import Finding, Submitted, found

__all__ = ["Finding", "Submitted", "found"]
