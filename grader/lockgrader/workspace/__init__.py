"""A lab at home: a student's folder, what is remembered in it, checks, hints, handing in.

Mechanism. A workspace is the lab's starter files beside a folder ``.lab``, which holds the public
checks and ``state.json``: whose it is, the variant, hints seen, predictions made, the best result.
A check runs through :func:`lockgrader.grade.grade`, the very function that grades; so its verdict
is the grader's. Nothing needs a network, an installed lab, or the course key.

What is kept here is a record for an honest student, and no protection: who edits ``state.json``
cheats nobody else, because the grader looks at the submission alone.
"""
