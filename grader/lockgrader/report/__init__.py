"""Results as HTML pages: a student's feedback, and a batch's summary for the instructor.

Any text in a result may come from a student: names, messages, source lines, answers. Templates
escape every text. Data for scripts is JSON without any ``<``. A page's policy allows no request and
only our own script, by its hash.
"""
