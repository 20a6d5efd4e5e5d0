"""A lab at home: a student's folder, its state, checks, hints, handing in.

Mechanism. A workspace is the lab's starter files beside a folder ``.lab``, which holds the public
checks and ``state.json``: whose it is, the variant, hints seen, predictions made, the best result.
A check runs through :func:`lockgrader.grade.grade`, the function that grades, so its verdict is the
grader's. Nothing needs a network, an installed lab or the course key.

The state is a record for an honest student, not a protection. Editing ``state.json`` gains nothing,
because the grader reads only the submission.
"""
