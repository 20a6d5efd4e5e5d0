"""Specifications: atomic objects, one file each, to check real ones against (``--spec``).

Each operation is a program that runs at once and alone. Its result is what it returns. An operation
that has to wait in the present state loops with ``pause()``; one that is not allowed there fails an
``assert``; one that may do several things draws ``random_below()``.
"""
