"""The kinds of checks: each decides what a submission earns, and why.

A check runs outside the sandbox on validated data. It decides from simulated time, counts and
proofs, never from the clock. The same submission therefore gets the same verdict on a loaded
machine.
"""
