"""Survey a machine: measure everything on it, with nothing but Python's standard library.

    locklab native survey --out DIR
    python3 native/locknative/survey --executable build/locklab-native --out DIR --seconds 540

The second line is for a machine without LockLab: this folder and the executable are all that it
needs. Copy both, run the line, and bring DIR back. ``locklab machine calibrate`` uses the same
code.

- ``host``: what /proc and /sys report.
- ``topology``: the CPUs, and how near they are to one another.
- ``cells``: what is to be measured: a cell is one kernel, loop, choice of CPUs and mix.
- ``process``: one trial in a process of its own.
- ``trials``: in random order, one at a time; what was disturbed (``judge``, ``speed``) is marked.
- ``collect``: until every cell has enough trials or time is up.
- ``folder``: where trials and provenance lie, one JSON object a line; a survey can be resumed.

Nothing here may import a third-party package or another part of LockLab.
"""
