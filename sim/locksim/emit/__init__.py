"""Locks as C11: the bytecode of a class, printed as a header in the manner of ``native/include``.

A class becomes a struct, a method a ``static inline`` function, with the program's own names, its
comments, and the lines that everything comes from. Words become ``_Atomic``; every operation names
its memory order. Requests to the surroundings (which CPU am I, give me a random number) are
answered by ``locklab/language.h``, through an argument ``thread`` that only those functions have
that need it.

Registers are signed 64-bit integers that wrap around: compile with ``-fwrapv``. Marks of the lock
meters vanish. ``block`` and ``wake`` are refused (:class:`EmitError`), as is
``random_exponential``. Where the language stops a program (an index out of range, a shift by more
than 63, a division by 0) the behaviour of C is undefined: run the program in the simulator first.
"""

from locksim.emit.program import EmitError, Emitted, Function, emit

__all__ = ["EmitError", "Emitted", "Function", "emit"]
