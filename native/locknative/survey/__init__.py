"""Measure everything on one machine, with nothing but Python's standard library.

    python3 native/locknative/survey --executable build/locklab-native --out DIR --seconds 540

This folder and the executable are all that a machine needs: copy both, run the line above, and
bring DIR back. Inside LockLab the same code is ``locknative.survey``; ``locklab calibrate`` uses it.

- ``topology``: the CPUs that may be used and how near they are to one another, from /sys.
- ``cells``: what is to be measured: a cell is one kernel, loop, choice of CPUs and mix.
- ``trials``: one process a trial, in random order, until time is up; what was disturbed is marked.
- ``folder``: where trials and provenance lie, one JSON object a line; a sweep can be resumed.

Nothing here may import a third-party package or another part of LockLab.
"""
