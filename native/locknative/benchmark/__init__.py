"""Kernels and whole workloads measured on real cores.

- ``runner``: ``locknative.bench``: trials until the intervals are narrow enough.
- ``measurement``: its result; ``storage`` writes and reads it, ``consistency`` checks a file.
- ``meter``: the columns of lockmeter, from the ``histogram`` of each thread; ``fairness``.
- ``workloads``: whole programs, one variant beside another.
- ``plots``: a measurement as a plot.
"""
