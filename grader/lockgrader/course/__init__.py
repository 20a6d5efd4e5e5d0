"""A course: who takes it, when work is due, what lateness costs, and which versions it uses."""

from lockgrader.course.document import Course, CourseError, load
from lockgrader.course.roster import Person, read_roster

__all__ = ["Course", "CourseError", "Person", "load", "read_roster"]
