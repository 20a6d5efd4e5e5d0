"""Paths through the kernel, one file each, written in the lock language.

The files of directory entries have the names of their C twins (``structures/dcache_*.h`` of the
native kernels) and the same algorithms.
"""
