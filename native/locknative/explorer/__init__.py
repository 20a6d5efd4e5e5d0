"""Explore every interleaving of a small concurrent C program, as far as a bound allows.

>>> from locknative.explorer import explore
>>> explore(["counter.c"], threads=2).verdict  # doctest: +SKIP
'violated'

The program is compiled with ``-fsanitize=thread`` and linked with a runtime of our own
(``native/explorer/explorer.h`` has its essay). :class:`Program` compiles once for several searches.
"""

from locknative.explorer.program import Program
from locknative.explorer.search import Estimate, Exploration, Search, estimate, explore

__all__ = ["Estimate", "Exploration", "Program", "Search", "estimate", "explore"]
