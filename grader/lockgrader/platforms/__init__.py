"""Course platforms: a bundle that a platform takes, and the run that grades there.

Each platform is a file of this folder: ``parts`` makes the files of its bundle, and ``run`` grades
one submission in the platform's tree. ``package.py`` packs what all bundles hold, ``here.py``
grades, ``lockgrader.export`` writes what the platform reads.

| platform | grades in | the result |
|---|---|---|
| ``gradescope`` | its container, as root, ``/autograder`` | ``results.json`` with tests |
| ``prairielearn`` | an image of ours, as root, ``/grade`` | ``results.json``, a share from 0 to 1 |
| ``actions`` | a virtual machine of GitHub | summary, annotations, an exit code |
| ``nbgrader`` | the instructor's machine | the points of a notebook's cells |

**Files.** In a container only root can read the lab and the key (0700), so a student's code sees
neither. That code never runs as root. It gets a uid of its own and a sandbox, with namespaces where
the container allows them, else the profile ``platform``.

**C.** A compiler starts processes, which ``platform`` forbids. Where that is the only profile, the
checks of a C part are left out: their points count neither as earned nor as possible there, the
student's page says so, and ``not_graded_here`` names them. No other check depends on them, so the
rest is graded as everywhere. ``locklab grade`` on a machine with namespaces grades all of it.

**Time.** A platform's time-out discards all results. So the run has a smaller budget of its own,
and results are on disk after each check. A check that the budget does not reach is a
``grader_error``: it is reported and costs no points.
"""
