"""Litmus tests: programs of a few straight lines, in the dialects of C that herd7 reads.

:mod:`.program` is a test as data, :mod:`.dialects` how its operations are spelled in C11 and in the
kernel, :mod:`.read` and :mod:`.write` are its text. :mod:`.observe` asks the checker what a test
shows, as a :mod:`.workload` in the language, and :mod:`.trace` makes one of a counterexample.
"""
