"""Paths through a kernel, one file each: the code that a system call or a packet passes on its way.

The files of directory entries have the names of their C twins (``structures/dcache_*.h`` of the
native kernels) and the same algorithms.
"""
