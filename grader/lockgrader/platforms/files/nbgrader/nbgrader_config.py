"""LockLab's notebooks are graded by LockLab; a course that has this file needs only these lines."""

import sys

sys.path.insert(0, ".")
from locklab_nbgrader import configure

configure(get_config())  # noqa: F821  (nbgrader defines it here)
