"""The grader: what a submission earns, decided only by code that the student cannot touch.

Trust split. A submission is *data* on this side of the sandbox's wall and *code* on the other. What
comes over the wall is bytes: JSON with a closed schema, read by :mod:`~lockgrader.read.artefact`
and, for bytecode, by :mod:`~lockgrader.compile.bytecode` as hostile input. The verdict is found
here, by the checker and the engines, from those bytes. Hidden checks, solutions and keys never
enter a sandbox; nothing is unpickled; no verdict is read from an exit code or from what was
printed.
"""
