"""Further kinds of checks, one file each; the folder is the list.

A kind is a subclass of :class:`~lockgrader.lab.vocabulary.OtherCheck`: the fields that a lab
writes, and ``judge``, which decides what a submission earns. ``docs/LABS.md`` shows each by an
example.
"""
