"""Instruments of a kernel, one file each: programs that measure, in the kernel that they measure.

The meters of the engines stand outside: they cost nothing and see everything. These stand inside.
They read the clock, keep tables in memory, and so change what they measure. Their readings are
words of that memory when a run is over.
"""
