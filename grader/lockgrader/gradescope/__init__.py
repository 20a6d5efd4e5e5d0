"""Gradescope: a bundle that sets itself up there, and the run that grades a submission in it.

The platform gives an Ubuntu container, half a CPU, 768 MB and ten minutes. In it
``/autograder`` holds ``source`` (the bundle), ``submission``, ``results`` and
``submission_metadata.json``, and everything runs as root. ``setup.sh`` runs once, when the image is
made; ``run_autograder`` for each submission.

**Files.** Only root can read ``source`` (0700), so a student's code sees neither checks nor key.
That code never runs as root. It gets a uid of its own and a sandbox, with namespaces where the
container allows them, else the profile ``platform``.

**Time.** The platform's time-out discards all results. So the run has a smaller budget of its own,
and results are on disk after each check. A check that the budget does not reach is a
``grader_error``: it is reported and costs no points.

**Students.** The variant is drawn for the e-mail address (or number) that the platform knows. In a
group it is the first in alphabetical order. An attempt is a submission whose files differ from all
earlier ones.
"""
