"""Marking by a person: a page on the loopback address, a sheet of marks, the lab's rubric."""
