"""Results as HTML pages: a student's feedback, and a batch's summary for the instructor.

Everything in a result may have been written by a student: names, messages, source lines, answers.
Templates escape every text, data for scripts is JSON in which no ``<`` is left, and a page's policy
allows the one script that we put there, by its hash, and no request at all.
"""

from lockgrader.report.feedback import feedback
from lockgrader.report.summary import summary

__all__ = ["feedback", "summary"]
