"""Gradescope: a bundle that sets itself up there, and the run that grades a submission in it.

What the platform gives is a container of Ubuntu, half a CPU, 768 MB and ten minutes, in which
``/autograder`` holds ``source`` (the bundle), ``submission``, ``results`` and
``submission_metadata.json``, and everything runs as root. ``setup.sh`` runs once, when the image is
made; ``run_autograder`` for each submission.

**Files.** ``source`` is root's alone (0700), so neither checks nor key can be read by a student's
code, which never runs as root: it gets a uid of its own and a sandbox, with namespaces where the
container allows them, else the profile ``platform``.

**Time.** The platform's time-out throws away everything. So the run has a budget of its own below
it, results are on disk after each check, and a check that the budget does not reach is a
``grader_error``: told, not lost, and no points of a student's gone for ever.

**Students.** The variant is drawn for the e-mail address (or number) that the platform knows; of a
group it is the first one's in alphabetical order. An attempt is a submission with different files
than those before.
"""
